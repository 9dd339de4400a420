import { setInvalidations } from '../api/invalidation.ts';
import type { Invalidations } from '../api/invalidation.ts';
import { activityArea } from '../areas/activity/area.ts';
import { agentArea } from '../areas/agent/area.ts';
import { backupsArea } from '../areas/backups/area.ts';
import { bulkArea } from '../areas/bulk/area.ts';
import { entriesArea } from '../areas/entries/area.ts';
import { exportHistoryArea } from '../areas/export-history/area.ts';
import { groupsArea } from '../areas/groups/area.ts';
import { helpArea } from '../areas/help/area.ts';
import { installationArea } from '../areas/installation/area.ts';
import { invitationsArea } from '../areas/invitations/area.ts';
import { jobsArea } from '../areas/jobs/area.ts';
import { licensesArea } from '../areas/licenses/area.ts';
import { notificationsArea } from '../areas/notifications/area.ts';
import { overviewArea } from '../areas/overview/area.ts';
import { profileArea } from '../areas/profile/area.ts';
import { proxiesArea } from '../areas/proxies/area.ts';
import { publicationsArea } from '../areas/publications/area.ts';
import { relationshipIntelligenceArea } from '../areas/relationship-intelligence/area.ts';
import { reportsArea } from '../areas/reports/area.ts';
import { schemaArea } from '../areas/schema/area.ts';
import { settingsArea } from '../areas/settings/area.ts';
import { sitesArea } from '../areas/sites/area.ts';
import { usersArea } from '../areas/users/area.ts';
import { setAuditSentences } from './area/audit-sentences.ts';
import { collectAreas } from './area/collect-areas.ts';
import { setAreaStorageCleaner } from './session/session.ts';

/** Writes of sign-in and session. When a session starts, ends or switches the site, the whole cache is cleared (session.ts). */
const sessionInvalidations = {
  signIn: [],
  signOut: [],
  switchSite: [],
  issueToken: [],
  inspectLink: [],
  setPassword: [],
  createFirstAdministrator: [],
  beginIdentitySignIn: [],
  finishIdentitySignIn: [],
  verifySecondFactor: [],
  beginPasskeySignIn: [],
  signInWithPasskey: [],
  beginPasskeyProof: [],
  provePresence: ['getOwnSecurity'],
} as const satisfies Partial<Invalidations>;

/** All areas of the console, in the order of their entries within a navigation group. */
const areas = [
  overviewArea,
  usersArea,
  licensesArea,
  groupsArea,
  proxiesArea,
  invitationsArea,
  activityArea,
  entriesArea,
  schemaArea,
  reportsArea,
  exportHistoryArea,
  backupsArea,
  jobsArea,
  notificationsArea,
  helpArea,
  relationshipIntelligenceArea,
  publicationsArea,
  agentArea,
  settingsArea,
  sitesArea,
  installationArea,
  profileArea,
  // Last: it offers reports of stored jobs.
  bulkArea,
] as const;

type UnionToIntersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Intersection,
) => void
  ? Intersection
  : never;
type AreaInvalidations = UnionToIntersection<
  Extract<(typeof areas)[number], { invalidations: object }>['invalidations']
>;

/** The collected parts of all areas. */
export const registry = collectAreas(areas);

/** The invalidations of every write of the contract; a write that no area lists is a type error here. */
export const INVALIDATIONS = {
  ...registry.invalidations,
  ...sessionInvalidations,
} as AreaInvalidations & typeof sessionInvalidations satisfies Invalidations;

/** Passes the parts of the areas to the modules below them; called once, before the frame is rendered. */
export function startAreas(): void {
  for (const { register } of registry.areas) register?.();
  setInvalidations(INVALIDATIONS);
  setAuditSentences(registry.auditSentences);
  setAreaStorageCleaner(() => Promise.all(registry.areas.map(async ({ clearStorage }) => clearStorage?.())));
}

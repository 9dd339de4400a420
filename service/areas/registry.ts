import { collectAreas } from '../kernel/area/area.ts';
import { kernelArea } from '../kernel/area/kernel-area.ts';
import { accessArea } from './access/area.ts';
import { activityArea } from './activity/area.ts';
import { addressesArea } from './addresses/area.ts';
import { agentArea } from './agent/area.ts';
import { backupsArea } from './backups/area.ts';
import { entriesArea } from './entries/area.ts';
import { groupsArea } from './groups/area.ts';
import { identityArea } from './identity/area.ts';
import { invitationsArea } from './invitations/area.ts';
import { jobsArea } from './jobs/area.ts';
import { licensesArea } from './licenses/area.ts';
import { membersArea } from './members/area.ts';
import { notificationsArea } from './notifications/area.ts';
import { platformArea } from './platform/area.ts';
import { proxiesArea } from './proxies/area.ts';
import { publicationsArea } from './publications/area.ts';
import { relationshipIntelligenceArea } from './relationship-intelligence/area.ts';
import { reportsArea } from './reports/area.ts';
import { schemaImpactArea } from './schema-impact/area.ts';
import { schemaArea } from './schema/area.ts';
import { sitesArea } from './sites/area.ts';
import { tokensArea } from './tokens/area.ts';
import { usersArea } from './users/area.ts';
import { viewsArea } from './views/area.ts';

/** Every area of the service, and the tables of the kernel. Backups hold the sheets of all in this order. */
export const areas = [
  kernelArea,
  sitesArea,
  addressesArea,
  backupsArea,
  schemaArea,
  viewsArea,
  invitationsArea,
  membersArea,
  usersArea,
  licensesArea,
  groupsArea,
  proxiesArea,
  entriesArea,
  jobsArea,
  notificationsArea,
  activityArea,
  identityArea,
  accessArea,
  tokensArea,
  platformArea,
  relationshipIntelligenceArea,
  publicationsArea,
  reportsArea,
  agentArea,
  schemaImpactArea,
] as const;

/** What all areas add to the service. */
export const registry = collectAreas(areas);

type Sheets = UnionToIntersection<Extract<(typeof areas)[number], { sheets: object }>['sheets']>;
type UnionToIntersection<Union> = (Union extends unknown ? (one: Union) => void : never) extends (
  all: infer Intersection,
) => void
  ? Intersection
  : never;

/** The backup sheets of all areas by their keys, for restoring. */
export const SHEETS = registry.sheets as Sheets;

/** Operations with a route of their own. */
export type OwnRouteOperation = Extract<
  (typeof areas)[number],
  { ownRoutes: readonly string[] }
>['ownRoutes'][number];

/** Operations that an area handles or serves by a route of its own. */
export type AreaOperation =
  | OwnRouteOperation
  | keyof UnionToIntersection<Extract<(typeof areas)[number], { handlers: object }>['handlers']>;

import { CAPABILITIES } from '../../api/capabilities.gen.ts';
import type { Capability, Session } from '../../api/generated/types.gen.ts';
import { can, lacking } from '../../api/session.ts';

/** The read without which an area has nothing to show. */
const OPENED_BY: Readonly<Record<string, keyof typeof CAPABILITIES>> = {
  '/users': 'searchUsers',
  '/licenses': 'searchUserLicenses',
  '/groups': 'listGroups',
  '/proxies': 'listProxies',
  '/invitations': 'listInvitations',
  '/activity': 'queryUserActivity',
  '/entries': 'listEntryTypes',
  '/settings': 'getSiteSettings',
  '/changes': 'listChangedEntries',
  '/reports': 'listReportTemplates',
  '/backups': 'listBackups',
  '/imports': 'getImportStatus',
  '/publications': 'listTopics',
  '/agent': 'callAgentServer',
};

/** Why an area shows nothing to this person now; undefined where it does. The way there stays: its page says the same. */
export function reasonClosed(session: Pick<Session, 'capabilities'>, path: string): string | undefined {
  const operation = OPENED_BY[path];
  const anyOf: readonly Capability[] = operation === undefined ? [] : CAPABILITIES[operation];
  return can(session, anyOf) ? undefined : lacking(anyOf);
}

/** Whether an area stands in the navigation: what is above all sites is nobody's who runs one. */
export const isOffered = (session: Pick<Session, 'runsPlatform'>, path: string): boolean =>
  path !== '/sites' || session.runsPlatform === true;

import type { Capability } from '../generated/types.gen.ts';

/** What nobody can pass on: administration of users, security, backups and proxies stays with its holder (T06). */
const NEVER: ReadonlySet<Capability> = new Set<Capability>([
  'Manage Users',
  'Manage Groups',
  'Manage Licences',
  'Manage Proxies',
  'Manage Existing Users',
  'Manage Backups',
  'Manage Settings',
]);

/** The capabilities of somebody who acts for a principal with `held`: those of the principal that can be passed on. */
export function capabilitiesWhenActing(held: Iterable<Capability>): Set<Capability> {
  return new Set([...held].filter((capability) => !NEVER.has(capability)));
}

/** What a session goes on doing for itself while it acts. `beginActing` says itself that there are no chains. */
const OWN: ReadonlySet<string> = new Set(['getSession', 'beginActing', 'endActing', 'signOut']);

/** What hands data over as a file. */
const DOWNLOADS: ReadonlySet<string> = new Set([
  'recordExport',
  'getEntryFile',
  'downloadReport',
  'downloadBackup',
  'createBackupDownload',
]);

/** What anybody may do who gets in: it is about nobody but oneself, such as an API key of one's own. */
const isOneself = (capabilities: readonly string[]): boolean =>
  capabilities.every((capability) => capability === 'Access Web Service');

/**
 * Why nobody does this while acting for somebody, or undefined: exports stay with the person themselves, and so do one's
 * own account, session and API key.
 */
export function refusalWhileActing(operation: {
  id: string;
  capabilities: readonly string[];
}): string | undefined {
  if (DOWNLOADS.has(operation.id)) return 'Nothing is exported or downloaded while you act for somebody';
  if (isOneself(operation.capabilities) && !OWN.has(operation.id))
    return 'While you act for somebody, your own account and session stay as they are: stop acting first';
  return undefined;
}

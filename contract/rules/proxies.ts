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

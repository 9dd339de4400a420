import type { Capability } from '../../../contract/generated/types.gen.ts';
import { capabilitiesNotHeld } from '../../../contract/rules/capabilities.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { administratorRemains, capabilitiesHeld, capabilitiesOf } from '../../kernel/auth/store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { conflict, forbidden, type FieldError } from '../../kernel/http/errors.ts';
import { runsPlatform } from '../sites/index.ts';
import { lockGroups } from './pairs.store.ts';

/**
 * Nobody grants what they do not hold, and nobody takes over an account that may do more than they may:
 * a changed e-mail address would receive its owner's password link.
 * @throws ApiError 403 that names the capabilities
 */
export function requireHeld(held: ReadonlySet<Capability>, wanted: Iterable<Capability>, deed: string): void {
  const lacking = capabilitiesNotHeld([...held], [...new Set(wanted)]);
  if (lacking.length > 0)
    throw forbidden(`${deed} needs capabilities that you do not hold: ${lacking.join(', ')}`);
}

/**
 * Refuses a change that would leave the site without an administrator who can sign in. Call it after the change,
 * inside a change that runs alone on the site.
 * @throws ApiError 409
 */
export async function requireAdministrator(tx: Tx, siteId: number): Promise<void> {
  if (await administratorRemains(tx, siteId)) return;
  throw conflict(
    'This would leave the site without an administrator who can sign in. Give another user Manage Users and Manage Groups first.',
  );
}

/**
 * The groups that do not exist here as faults at their paths, else a check that the caller holds all they would give.
 * The caller's capabilities are read again in the transaction: they may have shrunk since the request came in.
 * @throws ApiError 403 when a group gives what the caller does not hold
 */
export async function checkGrant(
  tx: Tx,
  caller: Caller,
  groupIds: readonly number[],
  pathOf: (index: number) => string,
): Promise<FieldError[]> {
  const known = await lockGroups(tx, caller.siteId, groupIds);
  const faults = groupIds.flatMap((id, index) =>
    known.has(id) ? [] : [{ path: pathOf(index), message: `group ${id} does not exist on this site` }],
  );
  if (faults.length === 0)
    requireHeld(await capabilitiesHeld(tx, caller), [...known.values()].flat(), 'Changing these groups');
  return faults;
}

/** Nobody changes how somebody signs in, or shuts out, who may do more than they may. */
export async function requireAuthorityOver(
  tx: Tx,
  caller: Caller,
  userId: number,
  deed: string,
): Promise<void> {
  if (userId === caller.userId) return;
  requireHeld(await capabilitiesHeld(tx, caller), await capabilitiesOf(tx, caller.siteId, userId), deed);
  if (!(await runsPlatform(tx, userId))) return;
  // Their capabilities here say nothing of what they are on the platform, and their account is the key to that.
  if (caller.acting || caller.isFederated || !(await runsPlatform(tx, caller.userId)))
    throw forbidden(`${deed} is for people who run the platform, as they do`);
}

/**
 * Faults of a list of groups that a user is given or loses, each at the path that `pathOf` tells. Giving or taking any
 * asks for Manage Groups besides Manage Users (contract, createUser).
 */
export async function checkGroups(
  tx: Tx,
  caller: Caller,
  groups: readonly number[],
  pathOf: (index: number) => string,
) {
  if (groups.length === 0) return [];
  const held = await capabilitiesHeld(tx, caller);
  requireHeld(held, ['Manage Groups'], 'Changing groups');
  return checkGrant(tx, caller, groups, pathOf);
}

import type { Capability } from '../../../contract/generated/types.gen.ts';
import { findMissingCapabilities } from '../../../contract/rules/capabilities.ts';
import { conflict, forbidden, type FieldError } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import {
  hasAdministrator,
  loadEffectiveCapabilities,
  loadCapabilities,
} from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { isPlatformAdministrator } from '../sites/index.ts';
import { lockGroups } from './group-members.store.ts';

/**
 * Requires all given capabilities. Nobody grants capabilities they do not hold, and nobody takes over an account with
 * more capabilities than their own, whose password link a changed e-mail address would receive.
 * @throws ApiError 403 that names the missing capabilities
 */
export function requireCapabilities(
  held: ReadonlySet<Capability>,
  required: Iterable<Capability>,
  action: string,
): void {
  const missing = findMissingCapabilities([...held], [...new Set(required)]);
  if (missing.length > 0)
    throw forbidden(`${action} needs capabilities that you do not hold: ${missing.join(', ')}`);
}

/**
 * Rejects a change that leaves the site without an administrator who can sign in. Call it after the change, in a
 * transaction that has exclusive access to the site.
 * @throws ApiError 409
 */
export async function requireAdministrator(tx: Tx, siteId: number): Promise<void> {
  if (await hasAdministrator(tx, siteId)) return;
  throw conflict(
    'This would leave the site without an administrator who can sign in. Give another user Manage Users and Manage Groups first.',
  );
}

/**
 * Returns an error at the path of each unknown group. If there is none, requires that the caller holds every capability
 * of the groups. The caller's capabilities are read in the transaction because they may have changed since the request
 * arrived.
 * @throws ApiError 403 if a group grants a capability that the caller does not hold
 */
export async function checkGrantableGroups(
  tx: Tx,
  caller: Caller,
  groupIds: readonly number[],
  getPath: (index: number) => string,
): Promise<FieldError[]> {
  const existing = await lockGroups(tx, caller.siteId, groupIds);
  const errors = groupIds.flatMap((id, index) =>
    existing.has(id) ? [] : [{ path: getPath(index), message: `group ${id} does not exist on this site` }],
  );
  if (errors.length === 0)
    requireCapabilities(
      await loadEffectiveCapabilities(tx, caller),
      [...existing.values()].flat(),
      'Changing these groups',
    );
  return errors;
}

/**
 * Requires that the target user has no capability that the caller lacks, before the caller changes how that user signs
 * in or locks the user out.
 * @throws ApiError 403
 */
export async function requireAuthorityOver(
  tx: Tx,
  caller: Caller,
  userId: number,
  action: string,
): Promise<void> {
  if (userId === caller.userId) return;
  requireCapabilities(
    await loadEffectiveCapabilities(tx, caller),
    await loadCapabilities(tx, caller.siteId, userId),
    action,
  );
  if (!(await isPlatformAdministrator(tx, userId))) return;
  // Capabilities on this site do not reflect rights on the platform, to which the account gives access.
  if (caller.acting || caller.isFederated || !(await isPlatformAdministrator(tx, caller.userId)))
    throw forbidden(`${action} requires a platform administrator, because this user is one`);
}

/**
 * Checks the groups that a user gains or loses and returns an error at `getPath(index)` for each unknown one. Any group
 * change requires Manage Groups in addition to Manage Users (contract, createUser).
 * @throws ApiError 403
 */
export async function checkGroups(
  tx: Tx,
  caller: Caller,
  groups: readonly number[],
  getPath: (index: number) => string,
) {
  if (groups.length === 0) return [];
  const held = await loadEffectiveCapabilities(tx, caller);
  requireCapabilities(held, ['Manage Groups'], 'Changing groups');
  return checkGrantableGroups(tx, caller, groups, getPath);
}

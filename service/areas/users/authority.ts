import type { Caller } from '../../kernel/auth/caller.ts';
import { capabilitiesOf } from '../../kernel/auth/store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { checkGrant, requireHeld } from '../sites/index.ts';

/** Nobody changes how somebody signs in, or shuts out, who may do more than they may. */
export async function requireAuthorityOver(
  tx: Tx,
  caller: Caller,
  userId: number,
  deed: string,
): Promise<void> {
  if (userId === caller.userId) return;
  requireHeld(
    await capabilitiesOf(tx, caller.siteId, caller.userId),
    await capabilitiesOf(tx, caller.siteId, userId),
    deed,
  );
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
  const held = await capabilitiesOf(tx, caller.siteId, caller.userId);
  requireHeld(held, ['Manage Groups'], 'Changing groups');
  return checkGrant(tx, caller, groups, pathOf);
}

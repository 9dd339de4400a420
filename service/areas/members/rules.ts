import type { Capability } from '../../../contract/generated/types.gen.ts';
import { findMissingCapabilities } from '../../../contract/rules/people/capabilities.ts';
import { conflict, forbidden, type FieldError } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import {
  hasAdministrator,
  loadEffectiveCapabilities,
  loadCapabilities,
} from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import type { ItemOutcome } from '../../kernel/jobs/job-kind.ts';
import { pickPlatformAdministrators } from '../sites/index.ts';
import { lockGroups } from './group-members.store.ts';
import type { StoredUser } from './users.store.ts';

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
  const message = describeMissingCapabilities(held, required, action);
  if (message !== undefined) throw forbidden(message);
}

/** The message for a caller who lacks some of the capabilities; undefined if none is missing. */
export function describeMissingCapabilities(
  held: ReadonlySet<Capability>,
  required: Iterable<Capability>,
  action: string,
): string | undefined {
  const missing = findMissingCapabilities([...held], [...new Set(required)]);
  return missing.length === 0
    ? undefined
    : `${action} needs capabilities that you do not hold: ${missing.join(', ')}`;
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
 * Why the caller may not change how users sign in, nor lock them out, by user id: they have a capability that the caller lacks, or
 * administer the platform. Users over whom the caller has authority are absent.
 */
export async function findMissingAuthority(
  tx: Tx,
  caller: Caller,
  userIds: readonly number[],
  action: string,
): Promise<ReadonlyMap<number, string>> {
  const others = userIds.filter((id) => id !== caller.userId);
  if (others.length === 0) return new Map();
  const [held, capabilities, administrators] = await Promise.all([
    loadEffectiveCapabilities(tx, caller),
    loadCapabilities(tx, caller.siteId, others),
    // Capabilities on this site do not reflect rights on the platform, to which the account gives access.
    pickPlatformAdministrators(tx, [...others, caller.userId]),
  ]);
  const isAdministrator = !caller.acting && !caller.isFederated && administrators.has(caller.userId);
  return new Map(
    others.flatMap((id) => {
      const missing = describeMissingCapabilities(held, capabilities.get(id) ?? [], action);
      if (missing !== undefined) return [[id, missing] as const];
      return administrators.has(id) && !isAdministrator
        ? [[id, `${action} requires a platform administrator, because this user is one`] as const]
        : [];
    }),
  );
}

/** Requires authority over a user. @throws ApiError 403 */
export async function requireAuthorityOver(
  tx: Tx,
  caller: Caller,
  userId: number,
  action: string,
): Promise<void> {
  const reason = (await findMissingAuthority(tx, caller, [userId], action)).get(userId);
  if (reason !== undefined) throw forbidden(reason);
}

/** Outcome of an item that would end the access of the owner, with whose rights the job makes the other changes. */
export const OWN_ACCESS = {
  state: 'failed',
  reason: 'A job cannot end the access of the person who started it',
} as const satisfies ItemOutcome;

/** What a plan for many users assumes of each, because somebody reviewed it. */
export interface ReviewedPlan {
  /** When the users were read for the review: who was changed later is skipped. */
  reviewedAt?: string | undefined;
  /** The user who changed all of them last, for an inverse: who was changed by anyone else is skipped. */
  lastModifiedBy?: number | undefined;
}

/** Why a user no longer matches the plan; undefined if the user does. */
export function findUserConflict(
  user: Pick<StoredUser, 'modifiedDate' | 'modifiedBy'> | undefined,
  { reviewedAt, lastModifiedBy }: ReviewedPlan,
): string | undefined {
  if (!user) return 'No longer on this site';
  const isChanged =
    lastModifiedBy === undefined
      ? reviewedAt !== undefined && Date.parse(user.modifiedDate) > Date.parse(reviewedAt)
      : user.modifiedBy !== lastModifiedBy;
  return isChanged ? 'Someone else changed this user in the meantime' : undefined;
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

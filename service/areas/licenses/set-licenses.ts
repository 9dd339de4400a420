import { getLicenseName, NO_LICENSE } from '../../../contract/rules/people/licenses.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { deleteSessionsAndTokens } from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { USER_LABELS } from '../../kernel/jobs/item-labels.store.ts';
import { defineJobKind, type ItemOutcome } from '../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../kernel/numbers.ts';
import {
  findMissingAuthority,
  findUserConflict,
  lockUsers,
  OWN_ACCESS,
  recordUserChanges,
  requireAdministrator,
  type ReviewedPlan,
  type StoredUser,
} from '../members/index.ts';
import * as store from './licenses.store.ts';

/** A locked user and the license that the user gets. */
interface LicenseChange {
  user: StoredUser;
  licenseTypeId: number;
}

/**
 * Gives users other licenses. Who loses the license loses access, so the caller needs authority over them, and the transaction
 * exclusive access to the site.
 * @throws ApiError 409 if no administrator with a license could sign in any more
 */
export async function setLicenses(
  tx: Tx,
  caller: Caller,
  changes: readonly LicenseChange[],
  record: Recorder,
): Promise<void> {
  if (changes.length === 0) return;
  await store.setLicenses(
    tx,
    caller.siteId,
    changes.map(({ user, licenseTypeId }) => ({ userId: user.id, licenseTypeId })),
  );
  const revoked = changes.filter(({ licenseTypeId }) => licenseTypeId === NO_LICENSE);
  if (revoked.length > 0) {
    await deleteSessionsAndTokens(
      tx,
      caller.siteId,
      revoked.map(({ user }) => user.id),
    );
    await requireAdministrator(tx, caller.siteId);
  }
  await recordUserChanges(
    tx,
    caller,
    changes.map(({ user }) => user),
    'license.change',
    record,
  );
}

/** Job that changes the licenses of users. */
export const licensesJob = defineJobKind<ReviewedPlan, { userId: number; licenseTypeId: number }>({
  kind: 'licenses.change',
  operation: 'startLicenseChanges',
  itemSchema: 'LicenseChange',
  uniqueBy: 'userId',
  labels: USER_LABELS,
  async describe(_context, _parameters, items) {
    const [first, ...others] = await items.listDistinct('licenseTypeId');
    const licenses = pluralize(items.length, 'license', 'licenses');
    return others.length > 0
      ? `Change ${licenses}`
      : `Set ${licenses} to ${getLicenseName(first?.licenseTypeId)}`;
  },
  // Any item may revoke a license.
  locksSite: () => true,
  async run({ tx, caller, record, parameters, items }) {
    const ids = items.map(({ userId }) => userId);
    const users = new Map((await lockUsers(tx, caller.siteId, ids)).map((user) => [user.id, user]));
    const revokedIds = items.flatMap((item) => (item.licenseTypeId === NO_LICENSE ? [item.userId] : []));
    const refusals = await findMissingAuthority(tx, caller, revokedIds, 'Revoking the license of this user');
    const changes: LicenseChange[] = [];
    const outcomes = items.map(({ userId, licenseTypeId }): ItemOutcome => {
      const user = users.get(userId);
      const conflict = findUserConflict(user, parameters);
      if (!user || conflict !== undefined) return { state: 'conflict', reason: conflict ?? '' };
      if (user.licenseTypeId === licenseTypeId) return { state: 'unchanged' };
      const refusal = licenseTypeId === NO_LICENSE ? refusals.get(userId) : undefined;
      if (refusal !== undefined) return { state: 'failed', reason: refusal };
      if (licenseTypeId === NO_LICENSE && userId === caller.userId) return OWN_ACCESS;
      changes.push({ user, licenseTypeId });
      return { state: 'done', before: { licenseTypeId: user.licenseTypeId } };
    });
    await setLicenses(tx, caller, changes, record);
    return outcomes;
  },
  invert: (_parameters, done) => ({
    kind: 'licenses.change',
    parameters: {},
    items: done.map(({ input, before }) => ({ userId: input.userId, ...before })),
  }),
});

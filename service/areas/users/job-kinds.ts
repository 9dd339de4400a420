import type { UserInfo } from '../../../contract/generated/types.gen.ts';
import { requireProofOfPresence } from '../../kernel/auth/authorize.ts';
import { deleteSessionsAndTokens, deleteSetPasswordLinks } from '../../kernel/auth/callers.store.ts';
import { defineJobKind, type ItemOutcome } from '../../kernel/jobs/job-kind.ts';
import {
  findMissingAuthority,
  findUserConflict,
  lockAccounts,
  lockUsers,
  recordUserChanges,
  requireAdministrator,
  type ReviewedPlan,
  type StoredUser,
} from '../members/index.ts';
import { isApprovedAddress } from '../sites/index.ts';
import { removeUser } from './remove.ts';
import * as store from './users.store.ts';

/** Switches that a job sets for all its users; two of them cannot be turned off (spec 3). */
type Switches = Pick<UserInfo, 'isActive' | 'twoFactorEnabled' | 'ipRestrictionsEnabled'>;
const SWITCHES = ['isActive', 'twoFactorEnabled', 'ipRestrictionsEnabled'] as const;

/** Job that activates or deactivates users, or turns on two-factor authentication or IP restrictions. */
export const usersJob = defineJobKind<ReviewedPlan & Switches, { userId: number }>({
  kind: 'users.update',
  operation: 'startUserUpdates',
  locksSite: ({ isActive, ipRestrictionsEnabled }) => isActive === false || ipRestrictionsEnabled === true,
  async run({ tx, caller, record, parameters, items, ip }) {
    const { isActive, twoFactorEnabled, ipRestrictionsEnabled } = parameters;
    const set: Switches = { isActive, twoFactorEnabled, ipRestrictionsEnabled };
    const { siteId } = caller;
    if (twoFactorEnabled || ipRestrictionsEnabled) requireProofOfPresence(caller);
    const ids = items.map(({ userId }) => userId);
    const users = new Map((await lockUsers(tx, siteId, ids)).map((user) => [user.id, user]));
    const refusals = await findMissingAuthority(tx, caller, ids, 'Changing how this user signs in');
    const isLockedOut =
      ipRestrictionsEnabled === true &&
      ids.includes(caller.userId) &&
      !(await isApprovedAddress(tx, siteId, ip));
    const changed: StoredUser[] = [];
    const outcomes = ids.map((id): ItemOutcome => {
      const user = users.get(id);
      const conflict = findUserConflict(user, parameters);
      if (!user || conflict !== undefined) return { state: 'conflict', reason: conflict ?? '' };
      if (SWITCHES.every((name) => set[name] === undefined || set[name] === user[name]))
        return { state: 'unchanged' };
      const refusal = refusals.get(id);
      if (refusal !== undefined) return { state: 'failed', reason: refusal };
      if (isLockedOut && id === caller.userId)
        return {
          state: 'failed',
          reason: `Would lock you out: ${ip} is not an approved address of this site`,
        };
      changed.push(user);
      return { state: 'done' };
    });
    if (changed.length === 0) return outcomes;
    const changedIds = changed.map((user) => user.id);
    await store.updateMemberships(tx, siteId, changedIds, set);
    if (isActive === false) {
      await deleteSessionsAndTokens(tx, siteId, changedIds);
      await deleteSetPasswordLinks(tx, changedIds, siteId);
    }
    if (isActive === false || ipRestrictionsEnabled) await requireAdministrator(tx, siteId);
    await recordUserChanges(tx, caller, changed, 'user.update', record);
    return outcomes;
  },
  invert({ isActive, twoFactorEnabled, ipRestrictionsEnabled }, done) {
    if (isActive === undefined || twoFactorEnabled || ipRestrictionsEnabled) return undefined;
    return {
      kind: 'users.update',
      parameters: { isActive: !isActive },
      items: done.map(({ input }) => input),
    };
  },
});

/** Job that removes users from the site. A removed user has to be added again, so there is no inverse (spec 4.2). */
export const removeUsersJob = defineJobKind<ReviewedPlan, { userId: number }>({
  kind: 'users.remove',
  operation: 'startUserRemovals',
  locksSite: () => true,
  async run({ tx, caller, record, parameters, items }) {
    const ids = items.map(({ userId }) => userId);
    await lockAccounts(tx, ids);
    const users = new Map((await lockUsers(tx, caller.siteId, ids)).map((user) => [user.id, user]));
    const refusals = await findMissingAuthority(tx, caller, ids, 'Removing this user');
    const outcomes: ItemOutcome[] = [];
    for (const id of ids) {
      const user = users.get(id);
      const conflict = findUserConflict(user, parameters);
      const refusal = refusals.get(id);
      if (!user || conflict !== undefined) outcomes.push({ state: 'conflict', reason: conflict ?? '' });
      else if (refusal !== undefined) outcomes.push({ state: 'failed', reason: refusal });
      else {
        await removeUser(tx, caller.siteId, user, record);
        outcomes.push({ state: 'done' });
      }
    }
    await requireAdministrator(tx, caller.siteId);
    return outcomes;
  },
});

import type { UserInfo } from '../../../contract/generated/types.gen.ts';
import { requireProofOfPresence } from '../../kernel/auth/authorize.ts';
import { deleteSessionsAndTokens, deleteSetPasswordLinks } from '../../kernel/auth/callers.store.ts';
import { USER_LABELS } from '../../kernel/jobs/item-labels.store.ts';
import { defineJobKind, type ItemOutcome } from '../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../kernel/numbers.ts';
import {
  findMissingAuthority,
  findUserConflict,
  lockAccounts,
  lockUsers,
  OWN_ACCESS,
  requireAdministrator,
  type ReviewedPlan,
  type StoredUser,
  updateAndRecordMemberships,
} from '../members/index.ts';
import { isApprovedAddress } from '../sites/index.ts';
import { removeUser } from './remove.ts';

/** What a job sets for all its users; two of them cannot be turned off (spec 3). */
type Switches = Pick<UserInfo, 'isActive' | 'twoFactorEnabled' | 'ipRestrictionsEnabled' | 'timeZone'>;
const SWITCHES = ['isActive', 'twoFactorEnabled', 'ipRestrictionsEnabled', 'timeZone'] as const;

/** A user, in an inverse with the time zone to restore and, if the job set both, the status that it replaced. */
interface UserItem {
  userId: number;
  timeZone?: string | null;
  isActive?: boolean;
}

const formatPeople = (items: { length: number }) => pluralize(items.length, 'person', 'people');

/** Job that activates or deactivates users, turns on two-factor authentication or IP restrictions, or sets time zones. */
export const usersJob = defineJobKind<ReviewedPlan & Switches, UserItem>({
  kind: 'users.update',
  operation: 'startUserUpdates',
  itemSchema: 'UserItem',
  uniqueBy: 'userId',
  labels: USER_LABELS,
  describe(_context, { isActive, twoFactorEnabled, ipRestrictionsEnabled, timeZone }, items) {
    const people = formatPeople(items);
    if (isActive !== undefined) return `${isActive ? 'Activate' : 'Deactivate'} ${people}`;
    if (twoFactorEnabled) return `Turn two-factor on for ${people}`;
    if (ipRestrictionsEnabled) return `Turn approved addresses on for ${people}`;
    return timeZone === undefined
      ? `Change the time zone of ${people}`
      : `Set the time zone of ${people} to ${timeZone ?? "the site's"}`;
  },
  locksSite: ({ isActive, ipRestrictionsEnabled }) => isActive === false || ipRestrictionsEnabled === true,
  async run({ tx, caller, record, parameters, items, ip }) {
    const { isActive, twoFactorEnabled, ipRestrictionsEnabled } = parameters;
    const { siteId } = caller;
    if (twoFactorEnabled || ipRestrictionsEnabled) requireProofOfPresence(caller);
    const ids = items.map(({ userId }) => userId);
    const [users, refusals] = await Promise.all([
      lockUsers(tx, siteId, ids),
      findMissingAuthority(tx, caller, ids, 'Changing how this user signs in'),
    ]);
    const found = new Map(users.map((user) => [user.id, user]));
    const isLockedOut =
      ipRestrictionsEnabled === true &&
      ids.includes(caller.userId) &&
      !(await isApprovedAddress(tx, siteId, ip));
    const changed: StoredUser[] = [];
    const outcomes = items.map((item): ItemOutcome => {
      const id = item.userId;
      const set = getFields(parameters, item);
      const user = found.get(id);
      const conflict = findUserConflict(user, parameters);
      if (!user || conflict !== undefined) return { state: 'conflict', reason: conflict ?? '' };
      if (SWITCHES.every((name) => set[name] === undefined || set[name] === user[name]))
        return { state: 'unchanged' };
      const refusal = refusals.get(id);
      if (refusal !== undefined) return { state: 'failed', reason: refusal };
      if (set.isActive === false && id === caller.userId) return OWN_ACCESS;
      if (isLockedOut && id === caller.userId)
        return {
          state: 'failed',
          reason: `Would lock you out: ${ip} is not an approved address of this site`,
        };
      changed.push(user);
      if (set.timeZone === undefined) return { state: 'done' };
      const { timeZone } = user;
      return {
        state: 'done',
        before: isActive === undefined ? { timeZone } : { timeZone, isActive: user.isActive },
      };
    });
    if (changed.length === 0) return outcomes;
    const itemsByUser = new Map(items.map((item) => [item.userId, item]));
    const getFieldsOf = ({ id }: StoredUser) => getFields(parameters, itemsByUser.get(id) ?? { userId: id });
    const deactivatedIds = changed.filter((user) => getFieldsOf(user).isActive === false).map(({ id }) => id);
    const usersByFields = Map.groupBy(changed, (user) => JSON.stringify(getFieldsOf(user)));
    // One message: each statement sees what those before it have written.
    await Promise.all([
      ...[...usersByFields].map(([fields, sameUsers]) =>
        updateAndRecordMemberships(tx, caller, sameUsers, JSON.parse(fields) as Switches, record),
      ),
      ...(deactivatedIds.length > 0
        ? [
            deleteSessionsAndTokens(tx, siteId, deactivatedIds),
            deleteSetPasswordLinks(tx, deactivatedIds, siteId),
          ]
        : []),
      deactivatedIds.length > 0 || ipRestrictionsEnabled ? requireAdministrator(tx, siteId) : undefined,
    ]);
    return outcomes;
  },
  invert({ isActive, twoFactorEnabled, ipRestrictionsEnabled }, done) {
    if (twoFactorEnabled || ipRestrictionsEnabled) return undefined;
    return {
      kind: 'users.update',
      parameters: isActive === undefined ? {} : { isActive: !isActive },
      items: done.map(({ input, before }) => ({ userId: input.userId, ...before })),
    };
  },
});

/** The fields that a job sets for one user. An inverse leaves the status of a user alone if the job which it undoes had not changed it. */
const getFields = (
  { isActive, twoFactorEnabled, ipRestrictionsEnabled, timeZone }: Switches,
  item: UserItem,
): Switches => ({
  isActive: item.isActive === undefined || item.isActive === isActive ? isActive : undefined,
  twoFactorEnabled,
  ipRestrictionsEnabled,
  timeZone: item.timeZone === undefined ? timeZone : item.timeZone,
});

/** Job that removes users from the site. A removed user has to be added again, so there is no inverse (spec 4.2). */
export const removeUsersJob = defineJobKind<ReviewedPlan, { userId: number }>({
  kind: 'users.remove',
  operation: 'startUserRemovals',
  itemSchema: 'UserItem',
  uniqueBy: 'userId',
  labels: USER_LABELS,
  describe: (_context, _parameters, items) => `Remove ${formatPeople(items)}`,
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
      else if (id === caller.userId) outcomes.push(OWN_ACCESS);
      else {
        await removeUser(tx, caller.siteId, user, record);
        outcomes.push({ state: 'done' });
      }
    }
    await requireAdministrator(tx, caller.siteId);
    return outcomes;
  },
});

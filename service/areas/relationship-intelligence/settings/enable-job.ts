import { USER_LABELS } from '../../../kernel/jobs/item-labels.store.ts';
import { defineJobKind, type ItemOutcome } from '../../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../../kernel/numbers.ts';
import { setEnabled } from './users.store.ts';

/** Job that enables users for relationship scoring, or disables them. */
export const enableUsersJob = defineJobKind<{ isEnabled: boolean }, { userId: number }>({
  kind: 'relationships.enable',
  operation: 'startRelationshipUserChanges',
  itemSchema: 'UserItem',
  uniqueBy: 'userId',
  labels: USER_LABELS,
  locksSite: () => false,
  describe: (_context, { isEnabled }, items) =>
    `${isEnabled ? 'Enable' : 'Disable'} ${pluralize(items.length, 'person', 'people')} for relationship scoring`,
  async run({ tx, caller, record, parameters: { isEnabled }, items }) {
    const ids = items.map(({ userId }) => userId);
    const members = await setEnabled(tx, caller.siteId, ids, isEnabled);
    return ids.map((userId): ItemOutcome => {
      const changed = members.get(userId);
      if (changed === undefined) return { state: 'conflict', reason: 'The user is not a member of the site' };
      if (!changed) return { state: 'unchanged' };
      record({
        action: 'user.relationships',
        subject: ['user', userId],
        changes: { isEnabled: [!isEnabled, isEnabled] },
      });
      return { state: 'done', before: { isEnabled: !isEnabled } };
    });
  },
  invert: ({ isEnabled }, done) => ({
    kind: 'relationships.enable',
    parameters: { isEnabled: !isEnabled },
    items: done.map(({ input }) => ({ userId: input.userId })),
  }),
});

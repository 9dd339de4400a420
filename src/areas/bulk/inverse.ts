import type { BulkAction, BulkRequest } from './actions.ts';
import { groupsOf } from './person.ts';
import type { Change } from './person.ts';

/**
 * What brings everybody back to where they were before; undefined where nothing does: two-factor authentication and
 * approved addresses cannot be turned off (spec 3), and a removed person has to be added again (spec 4.2).
 */
export function inverse(changes: readonly Change[]): BulkRequest | undefined {
  const [first] = changes;
  const action = first && inverseAction(first, changes);
  return action && { action, userIds: changes.map(({ person }) => person.id) };
}

function inverseAction({ person, after }: Change, changes: readonly Change[]): BulkAction | undefined {
  if (!after || person.twoFactor !== after.twoFactor || person.approvedAddresses !== after.approvedAddresses)
    return undefined;
  if (person.isActive !== after.isActive) return { kind: person.isActive ? 'activate' : 'deactivate' };
  if (person.licenseTypeId !== after.licenseTypeId)
    return {
      kind: 'licenses',
      each: changes.flatMap(({ person: { id, licenseTypeId } }) =>
        licenseTypeId === undefined ? [] : [{ userId: id, licenseTypeId }],
      ),
    };
  const pairs = (which: 'added' | 'removed') =>
    changes.flatMap((change) =>
      groupsOf(change)[which].map((groupId) => ({ userId: change.person.id, groupId })),
    );
  return { kind: 'pairs', add: pairs('removed'), remove: pairs('added') };
}

import type { Field } from './fields.ts';
import type { Fault, Permissions } from './plan.ts';

// A request takes so many (NewUserInfo, UsersToUserGroupRequestVm).
const MOST_GROUPS = 1000;

export const tooManyGroups = (groups: readonly number[]): Fault[] =>
  groups.length > MOST_GROUPS
    ? [{ field: 'groups', message: `Are ${groups.length}; at most ${MOST_GROUPS} are possible at once` }]
    : [];

/** What is needed and not allowed, with the sentence that says what is missing. */
export function refusals(
  needed: readonly { what: keyof Permissions; field: Field; when: boolean }[],
  may: Permissions,
): Fault[] {
  return needed.flatMap(({ what, field, when }) => {
    const message = when ? may[what] : undefined;
    return message === undefined ? [] : [{ field, message }];
  });
}

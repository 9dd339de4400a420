import type { Field } from './fields.ts';
import type { Fault } from '../../import/plan.ts';
import type { Checking, Permissions } from './plan.ts';
import { quoted } from '../../../files/read.ts';

// A request takes so many (NewUserInfo, UsersToUserGroupRequestVm).
const MOST_GROUPS = 1000;

export const tooManyGroups = (groups: readonly number[]): Fault[] =>
  groups.length > MOST_GROUPS
    ? [{ field: 'groups', message: `Are ${groups.length}; at most ${MOST_GROUPS} are possible at once` }]
    : [];

/** Groups whose capabilities the importer does not hold: the service refuses whoever is put in or taken out (T05). */
export const barredGroups = (groups: readonly number[], { barred, book }: Checking): Fault[] =>
  groups.flatMap((id) => {
    const lacks = barred.get(id);
    if (lacks === undefined) return [];
    return [{ field: 'groups', message: `${quoted(book.nameOf(id))} gives ${lacks}, which you do not have` }];
  });

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

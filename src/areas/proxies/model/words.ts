import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import type { Mark } from './marks.ts';
import { count } from '../../../lib/numbers.ts';

const and = new Intl.ListFormat('en');

/** "Ada Okafor, Grace Lund and 12 more": names as far as a sentence bears them. */
export function namesOf(people: readonly Pick<ProxyPerson, 'fullName'>[], most = 6): string {
  const names = people.slice(0, most).map(({ fullName }) => fullName);
  const more = people.length - names.length;
  return and.format(more > 0 ? [...names, `${count(more)} more`] : names);
}

const SHORT: Record<Mark, string> = { cycle: 'Cycle', inactive: 'Inactive', noTwoFactor: 'No 2FA' };

/** Marks where there is little room: "Cycle · No 2FA". */
export const shortMarks = (marks: readonly Mark[]): string => marks.map((mark) => SHORT[mark]).join(' · ');

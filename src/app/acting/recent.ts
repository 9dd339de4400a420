import type { Holder } from '../../api/session-gate.ts';

const KEY = 'steward-acted-for';
const MOST = 5;
const keyOf = ({ siteId, userId }: Holder) => `${KEY}-${siteId}-${userId}`;

/** For whom this person acted last in this browser, the last first; ids alone are kept. */
export function recentlyActedFor(holder: Holder): readonly number[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(holder)) ?? '[]');
    return Array.isArray(kept) ? kept.filter((id) => typeof id === 'number') : [];
  } catch {
    // Somebody else's text under this key, or a browser that keeps nothing.
    return [];
  }
}

/** Notes whom somebody acts for from now on. */
export function noteActedFor(holder: Holder, principalId: number): void {
  const others = recentlyActedFor(holder).filter((id) => id !== principalId);
  try {
    localStorage.setItem(keyOf(holder), JSON.stringify([principalId, ...others].slice(0, MOST)));
  } catch {
    // It is only an order.
  }
}

/** Those acted for recently first, then by name. */
export function recentFirst<Person extends { id: number; fullName: string }>(
  people: readonly Person[],
  recent: readonly number[],
): Person[] {
  const rank = ({ id }: Person) => (recent.includes(id) ? recent.indexOf(id) : MOST);
  return people.toSorted((a, b) => rank(a) - rank(b) || a.fullName.localeCompare(b.fullName));
}

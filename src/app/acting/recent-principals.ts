import type { SessionIdentity } from '../../api/session-state.ts';
import { saveLocally } from '../../lib/local-storage.ts';

const STORAGE_KEY_PREFIX = 'steward-acted-for';
const MAX_RECENT = 5;
const getStorageKey = ({ siteId, userId }: SessionIdentity) => `${STORAGE_KEY_PREFIX}-${siteId}-${userId}`;

/** Loads the ids of the principals a user acted for in this browser, most recent first. */
export function loadRecentPrincipals(identity: SessionIdentity): readonly number[] {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(getStorageKey(identity)) ?? '[]');
    return Array.isArray(stored) ? stored.filter((id) => typeof id === 'number') : [];
  } catch {
    // Invalid content or unavailable storage.
    return [];
  }
}

/** Saves the principal a user starts to act for. */
export function saveRecentPrincipal(identity: SessionIdentity, principalId: number): void {
  const others = loadRecentPrincipals(identity).filter((id) => id !== principalId);
  saveLocally(getStorageKey(identity), JSON.stringify([principalId, ...others].slice(0, MAX_RECENT)));
}

/** Sorts recent principals first, then by name. */
export function sortRecentFirst<Person extends { id: number; fullName: string }>(
  people: readonly Person[],
  recent: readonly number[],
): Person[] {
  const rank = ({ id }: Person) => (recent.includes(id) ? recent.indexOf(id) : MAX_RECENT);
  return people.toSorted((a, b) => rank(a) - rank(b) || a.fullName.localeCompare(b.fullName));
}

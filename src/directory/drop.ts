import type { Holder } from '../api/session-gate.ts';

/** Where the browser keeps the directory between visits. */
export const DATABASE = 'steward-directory';

// Says whose directory is kept, so that nobody has to open it to find out.
const MARK = 'steward-directory-of';
const markOf = ({ siteId, userId, reportId }: Holder) => `${siteId}/${userId}/${reportId ?? 0}`;

/** Notes that from now on this person's directory of this site is kept. */
export function keepFor(holder: Holder): void {
  try {
    localStorage.setItem(MARK, markOf(holder));
  } catch {
    // A browser that keeps nothing keeps no directory either.
  }
}

/** Removes what is kept, at sign-out. Open tabs give it up as soon as they are asked. */
export function dropDirectory(): Promise<void> {
  return new Promise((resolve) => {
    try {
      localStorage.removeItem(MARK);
      const request = indexedDB.deleteDatabase(DATABASE);
      request.addEventListener('success', () => resolve());
      request.addEventListener('error', () => resolve());
    } catch {
      resolve();
    }
  });
}

/** Removes what somebody else, or the same person on another site or in another name, has left. */
export function dropOthers(holder: Holder): void {
  const mark = localStorage.getItem(MARK);
  if (mark !== null && mark !== markOf(holder)) void dropDirectory();
}

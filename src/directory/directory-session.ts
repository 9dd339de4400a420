import type { QueryClient } from '@tanstack/react-query';
import type { SessionIdentity } from '../api/session-state.ts';

/** The session whose directory the page shows, and the query cache. */
interface DirectorySession {
  client: QueryClient;
  identity: SessionIdentity;
}

let current = Promise.withResolvers<DirectorySession>();
let isSet = false;

/** Resolves with the current session as soon as it is known. */
export const getDirectorySession = (): Promise<DirectorySession> => current.promise;

/** Sets the session whose directory is used. Reads nothing, but deletes a stored directory of another session. */
export function setDirectorySession(session: DirectorySession): void {
  deleteForeignDirectory(session.identity);
  if (isSet) current = Promise.withResolvers<DirectorySession>();
  isSet = true;
  current.resolve(session);
}

/** IndexedDB database that stores the directory between visits. */
export const DATABASE_NAME = 'steward-directory';

// Holds the owner of the stored directory, so that the database need not be opened to find out.
const OWNER_KEY = 'steward-directory-of';
const formatOwner = ({ siteId, userId, reportId }: SessionIdentity) => `${siteId}/${userId}/${reportId ?? 0}`;

/** Records the owner of the directory that is stored from now on. */
export function recordDirectoryOwner(identity: SessionIdentity): void {
  try {
    localStorage.setItem(OWNER_KEY, formatOwner(identity));
  } catch {
    // Without local storage there is no stored directory either.
  }
}

/** Deletes the stored directory, at sign-out. Open tabs close it when the browser notifies them. */
export function deleteStoredDirectory(): Promise<void> {
  return new Promise((resolve) => {
    try {
      localStorage.removeItem(OWNER_KEY);
      const request = indexedDB.deleteDatabase(DATABASE_NAME);
      request.addEventListener('success', () => resolve());
      request.addEventListener('error', () => resolve());
    } catch {
      resolve();
    }
  });
}

/** Deletes a stored directory of another user, site or acting identity. */
function deleteForeignDirectory(identity: SessionIdentity): void {
  const owner = localStorage.getItem(OWNER_KEY);
  if (owner !== null && owner !== formatOwner(identity)) void deleteStoredDirectory();
}

import { saveForTab } from '../../lib/local-storage.ts';

/** A sign-in at an identity manager, stored in this tab so that only the tab that started it can finish it. */
const STORAGE_KEY = 'steward-sign-in';

interface IdentitySignIn {
  state: string;
  secret: string;
  next: string;
  site: string;
}

/** Saves a sign-in before the redirect. @returns false if this browser cannot store it, so that it could not be finished */
export const saveIdentitySignIn = (underWay: IdentitySignIn): boolean =>
  saveForTab(STORAGE_KEY, JSON.stringify(underWay));

const isIdentitySignIn = (value: unknown): value is IdentitySignIn =>
  typeof value === 'object' &&
  value !== null &&
  ['state', 'secret', 'next', 'site'].every((name) => typeof Reflect.get(value, name) === 'string');

/** Removes and returns the saved sign-in, so that it can be finished only once. */
export function takeIdentitySignIn(): IdentitySignIn | undefined {
  const stored = sessionStorage.getItem(STORAGE_KEY);
  sessionStorage.removeItem(STORAGE_KEY);
  const value: unknown = stored === null ? undefined : JSON.parse(stored);
  return isIdentitySignIn(value) ? value : undefined;
}

/** A sign-in that has gone to an identity manager: kept in this tab, so that one begun elsewhere is none of its. */
const KEY = 'steward-sign-in';

interface UnderWay {
  state: string;
  secret: string;
  next: string;
  site: string;
}

export const keepUnderWay = (underWay: UnderWay): void =>
  sessionStorage.setItem(KEY, JSON.stringify(underWay));

const isUnderWay = (value: unknown): value is UnderWay =>
  typeof value === 'object' &&
  value !== null &&
  ['state', 'secret', 'next', 'site'].every((name) => typeof Reflect.get(value, name) === 'string');

/** Takes it: what comes back a second time belongs to nothing. */
export function takeUnderWay(): UnderWay | undefined {
  const kept = sessionStorage.getItem(KEY);
  sessionStorage.removeItem(KEY);
  const value: unknown = kept === null ? undefined : JSON.parse(kept);
  return isUnderWay(value) ? value : undefined;
}

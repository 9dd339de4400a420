import { stale } from './errors.ts';

/** The strong entity tag of one version of a resource. */
export const etagOf = (version: number): string => `"${version}"`;

/** Refuses a write whose If-Match names another version (shapes 1); without the header the last write wins. */
export function requireVersion(ifMatch: string | undefined, version: number, what: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return;
  const named = ifMatch.split(',').map((tag) => tag.trim());
  if (!named.includes(etagOf(version))) throw stale(what);
}

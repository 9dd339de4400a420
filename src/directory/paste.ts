import { fold } from '../lib/fold.ts';
import type { DirectoryRow } from './row.ts';

/** Who is meant by a pasted text. */
export interface Resolved {
  /** Entries that mean one person each. */
  matched: { entry: string; ids: number[] }[];
  /** Names that several people have. */
  ambiguous: { entry: string; ids: number[] }[];
  unknown: string[];
}

const CELLS = /[\n\r\t,;]+/;
const WHOLE = /^\d{1,10}$/;

/** Reads ids, e-mail addresses and names parted by lines, tabs, commas or semicolons. */
export function resolvePasted(text: string, rows: Iterable<DirectoryRow>): Resolved {
  const known = new Map<string, number[]>();
  for (const { id, foldedEmail, foldedName } of rows)
    for (const key of [String(id), foldedEmail, foldedName]) known.set(key, [...(known.get(key) ?? []), id]);
  const resolved: Resolved = { matched: [], ambiguous: [], unknown: [] };
  for (const cell of text.split(CELLS)) {
    const entry = cell.trim();
    if (entry === '') continue;
    const ids = known.get(WHOLE.test(entry) ? String(Number(entry)) : fold(entry));
    if (!ids) resolved.unknown.push(entry);
    else (ids.length === 1 ? resolved.matched : resolved.ambiguous).push({ entry, ids });
  }
  return resolved;
}

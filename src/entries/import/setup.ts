import type { OpenedFile } from '../../import/board.ts';
import { ENTRY_ID } from '../export/headings.ts';
import type { Field } from '../schema.ts';
import { guessRules } from './rules.ts';
import type { Rules } from './rules.ts';
import { guessMapping, keyFields } from './targets.ts';
import type { Mapping } from './targets.ts';

/** What is chosen for a file of entries. */
export interface Setup {
  mapping: Mapping;
  rules: Rules;
  /** What tells entries apart: `EntryId`, the apiName of a field, or nothing, where all rows are new. */
  key: string;
}

const placeOf = (typeId: number): string => `steward-entries-import-${typeId}`;
const sign = (headings: readonly string[]): string => headings.join('\n');

/** What entries can be told apart by: what the file has of it. */
export const keysIn = (mapping: Mapping, fields: readonly Field[]): readonly string[] => [
  ...(mapping.includes(ENTRY_ID) ? [ENTRY_ID] : []),
  ...keyFields(fields)
    .map(({ apiName }) => apiName)
    .filter((name) => mapping.includes(name)),
];

/** The key that was chosen, while the file has it; else its ids, else that all rows are new. */
export const keyFor = (
  { mapping, key }: Pick<Setup, 'mapping' | 'key'>,
  fields: readonly Field[],
): string => {
  const keys = keysIn(mapping, fields);
  return key === '' || keys.includes(key) ? key : keys[0] === ENTRY_ID ? ENTRY_ID : '';
};

interface Kept {
  headings: string;
  mapping: (string | null)[];
  rules: Partial<Rules>;
  key: string;
}

const isKept = (value: unknown): value is Kept =>
  typeof value === 'object' &&
  value !== null &&
  'headings' in value &&
  typeof value.headings === 'string' &&
  'mapping' in value &&
  Array.isArray(value.mapping) &&
  'rules' in value &&
  typeof value.rules === 'object' &&
  'key' in value &&
  typeof value.key === 'string';

function keptFor(typeId: number, headings: readonly string[]): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(typeId)) ?? '');
    return isKept(kept) && kept.headings === sign(headings) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what was chosen for the next file with these headings. */
export function keepSetup(typeId: number, headings: readonly string[], { mapping, rules, key }: Setup): void {
  const kept: Kept = { headings: sign(headings), mapping: mapping.map((one) => one ?? null), rules, key };
  localStorage.setItem(placeOf(typeId), JSON.stringify(kept));
}

/** How a file is read at first: as one with these headings was last, else as it looks. */
export function setUp(typeId: number, file: OpenedFile, fields: readonly Field[]): Setup {
  const guessed = guessMapping(file.headings, fields);
  const rules = guessRules(file, fields);
  const kept = keptFor(typeId, file.headings);
  const saysZone = rules.zone !== 'UTC' || file.headings.some((heading) => /\(UTC\)\s*$/.test(heading));
  const known = new Set([ENTRY_ID, ...fields.map(({ apiName }) => apiName)]);
  const mapping = kept
    ? kept.mapping.map((one) => (one !== null && known.has(one.split('#')[0] ?? '') ? one : undefined))
    : guessed;
  return {
    mapping,
    // What numbers and zones the file itself shows goes before what was chosen for another one.
    rules: { ...rules, ...kept?.rules, ...(saysZone && { zone: rules.zone }), decimal: rules.decimal },
    key: keyFor({ mapping, key: kept?.key ?? ENTRY_ID }, fields),
  };
}

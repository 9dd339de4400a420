import type { OpenedFile } from '../../import/board.ts';
import { ENTRY_ID } from '../export/headings.ts';
import type { Field } from '../model/schema.ts';
import { guessRules } from './rules.ts';
import type { Rules } from './rules.ts';
import { guessMapping, keyFields, targetsOf } from './targets.ts';
import type { Mapping } from './targets.ts';

/** What is chosen for a file of entries. */
export interface Setup {
  mapping: Mapping;
  rules: Rules;
  /** What tells entries apart: `EntryId`, the apiName of a field, or nothing, where all rows are new. */
  key: string;
}

const placeOf = (typeId: number): string => `steward-entries-import-${typeId}`;

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

/** What was chosen for the last file of a type. */
interface Kept {
  /** What its columns held, by their headings; null for those that were passed over. */
  columns: Readonly<Record<string, unknown>>;
  rules: Partial<Rules>;
  key: string;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isKept = (value: unknown): value is Kept =>
  isObject(value) &&
  'columns' in value &&
  isObject(value.columns) &&
  'rules' in value &&
  isObject(value.rules) &&
  'key' in value &&
  typeof value.key === 'string';

function keptFor(typeId: number): Kept | undefined {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(placeOf(typeId)) ?? '');
    return isKept(kept) ? kept : undefined;
  } catch {
    return undefined;
  }
}

/** Keeps what was chosen for the next file whose columns are called so. */
export function keepSetup(typeId: number, headings: readonly string[], { mapping, rules, key }: Setup): void {
  const columns = Object.fromEntries(headings.map((heading, at) => [heading, mapping[at] ?? null]));
  const kept: Kept = { columns, rules, key };
  localStorage.setItem(placeOf(typeId), JSON.stringify(kept));
}

/** Columns as they were last, else as they are called; each target once. */
function mappingOf(headings: readonly string[], fields: readonly Field[], kept: Kept | undefined): Mapping {
  const guessed = guessMapping(headings, fields);
  const columns = new Map(Object.entries(kept?.columns ?? {}));
  const known = new Set(targetsOf(fields).map(({ key }) => key));
  const taken = new Set<string>();
  return headings.map((heading, at) => {
    const before = columns.get(heading);
    const key =
      typeof before === 'string' && known.has(before) ? before : before === null ? undefined : guessed[at];
    if (key === undefined || taken.has(key)) return undefined;
    taken.add(key);
    return key;
  });
}

/** How a file is read at first: as one with these headings was last, else as it looks. */
export function setUp(typeId: number, file: OpenedFile, fields: readonly Field[]): Setup {
  const { headings } = file;
  const rules = guessRules(file, fields);
  const kept = keptFor(typeId);
  const mapping = mappingOf(headings, fields, kept);
  const saysZone = rules.zone !== 'UTC' || headings.some((heading) => /\(UTC\)\s*$/.test(heading));
  // Exports, workbooks and JSON write a point, whatever was chosen for another file.
  const saysDecimal = rules.decimal === 'comma' || file.source.kind !== 'text' || headings.includes(ENTRY_ID);
  const isSame = kept !== undefined && headings.every((heading) => Object.hasOwn(kept.columns, heading));
  // What numbers and zones the file itself shows goes before what was chosen for another one.
  const own = { ...(saysDecimal && { decimal: rules.decimal }), ...(saysZone && { zone: rules.zone }) };
  return {
    mapping,
    rules: { ...rules, ...(isSame && kept.rules), ...own },
    key: keyFor({ mapping, key: isSame ? kept.key : ENTRY_ID }, fields),
  };
}

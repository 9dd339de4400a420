import type { NewEntryTypeInfo } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FIELD, holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import type { OpenedFile } from '../../../files/import-plan/plan-store.ts';
import { saveLocally } from '../../../lib/local-storage.ts';
import { suggestApiName } from '../../../lib/text/api-names.ts';
import type { Field } from '../model/schema.ts';
import { guessTypeNames } from './guess-field.ts';
import type { ColumnGuess } from './guess-field.ts';
import { getGuessedRules, guessNewFields } from './new-fields.ts';
import type { NewFields } from './new-fields.ts';
import { parseNumber } from './parse-row.ts';
import type { ParseRules } from './parse-row.ts';
import { guessMapping, getKeyFields, getColumnTargets, guessZone } from './targets.ts';
import type { Mapping } from './targets.ts';

/** Setup chosen for a file of entries. */
export interface EntryImportSetup {
  mapping: Mapping;
  rules: ParseRules;
  /** Identifies existing entries: `EntryId`, the apiName of a field, or empty if all rows are new. */
  key: string;
  /** Fields to create for columns, which have no target in the mapping. */
  newFields: NewFields;
  /** Names of the type that the import creates; absent if it exists. */
  newType?: NewEntryTypeInfo | undefined;
}

const getStorageKey = (typeId: number): string => `steward-entries-import-${typeId}`;

/** Keys available in the file. */
export const getAvailableKeys = (mapping: Mapping, fields: readonly Field[]): readonly string[] => [
  ...(mapping.includes(ENTRY_ID) ? [ENTRY_ID] : []),
  ...getKeyFields(fields)
    .map(({ apiName }) => apiName)
    .filter((name) => mapping.includes(name)),
];

/** The chosen key if the file has it; otherwise ids, otherwise none. */
export const resolveKey = (
  { mapping, key }: Pick<EntryImportSetup, 'mapping' | 'key'>,
  fields: readonly Field[],
): string => {
  const keys = getAvailableKeys(mapping, fields);
  return key === '' || keys.includes(key) ? key : keys[0] === ENTRY_ID ? ENTRY_ID : '';
};

/** Setup of the last file of a type, as stored in the browser. */
interface StoredSetup {
  /** Targets by heading; null for ignored columns. */
  columns: Readonly<Record<string, unknown>>;
  rules: Partial<ParseRules>;
  key: string;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isStoredSetup = (value: unknown): value is StoredSetup =>
  isObject(value) &&
  'columns' in value &&
  isObject(value.columns) &&
  'rules' in value &&
  isObject(value.rules) &&
  'key' in value &&
  typeof value.key === 'string';

function loadStoredSetup(typeId: number): StoredSetup | undefined {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(getStorageKey(typeId)) ?? '');
    return isStoredSetup(stored) ? stored : undefined;
  } catch {
    return undefined;
  }
}

/** Stores the setup for the next file with the same headings. */
export function saveSetup(
  typeId: number,
  headings: readonly string[],
  { mapping, rules, key }: Pick<EntryImportSetup, 'mapping' | 'rules' | 'key'>,
): void {
  const targets = headings.map((heading, at) => [heading, mapping[at] ?? null] as const);
  // Headings may repeat, and a field belongs to one of the columns.
  const columns = Object.fromEntries([...targets, ...targets.filter(([, target]) => target !== null)]);
  const stored: StoredSetup = { columns, rules, key };
  saveLocally(getStorageKey(typeId), JSON.stringify(stored));
}

/** Targets from the stored setup, otherwise from the headings; each target once. */
function mappingOf(
  headings: readonly string[],
  fields: readonly Field[],
  stored: StoredSetup | undefined,
): Mapping {
  const guessed = guessMapping(headings, fields);
  const columns = new Map(Object.entries(stored?.columns ?? {}));
  const existing = new Set(getColumnTargets(fields).map(({ key }) => key));
  const taken = new Set<string>();
  return headings.map((heading, at) => {
    const before = columns.get(heading);
    const key =
      typeof before === 'string' && existing.has(before) ? before : before === null ? undefined : guessed[at];
    if (key === undefined || taken.has(key)) return undefined;
    taken.add(key);
    return key;
  });
}

/** Initial setup of a file: as stored for these headings, otherwise guessed. */
export function createSetup(
  typeId: number,
  file: OpenedFile,
  fields: readonly Field[],
  guesses: readonly ColumnGuess[] = [],
): EntryImportSetup {
  const { headings } = file;
  const rules = guessRules(file, fields, guesses);
  const stored = loadStoredSetup(typeId);
  const mapping = mappingOf(headings, fields, stored);
  const saysZone = rules.zone !== 'UTC' || headings.some((heading) => /\(UTC\)\s*$/.test(heading));
  // Exports, workbooks and JSON use a decimal point, whatever was stored.
  const saysDecimal = rules.decimal === 'comma' || file.source.kind !== 'text' || headings.includes(ENTRY_ID);
  const isSame = stored !== undefined && headings.every((heading) => Object.hasOwn(stored.columns, heading));
  // Numbers and zones of the file take precedence over the stored setup.
  const own = { ...(saysDecimal && { decimal: rules.decimal }), ...(saysZone && { zone: rules.zone }) };
  return {
    mapping,
    rules: { ...rules, ...(isSame && stored.rules), ...own },
    key: resolveKey({ mapping, key: isSame ? stored.key : ENTRY_ID }, fields),
    newFields: {},
  };
}

/** Initial setup of a file that becomes a type of its own: a field for each column. */
export function createTypeSetup(
  file: OpenedFile,
  guesses: readonly ColumnGuess[],
  fileName: string,
): EntryImportSetup {
  const { source, headings } = file;
  const sheet =
    source.kind === 'workbook' && source.sheets.length > 1 ? source.sheets[source.sheet]?.name : undefined;
  const names = guessTypeNames(sheet ?? fileName);
  const decimal = source.kind === 'text' ? {} : ({ decimal: 'point' } as const);
  return {
    mapping: headings.map(() => undefined),
    rules: { ...guessRules(file, []), ...getGuessedRules(guesses), ...decimal },
    key: '',
    newFields: guessNewFields(headings, guesses),
    newType: { ...names, apiName: suggestApiName(names.singularName) || 'Entry' },
  };
}

const COMMA_NUMBER = /^-?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$/;

/** Numbers such as 1,234 have a decimal comma only where semicolons separate the columns. @returns whether the number has one */
const hasDecimalComma = (value: string, { source }: OpenedFile): boolean =>
  COMMA_NUMBER.test(value) &&
  ((source.kind === 'text' && source.separator === ';') ||
    'error' in parseNumber(value, { decimal: 'point' }));

const MONTH_FIRST = /^(?:0?[1-9]|1[0-2])[/.-](?:1[3-9]|2\d|3[01])[/.-]\d{4}/;

const isDate = ({ fieldType }: Field): boolean => fieldType === FIELD.date;
const isNumber = (field: Field): boolean => field.fieldType === FIELD.number || holdsMoney(field);

/** Values of columns that seem to hold matching fields: some of many rows, or the first ones. */
function getSampleValues(
  { headings, samples }: OpenedFile,
  fields: readonly Field[],
  guesses: readonly ColumnGuess[],
  isMeant: (field: Field) => boolean,
): string[] {
  const matchingNames = new Set(fields.filter(isMeant).map(({ apiName }) => apiName));
  return guessMapping(headings, fields).flatMap((key, at) =>
    key !== undefined && matchingNames.has(key)
      ? (guesses[at]?.sample ?? (samples[at] ?? '').split(' · '))
      : [],
  );
}

/** Guesses the rules from the headings and values. */
export function guessRules(
  file: OpenedFile,
  fields: readonly Field[],
  guesses: readonly ColumnGuess[] = [],
): ParseRules {
  const numbers = file.source.kind === 'text' ? getSampleValues(file, fields, guesses, isNumber) : [];
  const dates = getSampleValues(file, fields, guesses, isDate);
  const areMonthsFirst = guessMapping(file.headings, fields).some(
    (key, at) =>
      guesses[at]?.dates === 'mdy' && fields.some((field) => field.apiName === key && isDate(field)),
  );
  return {
    decimal: numbers.some((value) => hasDecimalComma(value, file)) ? 'comma' : 'point',
    dates: areMonthsFirst || dates.some((value) => MONTH_FIRST.test(value)) ? 'mdy' : 'dmy',
    zone: guessZone(file.headings, fields),
    empty: 'keep',
    near: 'refuse',
    choices: 'add',
  };
}

/** Keys of the targets to which this browser assigned the columns of the last file of a type. */
export const readStoredTargets = (typeId: number): readonly string[] =>
  Object.values(loadStoredSetup(typeId)?.columns ?? {}).filter((key) => typeof key === 'string');

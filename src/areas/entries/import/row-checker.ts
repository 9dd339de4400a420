import type { RowVm } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { getNearKey } from '../../../../contract/rules/schema/near-names.ts';
import { parseNameList } from '../../../../contract/rules/tables/name-list.ts';
import { createPlanStore } from '../../../files/import-plan/plan-store.ts';
import type { OutcomeCounts } from '../../../files/import-plan/plan.ts';
import type { FileRow } from '../../../files/table/table.ts';
import type { Field } from '../model/schema.ts';
import { getValue } from '../model/values.ts';
import {
  getComparedFields,
  normalizeKey,
  getRowKey,
  MAX_KEY_LENGTH,
  getNamedRows,
  EMPTY_INDEX,
  parseRows,
} from './check-request.ts';
import type { CheckRequest } from './check-request.ts';
import { checkRows } from './check.ts';
import type { ExistingEntry } from './check.ts';
import { guessColumn, SAMPLE_ROWS } from './guess-field.ts';
import type { ColumnGuess } from './guess-field.ts';
import { addItems, createNameIndex, createChoiceIndex, copyNameIndex, normalizeName } from './name-index.ts';
import type { NameIndex, NamedItem } from './name-index.ts';
import { isNewId } from './new-fields.ts';
import type { ChoiceCount } from './new-fields.ts';
import { getFieldCells, isStorableText } from './parse-row.ts';
import { canHold } from './row-references.ts';
import type { RowWork, StoredValue } from './stored-values.ts';
import { toStoredValue } from './stored-values.ts';
import { locateColumns } from './targets.ts';
import type { Columns, FieldColumns } from './targets.ts';

/** Data to look up before the rows can be checked. */
export interface MissingLookups {
  references: readonly (ReferenceLookup & { keys: readonly (string | number)[] })[];
  users: boolean;
  /** Key values: ids, or values of the key field. */
  keys: readonly (string | number)[];
  /** apiNames of compared fields. */
  comparedFields: readonly string[];
  /** Whether all names are needed to find near-duplicates. */
  names: boolean;
}

const canReferToOwnType = (types: readonly number[], { entryTypeId }: Field): boolean =>
  types.length === 0 || types.includes(entryTypeId);

/** Values that the key field can hold. */
const getKeyValues = (names: readonly string[], { fieldType }: Field): (string | number)[] =>
  fieldType === FIELD.number
    ? names.filter((name) => name.trim() !== '' && Number.isFinite(Number(name))).map(Number)
    : [...names];

/** Holds a file of entries in a worker and checks its rows whenever columns or rules change. */
export function createRowChecker() {
  const planStore = createPlanStore<RowWork>();
  const references = new Map<string, NameIndex>();
  const requestedLookups = new Set<string>();
  let users: NameIndex | undefined;
  let nearNames: Map<string, { id: number; name: string }> | undefined;
  let comparisonKey = '';
  let entries = new Map<string | number, ExistingEntry[]>();

  /** Items that fields can name; `rows` are entries of this type from the file. */
  const createIndexLookup = (rows: readonly NamedItem[] = []) => {
    const choices = new Map<number, NameIndex>();
    const withRows = new Map<string, NameIndex>();
    const referenceBook = (field: Field): NameIndex => {
      const key = getTypesKey(field);
      const nameIndex = references.get(key) ?? EMPTY_INDEX;
      if (rows.length === 0 || !canHold(field, field.entryTypeId)) return nameIndex;
      const created = withRows.get(key) ?? copyNameIndex(nameIndex);
      if (!withRows.has(key)) addItems(created, rows);
      withRows.set(key, created);
      return created;
    };
    return (field: Field): NameIndex => {
      if (field.fieldType === FIELD.reference) return referenceBook(field);
      if (field.fieldType === FIELD.user) return users ?? EMPTY_INDEX;
      const existing = choices.get(field.id);
      if (existing) return existing;
      const created = field.fieldType === FIELD.choice ? createChoiceIndex(field) : EMPTY_INDEX;
      choices.set(field.id, created);
      return created;
    };
  };

  const markRequested = (kind: string, value: string | number): boolean => {
    const key = `${kind}\n${value}`;
    if (requestedLookups.has(key)) return false;
    requestedLookups.add(key);
    return true;
  };

  return {
    open: planStore.open,
    getPlansByOutcome: planStore.getPlansByOutcome,
    formatProblems: planStore.formatProblems,
    getConfirmedPlans: planStore.getConfirmedPlans,

    /** Guesses the kind of field for each column. */
    guessColumns(): ColumnGuess[] {
      const { headings, rows } = planStore.getTable();
      const cells = rows.slice(0, SAMPLE_ROWS).map((row) => row.cells);
      return headings.map((heading, at) =>
        guessColumn(
          heading,
          cells.map((row) => row[at] ?? ''),
        ),
      );
    },

    /** Names in columns of choices with the number of rows that have them, the first ones only. */
    listNames: (columns: readonly { column: number; isMultiSelect: boolean }[]): ChoiceCount[][] =>
      columns.map(({ column, isMultiSelect }) =>
        countNames(planStore.getTable().rows, column, isMultiSelect),
      ),

    /** Data still missing for a check; each item is requested once. */
    getMissingLookups(request: CheckRequest): MissingLookups {
      const { fields, mapping, rules, key } = request;
      const { rows } = planStore.getTable();
      const columns = locateColumns(mapping, fields);
      // Entries have no values in fields that do not exist yet.
      const compared = getComparedFields(request)
        .filter(({ id }) => !isNewId(id))
        .map(({ apiName }) => apiName);
      const as = [key, ...compared].join('\n');
      if (as !== comparisonKey) {
        for (const one of requestedLookups) if (one.startsWith('key\n')) requestedLookups.delete(one);
        entries = new Map();
        comparisonKey = as;
      }
      const keys = new Map(
        parseRows(rows, request, createIndexLookup()).flatMap((target) => {
          const value = getRowKey(target, request);
          return value === undefined || String(value).length > MAX_KEY_LENGTH
            ? []
            : [[value, value] as const];
        }),
      );
      const keyed = fields.find(({ apiName, isKey }) => apiName === key && !isKey);
      return {
        references: getReferenceLookups(rows, columns).map(({ types, ids, names }) => {
          const of = types.toSorted((a, b) => a - b).join();
          return {
            types,
            ids: ids.filter((id) => markRequested(`id ${of}`, id)),
            names: names.filter((name) => markRequested(`name ${of}`, name.toLowerCase())),
            // Entries of the type itself may be named by their key.
            keys:
              keyed && canReferToOwnType(types, keyed)
                ? getKeyValues(names, keyed).filter((one) => markRequested(`also ${of} ${key}`, one))
                : [],
          };
        }),
        users: users === undefined && columns.fields.some(({ field }) => field.fieldType === FIELD.user),
        keys: [...keys.keys()].filter((value) => markRequested('key', value)),
        comparedFields: compared,
        names: nearNames === undefined && rules.near === 'refuse',
      };
    },

    /** Requests everything again after a failed lookup: missing data does not mean that an item was deleted. */
    clearLookups(): void {
      requestedLookups.clear();
      users = undefined;
      nearNames = undefined;
    },
    addReferences(types: readonly number[], things: readonly NamedItem[]): void {
      const key = types.toSorted((a, b) => a - b).join();
      const nameIndex = references.get(key) ?? createNameIndex([]);
      addItems(nameIndex, things);
      references.set(key, nameIndex);
    },
    setUsers(people: readonly NamedItem[]): void {
      users = createNameIndex(people);
    },
    /** Adds existing names, in portions. */
    addNames(names: readonly { id: number; name: string }[]): void {
      nearNames ??= new Map();
      for (const one of names) {
        const key = getNearKey(one.name);
        if (key !== undefined && !nearNames.has(key)) nearNames.set(key, one);
      }
    },
    addEntries(rows: readonly RowVm[], request: CheckRequest): void {
      const compared = getComparedFields(request);
      const keyed = request.fields.find(({ apiName }) => apiName === request.key);
      for (const row of rows) {
        const held = new Map<number, StoredValue>();
        for (const field of compared) {
          const value = toStoredValue(getValue(row, field), field);
          if (value !== undefined) held.set(field.id, value);
        }
        const key = request.key === ENTRY_ID ? row.EntryId : normalizeKey(keyed && held.get(keyed.id));
        if (key === undefined) continue;
        const entry = { id: row.EntryId, values: held };
        const same = entries.get(key);
        if (!same) entries.set(key, [entry]);
        else if (!same.some(({ id }) => id === entry.id)) same.push(entry);
      }
    },

    check(request: CheckRequest): OutcomeCounts {
      const { fields, key, rules } = request;
      const { rows } = planStore.getTable();
      const getIndex = createIndexLookup(getNamedRows(rows, request, entries));
      return planStore.setPlans(
        checkRows(parseRows(rows, request, getIndex), {
          fields,
          getIndex,
          keyField: key,
          getKey: (target) => {
            const value = getRowKey(target, request);
            return value === undefined ? undefined : String(value);
          },
          findEntries: (target) => {
            const value = getRowKey(target, request);
            return value === undefined ? undefined : (entries.get(value) ?? []);
          },
          nearNames: rules.near === 'refuse' ? (nearNames ?? new Map()) : undefined,
        }),
      );
    },
  };
}

const MAX_CHOICE_NAME_LENGTH = 255;
/** Choices that a field can have; the page shows no more names. */
const MAX_CHOICE_NAMES = 5000;

function countNames(rows: readonly FileRow[], column: number, isMultiSelect: boolean): ChoiceCount[] {
  const counts = new Map<string, ChoiceCount>();
  for (const { cells } of rows) {
    const cell = cells[column] ?? '';
    const names = isMultiSelect ? parseNameList(cell) : [cell.trim()];
    for (const name of new Set(names)) {
      if (name === '' || name.length > MAX_CHOICE_NAME_LENGTH || !isStorableText(name)) continue;
      const known = counts.get(normalizeName(name));
      if (known) known.rowCount += 1;
      else if (counts.size < MAX_CHOICE_NAMES) counts.set(normalizeName(name), { name, rowCount: 1 });
    }
  }
  return [...counts.values()];
}

/** Entries named in cells, for fields that refer to the same types. */
interface ReferenceLookup {
  /** Entry types; empty for any. */
  types: readonly number[];
  ids: number[];
  names: string[];
}

// Limit of a value in a row query.
const MAX_NAME_LENGTH = 10_000;
const ID_NUMBERS = /\d{1,10}/g;

/** Key of the types that a field refers to. */
const getTypesKey = ({ entryLists }: Field): string => (entryLists ?? []).toSorted((a, b) => a - b).join();

function collectReferences(
  rows: readonly FileRow[],
  place: FieldColumns,
  ids: Set<number>,
  names: Map<string, string>,
) {
  const { field } = place;
  for (const { cells } of rows) {
    const { all, isEmpty } = getFieldCells(cells, place);
    if (isEmpty) continue;
    const texts = field.isMultiSelect ? parseNameList(all.value) : [all.value.trim()];
    const numbers = all.id.trim() === '' ? texts.filter((text) => /^#?\d{1,10}$/.test(text)) : [all.id];
    for (const number of numbers.join(' ').match(ID_NUMBERS) ?? [])
      if (Number(number) > 0) ids.add(Number(number));
    // Ids take precedence over names.
    if (all.id.trim() !== '') continue;
    for (const name of texts)
      if (name !== '' && name.length <= MAX_NAME_LENGTH && isStorableText(name))
        names.set(name.toLowerCase(), name);
  }
}

/** References of all rows to look up. */
function getReferenceLookups(rows: readonly FileRow[], { fields }: Columns): readonly ReferenceLookup[] {
  const references = fields.filter(({ field }) => field.fieldType === FIELD.reference);
  return [...Map.groupBy(references, ({ field }) => getTypesKey(field)).values()].map((places) => {
    const ids = new Set<number>();
    const names = new Map<string, string>();
    for (const place of places) collectReferences(rows, place, ids, names);
    return { types: places[0]?.field.entryLists ?? [], ids: [...ids], names: [...names.values()] };
  });
}

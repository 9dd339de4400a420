import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { getNearKey } from '../../../../contract/rules/schema/near-names.ts';
import { isRequiredNow } from '../../../../contract/rules/schema/required-when.ts';
import { formatNameList } from '../../../../contract/rules/tables/name-list.ts';
import type { RowError, FieldChange, ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { quoteExcerpt } from '../../../files/table/cell-values.ts';
import { formatDateValue } from '../model/dates.ts';
import type { Field } from '../model/schema.ts';
import type { NameIndex } from './name-index.ts';
import { formatItemName } from './name-index.ts';
import type { RowTarget } from './parse-row.ts';
import { isRequiredOnCreate, getReferencedRows, refuseUnresolvable } from './row-references.ts';
import { isSameStoredValue } from './stored-values.ts';
import type { FieldWrite, RowWork, StoredValue } from './stored-values.ts';

/** Existing entry with its stored values by field id. */
export interface ExistingEntry {
  id: number;
  values: ReadonlyMap<number, StoredValue>;
}

/** Data that rows are compared with. */
export interface CheckContext {
  fields: readonly Field[];
  getIndex: (field: Field) => NameIndex;
  /** Entries that match a row's key; undefined if all rows are new. */
  findEntries: (target: RowTarget) => readonly ExistingEntry[] | undefined;
  /** Key of a row as text: rows with the same key are refused. */
  getKey: (target: RowTarget) => string | undefined;
  keyField: string;
  /** Existing names by near key; undefined if nearly equal names are allowed. */
  nearNames: ReadonlyMap<string, { id: number; name: string }> | undefined;
}

const NO_WORK: RowWork = { items: [], before: {}, ignoreNearDups: false };
const NO_CHANGES = { changes: [], work: NO_WORK, errors: [] };
const MAX_LISTED = 5;

const formatNumbers = (numbers: readonly number[]): string =>
  `${numbers.slice(0, MAX_LISTED).join(', ')}${numbers.length > MAX_LISTED ? ` and ${numbers.length - MAX_LISTED} more` : ''}`;

function groupRowsByKey(
  targets: readonly RowTarget[],
  keyOf: (target: RowTarget) => string | undefined,
): Map<string, number[]> {
  const rows = new Map<string, number[]>();
  for (const target of targets) {
    const key = keyOf(target);
    if (key === undefined) continue;
    const same = rows.get(key);
    if (same) same.push(target.row);
    else rows.set(key, [target.row]);
  }
  return rows;
}

/** Plans every row. */
export function checkRows(targets: readonly RowTarget[], checking: CheckContext): ImportRowPlan<RowWork>[] {
  const { getKey, keyField, fields } = checking;
  const rowsByKey = groupRowsByKey(targets, getKey);
  const key = fields.find(({ isKey }) => isKey);
  const getName = (target: RowTarget): string | undefined => {
    const value = key && target.values.get(key.id)?.value;
    return typeof value === 'string' ? value : undefined;
  };
  const rowsByNearKey = checking.nearNames
    ? groupRowsByKey(targets, (target) => getNearKey(getName(target) ?? ''))
    : new Map<string, number[]>();
  const plans = targets.map((target) => {
    const same = rowsByKey.get(getKey(target) ?? '')?.filter((row) => row !== target.row) ?? [];
    const errors: RowError[] =
      same.length > 0
        ? [
            {
              field: keyField,
              message: `The same value is in row${same.length === 1 ? '' : 's'} ${formatNumbers(same)}`,
            },
          ]
        : [];
    return planRow(target, errors, rowsByNearKey, checking, key);
  });
  return refuseUnresolvable(plans, fields);
}

function planRow(
  target: RowTarget,
  duplicateErrors: readonly RowError[],
  rowsByNearKey: ReadonlyMap<string, readonly number[]>,
  checking: CheckContext,
  key: Field | undefined,
): ImportRowPlan<RowWork> {
  const { findEntries, keyField } = checking;
  const found = findEntries(target);
  const entry = found?.length === 1 ? found[0] : undefined;
  const name = key && (target.values.get(key.id)?.value ?? entry?.values.get(key.id));
  const base = {
    row: target.row,
    id: entry?.id,
    name: typeof name === 'string' ? name : '',
    detail: entry ? `Entry ${entry.id}` : '',
  };
  const errors: RowError[] = [...target.errors, ...duplicateErrors];
  if (found && found.length > 1)
    errors.push({
      field: keyField,
      message: `Several entries match: ${formatNumbers(found.map(({ id }) => id))}`,
    });
  if (target.entryId !== undefined && keyField === 'EntryId' && !entry)
    errors.push({ field: 'EntryId', message: `There is no entry ${target.entryId} of this type` });
  // Without a known entry or readable cells nothing else can be checked.
  const isUndetermined =
    errors.length > target.errors.length + duplicateErrors.length ||
    target.errors.some(({ field }) => field === undefined);
  const { changes, work, errors: own } = isUndetermined ? NO_CHANGES : compare(target, entry, checking);
  const nearErrors =
    key && !isUndetermined ? findNearDuplicates(target, entry, key, rowsByNearKey, checking) : [];
  const all = [...errors, ...own, ...nearErrors];
  if (all.length > 0) return { ...base, outcome: 'cannot', changes: [], errors: all, work: NO_WORK };
  const outcome = entry ? (changes.length > 0 ? 'update' : 'skip') : 'create';
  return { ...base, outcome, changes, errors: [], work };
}

function toFieldWrite(field: Field, value: StoredValue | undefined): FieldWrite {
  if (value === undefined) return { fieldId: field.id, value: null };
  if (typeof value !== 'object') return { fieldId: field.id, value };
  if ('currencyCode' in value)
    return {
      fieldId: field.id,
      value: value.value,
      ...(value.currencyCode !== undefined && { currencyCode: value.currencyCode }),
    };
  return { fieldId: field.id, value: [...value] };
}

/**
 * Sets the order of a value that refers to rows of the file: existing entries are changed by one request, so these rows
 * come first.
 */
function withRowOrder(
  item: FieldWrite,
  field: Field,
  entry: ExistingEntry | undefined,
  fields: readonly Field[],
): FieldWrite {
  if (field.fieldType !== FIELD.reference || getReferencedRows(item.value).length === 0) return item;
  return { ...item, rowOrder: entry || isRequiredOnCreate(field, fields) ? 'first' : 'later' };
}

/** Values of the row that differ from the entry; all values for a new entry. */
function compare(rowTarget: RowTarget, entry: ExistingEntry | undefined, checking: CheckContext) {
  const { fields, getIndex } = checking;
  const changes: FieldChange[] = [];
  const items: FieldWrite[] = [];
  const before: Record<number, StoredValue | undefined> = {};
  const errors: RowError[] = [];
  const after = new Map(entry?.values);
  for (const field of fields) {
    if (!rowTarget.values.has(field.id)) continue;
    const target = rowTarget.values.get(field.id);
    const now = entry?.values.get(field.id);
    if (isSameStoredValue(target?.value, now)) continue;
    const error = target?.errorUnlessUnchanged ?? getCurrencyError(target?.value, now);
    if (error !== undefined) errors.push({ field: field.apiName, message: error });
    if (target) after.set(field.id, target.value);
    else after.delete(field.id);
    items.push(withRowOrder(toFieldWrite(field, target?.value), field, entry, fields));
    before[field.id] = now;
    const words = (value: StoredValue | undefined) => formatStoredValue(value, field, getIndex(field));
    changes.push({ field: field.apiName, before: words(now), after: words(target?.value) });
  }
  errors.push(...findMissingValues(rowTarget, entry, after, fields));
  return { changes, errors, work: { items, before, ignoreNearDups: checking.nearNames === undefined } };
}

function getCurrencyError(target: StoredValue | undefined, now: StoredValue | undefined): string | undefined {
  const isBare = typeof target === 'object' && 'currencyCode' in target && target.currencyCode === undefined;
  return isBare && now === undefined ? 'Needs a currency: a currency column, or EUR 12.50' : undefined;
}

/** Errors for required fields without a value (spec 4.6, requiredWhen). */
function findMissingValues(
  target: RowTarget,
  entry: ExistingEntry | undefined,
  after: ReadonlyMap<number, StoredValue>,
  fields: readonly Field[],
): RowError[] {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const needs = ({ isRequired, requiredWhen }: Field, value: ReadonlyMap<number, StoredValue>) =>
    isRequired ||
    (requiredWhen !== undefined &&
      requiredWhen !== null &&
      isRequiredNow(requiredWhen, (id) => byId.get(id), Object.fromEntries(value)));
  const none: ReadonlyMap<number, StoredValue> = new Map();
  return fields
    .filter((field) => field.isStoreRequestSupported && !after.has(field.id) && needs(field, after))
    .filter((field) => !entry || entry.values.has(field.id) || !needs(field, entry.values ?? none))
    .filter(({ apiName }) => !target.errors.some((error) => error.field === apiName))
    .map(({ apiName, isRequired }) => ({
      field: apiName,
      message: isRequired ? 'Is required' : 'Is required under the current conditions',
    }));
}

/** Errors for names nearly equal to others, which the service refuses unless allowed. */
function findNearDuplicates(
  target: RowTarget,
  entry: ExistingEntry | undefined,
  key: Field,
  rowsByNearKey: ReadonlyMap<string, readonly number[]>,
  { nearNames }: CheckContext,
): RowError[] {
  const name = target.values.get(key.id)?.value;
  if (!nearNames || typeof name !== 'string' || name === entry?.values.get(key.id)) return [];
  const nearKey = getNearKey(name) ?? '';
  const other = nearNames.get(nearKey);
  if (other && other.id !== entry?.id)
    return [
      {
        field: key.apiName,
        message: `Possible duplicate of entry ${other.id}, ${quoteExcerpt(other.name)}`,
      },
    ];
  const rows = rowsByNearKey.get(nearKey)?.filter((row) => row !== target.row) ?? [];
  return rows.length > 0
    ? [
        {
          field: key.apiName,
          message: `Possible duplicate of row${rows.length === 1 ? '' : 's'} ${formatNumbers(rows)}`,
        },
      ]
    : [];
}

/** Formats a stored value for display. */
function formatStoredValue(value: StoredValue | undefined, field: Field, nameIndex: NameIndex): string {
  if (value === undefined) return '';
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  if (typeof value === 'object')
    return 'currencyCode' in value
      ? `${value.currencyCode ?? ''} ${value.value}`.trim()
      : formatNameList(value.map((id) => formatItemName(nameIndex, id)));
  if (typeof value === 'number')
    return [FIELD.choice, FIELD.reference, FIELD.user].some((type) => type === field.fieldType)
      ? formatItemName(nameIndex, value)
      : String(value);
  if (field.fieldType !== FIELD.date) return value;
  return field.isDateOnly ? formatDateValue(value, true) : `${formatDateValue(value, false)} UTC`;
}

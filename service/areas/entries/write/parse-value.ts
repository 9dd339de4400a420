import { isDeepStrictEqual } from 'node:util';
import { FIELD, holdsMoney, isFileField, isIdField } from '../../../../contract/rules/schema/fields.ts';
import {
  type DateTimeBehavior,
  type FileValue,
  parseDate,
  type SchemaField,
  type StoredValue,
  type StoredValues,
  type TimeZones,
} from '../../schema/index.ts';
import { getCurrencyError } from '../query/resolve-query.ts';

/** One item of `storeRequests`: a value for one field of one entry. */
export interface CellWrite {
  entryId: number;
  fieldId: number;
  value?: unknown;
  ignoreNearDups?: boolean;
  currencyCode?: string | null;
  /** Value that the field must still have, in the same format; the write is rejected otherwise. */
  expected?: { value: unknown; currencyCode?: string | null };
}

/** Interpretation of the dates of a request (dateTimeBehavior). */
export interface DateOptions {
  behavior: DateTimeBehavior;
  zones: TimeZones;
}

/** The value to store (values.ts), undefined if the item clears the field; or an error of a property of the item. */
type ParsedValue =
  | { value: StoredValue | undefined }
  | { error: string; property?: Extract<keyof CellWrite, 'currencyCode'> };

const MAX_ID = 2_147_483_647;
const MAX_VALUES = 1_000;
const MAX_TEXT_LENGTH = 1_000_000;
/** Lower than that of other texts, because lists show names completely. */
const MAX_NAME_LENGTH = 1_000;

const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_ID;

/** The ids in a value, which is an id or a list; anything else is ignored. */
export const extractIds = (value: unknown): number[] => [value].flat().filter(isId);

/**
 * Validates the value of an item and converts it to the stored form (shapes 4, values by field type). Null, an empty text
 * and an empty list clear the field. The existence of ids is checked later, for all items at once.
 */
export function parseValue(
  item: CellWrite,
  field: SchemaField,
  before: StoredValues,
  dateOptions: DateOptions,
): ParsedValue {
  const { value } = item;
  if (!field.isStoreRequestSupported)
    return {
      error: `${field.apiName} is ${field.isCalculated ? 'calculated' : 'a counter'} and cannot be written`,
    };
  if (value === undefined) return { error: 'is required; null clears the field' };
  if (typeof item.currencyCode === 'string' && !holdsMoney(field))
    return { error: `${field.apiName} is not a money field`, property: 'currencyCode' };
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0))
    return { value: undefined };
  if (isFileField(field.fieldType)) return parseKeptFiles(value, field, before);
  if (isIdField(field.fieldType)) return field.isMultiSelect ? parseIds(value, field) : parseId(value, field);
  if (Array.isArray(value)) return { error: `${field.apiName} holds one value, not a list` };
  if (holdsMoney(field)) return parseMoney(item, field, before);
  return parseScalar(value, field, dateOptions);
}

function parseScalar(value: unknown, field: SchemaField, { behavior, zones }: DateOptions): ParsedValue {
  if (field.fieldType === FIELD.boolean)
    return typeof value === 'boolean' ? { value } : { error: 'must be true or false' };
  if (field.fieldType === FIELD.number)
    return typeof value === 'number' && Number.isFinite(value)
      ? { value: value + 0 } // turns -0 into 0, as jsonb has no -0
      : { error: 'must be a number' };
  if (typeof value !== 'string') return { error: 'must be a string' };
  if (field.fieldType === FIELD.date) {
    const stored = parseDate(value, field.isDateOnly, behavior, zones);
    return stored === undefined
      ? { error: 'must be a date between the years 1 and 9999, such as 2026-03-01 or 2026-03-01T08:00:00Z' }
      : { value: stored };
  }
  const maxLength = field.isKey ? MAX_NAME_LENGTH : MAX_TEXT_LENGTH;
  // Counts code points, not UTF-16 units, as the contract does.
  const length = value.length <= maxLength ? value.length : Array.from(value).length;
  return length <= maxLength ? { value } : { error: `has ${length} characters; ${maxLength} at most` };
}

const describeIds = ({ fieldType }: SchemaField): { one: string; several: string } => {
  if (fieldType === FIELD.choice) return { one: 'a choice', several: 'choices' };
  return fieldType === FIELD.user
    ? { one: 'a user', several: 'users' }
    : { one: 'an entry', several: 'entries' };
};

function parseId(value: unknown, field: SchemaField): ParsedValue {
  const id: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isId(id)) return { error: `must be the id of ${describeIds(field).one}; ${field.apiName} holds one` };
  return getChoiceError(id, field) ?? { value: id };
}

function parseIds(value: unknown, field: SchemaField): ParsedValue {
  const ids: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (ids.length > MAX_VALUES) return { error: `holds ${ids.length} values; ${MAX_VALUES} at most` };
  if (!ids.every(isId)) return { error: `must be ids of ${describeIds(field).several}` };
  const error = ids.map((id) => getChoiceError(id, field)).find((each) => each !== undefined);
  return error ?? { value: [...new Set(ids)] };
}

/** Rejects ids that are not choices of the field; removed choices cannot be set again. */
function getChoiceError(id: number, field: SchemaField): { error: string } | undefined {
  if (field.fieldType !== FIELD.choice) return undefined;
  const choice = field.choices.get(id);
  if (choice?.isRemoved) return { error: `"${choice.name}" is no longer a choice of ${field.apiName}` };
  return choice ? undefined : { error: `${id} is not a choice of ${field.apiName}` };
}

/** An amount in the currency of the item, or in that of the previous value. */
function parseMoney(
  { value, currencyCode }: CellWrite,
  field: SchemaField,
  before: StoredValues,
): ParsedValue {
  if (typeof value !== 'number' || !Number.isFinite(value)) return { error: 'must be a number' };
  const previous = before[field.id];
  const code =
    currencyCode ??
    (typeof previous === 'object' && 'currencyCode' in previous ? previous.currencyCode : undefined);
  if (code === undefined) return { error: 'needs currencyCode, such as EUR' };
  const error = getCurrencyError(code);
  return error === undefined
    ? { value: { value: value + 0, currencyCode: code } }
    : { error, property: 'currencyCode' };
}

/** The stored files to keep, by their ids; new files are uploaded as binaryStoreRequests. */
function parseKeptFiles(value: unknown, field: SchemaField, before: StoredValues): ParsedValue {
  const stored = (before[field.id] ?? []) as readonly FileValue[];
  const ids: readonly unknown[] = Array.isArray(value) ? value : [value];
  const keptFiles = ids.flatMap((id) => stored.find((file) => file.file === id) ?? []);
  return keptFiles.length === ids.length && new Set(ids).size === ids.length
    ? { value: keptFiles }
    : { error: `must be ids of files that ${field.apiName} holds; upload new files as binaryStoreRequests` };
}

/** Whether a field still has the value that the item expects, so that a client cannot overwrite a change it has not seen. */
export function matchesExpected(
  item: CellWrite,
  field: SchemaField,
  before: StoredValues,
  dateOptions: DateOptions,
): boolean {
  const { expected } = item;
  const stored = before[field.id];
  if (expected === undefined) return true;
  // Compared as sets of ids: the expected value may contain removed choices, and values have no order.
  if (isIdField(field.fieldType))
    return isDeepStrictEqual(new Set(extractIds(expected.value)), new Set(extractIds(stored)));
  // The currency of the item is the new one, and says nothing of the expected amount.
  const parsed = parseValue({ ...item, currencyCode: undefined, ...expected }, field, before, dateOptions);
  return 'value' in parsed && isDeepStrictEqual(parsed.value, stored);
}

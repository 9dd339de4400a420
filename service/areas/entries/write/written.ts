import { isDeepStrictEqual } from 'node:util';
import { FIELD, holdsMoney, isFileField, isIdField } from '../../../../contract/rules/fields.ts';
import type { FieldError } from '../../../kernel/http/errors.ts';
import {
  type DateTimeBehavior,
  type FileValue,
  isCurrency,
  storedDate,
  type SchemaField,
  type StoredValue,
  type Vals,
  type Zones,
} from '../../schema/index.ts';

/** One item of `storeRequests`. */
export interface StoreItem {
  entryId: number;
  fieldId: number;
  value?: unknown;
  ignoreNearDups?: boolean;
  currencyCode?: string | null;
  /** What the field must still hold, written the same way; absent: whatever it holds. */
  expected?: { value: unknown; currencyCode?: string | null };
}

/** How dates of a request are meant. */
export interface Reading {
  behavior: DateTimeBehavior;
  zones: Zones;
}

/** A value as it is stored (values.ts), undefined where the item clears it; or what is wrong with it. */
type Written = { value: StoredValue | undefined } | { fault: string };

const MAX_ID = 2_147_483_647;
const MOST_VALUES = 1_000;
const MOST_TEXT = 1_000_000;
/** Names are names: lists show them whole. */
const MOST_NAME = 1_000;

const isId = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value <= MAX_ID;

/** The ids that a value names. */
export const idsIn = (value: unknown): number[] => [value].flat().filter(isId);

/**
 * Reads what an item writes into a field (shapes 4, values by field type). Null and an empty text clear it. Whether the
 * ids exist is looked up later, for all items at once.
 */
export function readWritten(item: StoreItem, field: SchemaField, before: Vals, reading: Reading): Written {
  const { value } = item;
  if (!field.isStoreRequestSupported)
    return {
      fault: `${field.apiName} is ${field.isCalculated ? 'calculated' : 'counted'}: it cannot be written`,
    };
  if (value === undefined) return { fault: 'is required; null clears the field' };
  if (value === null || value === '' || (Array.isArray(value) && value.length === 0))
    return { value: undefined };
  if (isFileField(field.fieldType)) return keptFiles(value, field, before);
  if (isIdField(field.fieldType)) return field.isMultiSelect ? readIds(value, field) : readId(value, field);
  if (Array.isArray(value)) return { fault: `${field.apiName} holds one value, not a list` };
  if (holdsMoney(field)) return readMoney(item, field, before);
  return readPlain(value, field, reading);
}

function readPlain(value: unknown, field: SchemaField, { behavior, zones }: Reading): Written {
  if (field.fieldType === FIELD.boolean)
    return typeof value === 'boolean' ? { value } : { fault: 'must be true or false' };
  if (field.fieldType === FIELD.number)
    return typeof value === 'number' && Number.isFinite(value)
      ? { value: value + 0 } // -0 is 0, as the database has it
      : { fault: 'must be a number' };
  if (typeof value !== 'string') return { fault: 'must be a text' };
  if (field.fieldType === FIELD.date) {
    const stored = storedDate(value, field.isDateOnly, behavior, zones);
    return stored === undefined
      ? { fault: 'must be a date, such as 2026-03-01 or 2026-03-01T08:00:00Z, of the years 1 to 9999' }
      : { value: stored };
  }
  const most = field.isKey ? MOST_NAME : MOST_TEXT;
  // Letters beyond the first plane count once, as everywhere in the contract.
  const letters = value.length <= most ? value.length : Array.from(value).length;
  return letters <= most ? { value } : { fault: `has ${letters} characters; ${most} at most` };
}

const named = ({ fieldType }: SchemaField): { one: string; several: string } => {
  if (fieldType === FIELD.choice) return { one: 'a choice', several: 'choices' };
  return fieldType === FIELD.user
    ? { one: 'a user', several: 'users' }
    : { one: 'an entry', several: 'entries' };
};

function readId(value: unknown, field: SchemaField): Written {
  const id: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value;
  if (!isId(id)) return { fault: `must be the id of ${named(field).one}; ${field.apiName} holds one` };
  return choiceFault(id, field) ?? { value: id };
}

function readIds(value: unknown, field: SchemaField): Written {
  const ids: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (ids.length > MOST_VALUES) return { fault: `holds ${ids.length} values; ${MOST_VALUES} at most` };
  if (!ids.every(isId)) return { fault: `must be ids of ${named(field).several}` };
  const fault = ids.map((id) => choiceFault(id, field)).find((each) => each !== undefined);
  return fault ?? { value: [...new Set(ids)] };
}

/** A choice that is not offered any more cannot be chosen anew. */
function choiceFault(id: number, field: SchemaField): { fault: string } | undefined {
  if (field.fieldType !== FIELD.choice) return undefined;
  const choice = field.choices.get(id);
  return choice && !choice.isRemoved ? undefined : { fault: `${id} is no choice of ${field.apiName}` };
}

/** An amount in the currency that is named, or in the one it had. */
function readMoney({ value, currencyCode }: StoreItem, field: SchemaField, before: Vals): Written {
  if (typeof value !== 'number' || !Number.isFinite(value)) return { fault: 'must be a number, the amount' };
  const had = before[field.id];
  const code =
    currencyCode ?? (typeof had === 'object' && 'currencyCode' in had ? had.currencyCode : undefined);
  if (code === undefined) return { fault: 'needs currencyCode, such as EUR' };
  const fault = currencyFault(code);
  return fault === undefined ? { value: { value: value + 0, currencyCode: code } } : { fault };
}

/** What is wrong with the code of a currency, in words. */
const currencyFault = (code: string): string | undefined =>
  isCurrency(code) ? undefined : `"${code}" is no currency: write its code of ISO 4217, such as EUR`;

/** What names no currency would be asked for in vain. */
export const currencyFaults = (items: readonly { currencyCode?: string | null }[]): FieldError[] =>
  items.flatMap(({ currencyCode }, at) => {
    const message = currencyCode ? currencyFault(currencyCode) : undefined;
    return message === undefined ? [] : [{ path: `${at}.currencyCode`, message }];
  });

/** Of files only those to keep can be written here, by their ids; new ones come as binaryStoreRequests. */
function keptFiles(value: unknown, field: SchemaField, before: Vals): Written {
  const held = (before[field.id] ?? []) as readonly FileValue[];
  const ids: readonly unknown[] = Array.isArray(value) ? value : [value];
  const kept = ids.flatMap((id) => held.find((file) => file.file === id) ?? []);
  return kept.length === ids.length && new Set(ids).size === ids.length
    ? { value: kept }
    : { fault: `must be ids of files that ${field.apiName} holds; new files come as binaryStoreRequests` };
}

/** Whether a field still holds what an item expects, so that nobody writes over a change they have not seen. */
export function holdsExpected(item: StoreItem, field: SchemaField, before: Vals, reading: Reading): boolean {
  const { expected } = item;
  const held = before[field.id];
  if (expected === undefined) return true;
  // A choice that is not offered any more can still be what is held; several values have no order.
  if (isIdField(field.fieldType))
    return isDeepStrictEqual(new Set(idsIn(expected.value)), new Set(idsIn(held)));
  const read = readWritten({ ...item, ...expected }, field, before, reading);
  return 'value' in read && isDeepStrictEqual(read.value, held);
}

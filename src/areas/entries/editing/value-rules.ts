import { z } from 'zod/mini';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { startsWithCalendarDay } from '../../../../contract/rules/dates/dates.ts';
import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/schema/fields.ts';
import { isRequiredNow } from '../../../../contract/rules/schema/required-when.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import type { Field } from '../model/schema.ts';
import { toItems, toRequestValue } from '../model/values.ts';

type Values = ReadonlyMap<number, FieldValue | undefined>;

// Limits of the service.
const MAX_TEXT_CHARS = 1_000_000;
const MAX_NAME_CHARS = 1_000;
const MAX_VALUES = 1_000;
/** A date with time and optional time zone (shapes 1). */
export const DATE_TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i;
export const DATE_ONLY = /^\d{4}-\d{2}-\d{2}$/;

const isCalendarDate = (text: string): boolean =>
  DATE_ONLY.test(text) && !text.startsWith('0000') && startsWithCalendarDay(text);
const isDateTime = (text: string): boolean =>
  isCalendarDate(text) ||
  (DATE_TIME.test(text) && startsWithCalendarDay(text) && !Number.isNaN(Date.parse(text)));

const MIDNIGHT = /T00:00:00(\.0+)?Z$/;
const isDateOnlyValue = (text: string): boolean => isCalendarDate(text.replace(MIDNIGHT, ''));

const dateSchema = ({ isDateOnly }: Field) =>
  isDateOnly
    ? z
        .string('Enter a date such as 2026-03-01')
        .check(z.refine(isDateOnlyValue, 'Enter a valid date, such as 2026-03-01'))
    : z
        .string('Enter a date and time, such as 2026-03-01 08:00')
        .check(
          z.refine((text) => isDateTime(text), 'Enter a date and time in UTC, such as 2026-03-01 08:00'),
        );

function namedSchema(field: Field) {
  const named = z.looseObject({ id: z.int('Choose from the list'), name: z.string() });
  if (field.fieldType !== FIELD.choice) return named;
  const choiceIds = new Set(field.choiceValues?.map(({ id }) => id));
  return named.check(z.refine(({ id }) => choiceIds.has(id), `${field.name} no longer offers this choice`));
}

const moneySchema = z.object({
  value: z.number('Enter an amount, such as 12.50'),
  currencyCode: z.string().check(z.regex(/^[A-Z]{3}$/, 'Enter a three-letter currency code, such as EUR')),
});

function textSchema({ isKey }: Field) {
  const most = isKey ? MAX_NAME_CHARS : MAX_TEXT_CHARS;
  return z.string().check(z.maxLength(most, `Use at most ${formatNumber(most)} characters`));
}

function itemSchema(field: Field) {
  if (holdsMoney(field)) return moneySchema;
  if (field.fieldType === FIELD.boolean) return z.boolean('Choose yes or no');
  if (field.fieldType === FIELD.number) return z.number('Enter a number, such as 1234.5');
  if (field.fieldType === FIELD.date) return dateSchema(field);
  return field.fieldType === FIELD.text ? textSchema(field) : namedSchema(field);
}

const fieldSchemas = new WeakMap<Field, z.ZodMiniType>();

/** Validation schema of a field's values, built on first use. */
function getFieldSchema(field: Field): z.ZodMiniType {
  const cached = fieldSchemas.get(field);
  if (cached) return cached;
  const item = itemSchema(field);
  const schema = field.isMultiSelect
    ? z.array(item).check(z.maxLength(MAX_VALUES, `Choose at most ${formatNumber(MAX_VALUES)}`))
    : item;
  fieldSchemas.set(field, schema);
  return schema;
}

/** Reason why a field cannot be edited; undefined if it can. */
export function getLockedReason(field: Field): string | undefined {
  if (field.isCalculated) return `${field.name} is calculated: ${field.formula ?? 'by the service'}`;
  if (field.fieldType === FIELD.counter) return `${field.name} is assigned by the service`;
  if (isFileField(field.fieldType)) return `Files of ${field.name} are changed on the entry's page`;
  return field.isStoreRequestSupported ? undefined : `${field.name} cannot be edited`;
}

/** Validation error of a value, worded as an instruction; undefined for valid values and no data. */
export function getValueError(value: FieldValue | undefined, field: Field): string | undefined {
  if (toItems(value).length === 0 || isFileField(field.fieldType)) return undefined;
  const { error } = getFieldSchema(field).safeParse(value);
  return error?.issues[0]?.message;
}

/** Converts a value to the form that `requiredWhen` conditions compare (contract, required-when). */
function toComparedValue(value: FieldValue | undefined, field: Field): unknown {
  const { value: requestValue, currencyCode } = toRequestValue(value);
  if (requestValue === null) return undefined;
  if (isFileField(field.fieldType) || field.isMultiSelect) return [requestValue].flat();
  return currencyCode === undefined ? requestValue : { value: requestValue, currencyCode };
}

/**
 * Finds required fields without a value, by the service's rule (spec 4.6): of new entries all, of existing entries those
 * that were not missing before. Fields that are not among the values are unknown, and rules that depend on them are left
 * to the service.
 * @param before values before the change; undefined for a new entry
 */
export function findMissingValues(
  fields: readonly Field[],
  before: Values | undefined,
  after: Values,
): ReadonlyMap<number, string> {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const toComparedValues = (values: Values) =>
    Object.fromEntries(
      [...values].flatMap(([id, value]) => {
        const field = byId.get(id);
        return field ? [[id, toComparedValue(value, field)]] : [];
      }),
    );
  const isRequired = (field: Field, values: Values): boolean => {
    if (field.isRequired) return true;
    const { requiredWhen } = field;
    if (!requiredWhen || !requiredWhen.conditions.every(({ fieldId }) => values.has(fieldId))) return false;
    return isRequiredNow(requiredWhen, (id) => byId.get(id), toComparedValues(values));
  };
  const isMissing = (field: Field, values: Values) => toItems(values.get(field.id)).length === 0;
  return new Map(
    fields
      .filter((field) => field.isStoreRequestSupported && after.has(field.id) && isMissing(field, after))
      .filter((field) => isRequired(field, after))
      .filter((field) => !before || !isMissing(field, before) || !isRequired(field, before))
      .map((field) => [
        field.id,
        field.isRequired
          ? `${field.name} is required`
          : `${field.name} is required under the current conditions`,
      ]),
  );
}

import { z } from 'zod/mini';
import { beginsWithDay } from '../../../../contract/rules/days.ts';
import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/fields.ts';
import { isRequiredNow } from '../../../../contract/rules/required-when.ts';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';
import type { Field } from '../model/schema.ts';
import { itemsOf } from '../model/values.ts';
import { writtenOf } from './written.ts';

type Values = ReadonlyMap<number, FieldValue | undefined>;

// As the service has them: names are names, lists show them whole.
const MOST_TEXT = 1_000_000;
const MOST_NAME = 1_000;
const MOST_VALUES = 1_000;
/** A moment that names its zone. */
export const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i;
export const DAY = /^\d{4}-\d{2}-\d{2}$/;

const isDay = (text: string): boolean => DAY.test(text) && !text.startsWith('0000') && beginsWithDay(text);
const isMoment = (text: string): boolean =>
  isDay(text) || (MOMENT.test(text) && beginsWithDay(text) && !Number.isNaN(Date.parse(text)));

const MIDNIGHT = /T00:00:00(\.0+)?Z$/;
const isWholeDay = (text: string): boolean => isDay(text.replace(MIDNIGHT, ''));

const dateSchema = ({ isDateOnly }: Field) =>
  isDateOnly
    ? z
        .string('Write a day such as 2026-03-01')
        .check(z.refine(isWholeDay, 'Write a day of the calendar, such as 2026-03-01'))
    : z
        .string('Write a moment such as 2026-03-01 08:00')
        .check(z.refine((text) => isMoment(text), 'Write a moment in UTC, such as 2026-03-01 08:00'));

function namedSchema(field: Field) {
  const named = z.looseObject({ id: z.int('Choose one of the list'), name: z.string() });
  if (field.fieldType !== FIELD.choice) return named;
  const offered = new Set(field.choiceValues?.map(({ id }) => id));
  return named.check(z.refine(({ id }) => offered.has(id), `${field.name} does not offer this any more`));
}

const moneySchema = z.object({
  value: z.number('Write an amount, such as 12.50'),
  currencyCode: z.string().check(z.regex(/^[A-Z]{3}$/, 'Name a currency by its three letters, such as EUR')),
});

function textSchema({ isKey }: Field) {
  const most = isKey ? MOST_NAME : MOST_TEXT;
  return z.string().check(z.maxLength(most, `Use at most ${count(most)} characters`));
}

function itemSchema(field: Field) {
  if (holdsMoney(field)) return moneySchema;
  if (field.fieldType === FIELD.boolean) return z.boolean('Choose yes or no');
  if (field.fieldType === FIELD.number) return z.number('Write a number, such as 1234.5');
  if (field.fieldType === FIELD.date) return dateSchema(field);
  return field.fieldType === FIELD.text ? textSchema(field) : namedSchema(field);
}

const made = new WeakMap<Field, z.ZodMiniType>();

/** What a field can hold, made from the schema of the site when it is first asked for. */
function schemaOf(field: Field): z.ZodMiniType {
  const known = made.get(field);
  if (known) return known;
  const item = itemSchema(field);
  const schema = field.isMultiSelect
    ? z.array(item).check(z.maxLength(MOST_VALUES, `Choose at most ${count(MOST_VALUES)}`))
    : item;
  made.set(field, schema);
  return schema;
}

/** Why a field cannot be edited here; undefined where it can. */
export function lockedReason(field: Field): string | undefined {
  if (field.isCalculated) return `${field.name} is calculated: ${field.formula ?? 'by the service'}`;
  if (field.fieldType === FIELD.counter) return `${field.name} is numbered by the service`;
  if (isFileField(field.fieldType)) return `Files of ${field.name} are changed on the page of the entry`;
  return field.isStoreRequestSupported ? undefined : `${field.name} is not written by hand`;
}

/** What is wrong with a value of a field by itself, in words that say what to do. */
export function valueFault(value: FieldValue | undefined, field: Field): string | undefined {
  if (itemsOf(value).length === 0 || isFileField(field.fieldType)) return undefined;
  const { error } = schemaOf(field).safeParse(value);
  return error?.issues[0]?.message;
}

/** A value as conditions compare it: ids, amounts with their currency, lists (contract, required-when). */
function comparedOf(value: FieldValue | undefined, field: Field): unknown {
  const { value: written, currencyCode } = writtenOf(value);
  if (written === null) return undefined;
  if (isFileField(field.fieldType) || field.isMultiSelect) return [written].flat();
  return currencyCode === undefined ? written : { value: written, currencyCode };
}

/**
 * The fields that need a value and have none, as the service asks for them (spec 4.6): all of a new entry; of others
 * those that were not lacking before. `undefined` before means a new entry. What is not among the values is not known
 * here, and what depends on it is left to the service.
 */
export function missingIn(
  fields: readonly Field[],
  before: Values | undefined,
  after: Values,
): ReadonlyMap<number, string> {
  const byId = new Map(fields.map((field) => [field.id, field]));
  const comparedIn = (values: Values) =>
    Object.fromEntries(
      [...values].flatMap(([id, value]) => {
        const field = byId.get(id);
        return field ? [[id, comparedOf(value, field)]] : [];
      }),
    );
  const needs = (field: Field, values: Values): boolean => {
    if (field.isRequired) return true;
    const { requiredWhen } = field;
    if (!requiredWhen || !requiredWhen.conditions.every(({ fieldId }) => values.has(fieldId))) return false;
    return isRequiredNow(requiredWhen, (id) => byId.get(id), comparedIn(values));
  };
  const lacks = (field: Field, values: Values) => itemsOf(values.get(field.id)).length === 0;
  return new Map(
    fields
      .filter((field) => field.isStoreRequestSupported && after.has(field.id) && lacks(field, after))
      .filter((field) => needs(field, after))
      .filter((field) => !before || !lacks(field, before) || !needs(field, before))
      .map((field) => [
        field.id,
        field.isRequired
          ? `${field.name} is required`
          : `${field.name} is required here: its conditions hold`,
      ]),
  );
}

import { FIELD } from '../../../../contract/rules/fields.ts';
import { type DateTimeBehavior, shownDate, type SchemaField, type Zones } from '../../schema/index.ts';
import { joinRows, rowsIn } from './rows-text.ts';

/** A date as the database wrote it, in the zone that was asked for. */
export function shownValue(
  value: unknown,
  field: SchemaField,
  behavior: DateTimeBehavior,
  zones: Zones,
): unknown {
  if (behavior === 0 || field.fieldType !== FIELD.date || typeof value !== 'string') return value;
  return shownDate(field.isDateOnly ? value.slice(0, 10) : value, field.isDateOnly, behavior, zones);
}

/** Rows with their dates in the zone that was asked for. Those in UTC are passed on as the database wrote them. */
export function shownRows(
  rows: readonly string[],
  fields: readonly SchemaField[],
  behavior: DateTimeBehavior,
  zones: Zones,
): readonly string[] {
  const dates = fields.filter((field) => field.fieldType === FIELD.date);
  if (behavior === 0 || dates.length === 0) return rows;
  return rows.map((text) => {
    const row = JSON.parse(text) as Record<string, unknown>;
    for (const field of dates)
      if (field.apiName in row) row[field.apiName] = shownValue(row[field.apiName], field, behavior, zones);
    return JSON.stringify(row);
  });
}

/** The same of all rows of an answer in one text. */
export const shownText = (
  text: string,
  fields: readonly SchemaField[],
  behavior: DateTimeBehavior,
  zones: Zones,
): string => (behavior === 0 ? text : joinRows(shownRows(rowsIn(text), fields, behavior, zones)));

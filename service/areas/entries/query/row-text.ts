/** Texts of responses from rows that the database writes as JSON. */
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { type DateTimeBehavior, formatDate, type SchemaField, type TimeZones } from '../../schema/index.ts';

/**
 * Separates the rows of a response within one text. The event loop passes the text on whole, however many rows it has.
 * Rows contain no line breaks, because JSON escapes those of texts.
 */
export const ROW_SEPARATOR = ',\n';

const splitRows = (text: string): string[] => (text === '' ? [] : text.split(ROW_SEPARATOR));

export const joinRows = (texts: readonly string[]): string =>
  texts.filter((text) => text !== '').join(ROW_SEPARATOR);

/** A row result (shapes 4). `position` is left out when it was not requested; null: the entry is not in the list. */
export const formatRowResult = (
  totalRecords: number,
  rows: string,
  position?: number | null,
): { status: 200; json: string } => ({
  status: 200,
  json: `{"totalRecords":${totalRecords},"rows":[${rows}]${position === undefined ? '' : `,"position":${position}`}}`,
});

/**
 * Streams a JSON list of items that are read in batches. The opening bracket is yielded with the first batch, so that an
 * error of the first read can still be answered with its status.
 */
export async function* streamJsonList(
  batches: AsyncIterable<readonly (string | number)[]>,
): AsyncGenerator<string> {
  let prefix = '[';
  for await (const batch of batches) {
    yield prefix + batch.join(',');
    prefix = ',';
  }
  yield prefix === '[' ? '[]' : ']';
}

/** Converts a date from UTC, as the database writes it, to the requested time zone; returns other values as they are. */
export function localizeValue(
  value: unknown,
  field: SchemaField,
  behavior: DateTimeBehavior,
  zones: TimeZones,
): unknown {
  if (behavior === 0 || field.fieldType !== FIELD.date || typeof value !== 'string') return value;
  return formatDate(field.isDateOnly ? value.slice(0, 10) : value, field.isDateOnly, behavior, zones);
}

/** Converts the dates of rows to the requested time zone. Rows in UTC are returned without parsing them. */
export function localizeRows(
  rows: readonly string[],
  fields: readonly SchemaField[],
  behavior: DateTimeBehavior,
  zones: TimeZones,
): readonly string[] {
  const dateFields = fields.filter((field) => field.fieldType === FIELD.date);
  if (behavior === 0 || dateFields.length === 0) return rows;
  return rows.map((text) => {
    const row = JSON.parse(text) as Record<string, unknown>;
    for (const field of dateFields)
      if (field.apiName in row)
        row[field.apiName] = localizeValue(row[field.apiName], field, behavior, zones);
    return JSON.stringify(row);
  });
}

/** Like `localizeRows` for rows in one text. */
export const localizeRowsText = (
  text: string,
  fields: readonly SchemaField[],
  behavior: DateTimeBehavior,
  zones: TimeZones,
): string => (behavior === 0 ? text : joinRows(localizeRows(splitRows(text), fields, behavior, zones)));

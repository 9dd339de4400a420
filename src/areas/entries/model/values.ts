import type {
  FieldValue,
  FieldValueItem,
  MoneyValue,
  RowVm,
  StoreRequestVm,
} from '../../../../contract/generated/types.gen.ts';
import { FIELD, holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import { isFile, isMoney, isNamed, toItems } from '../../../../contract/rules/schema/values.ts';
import { formatDateValue, formatZoneName } from './dates.ts';
import type { Field } from './schema.ts';

export { isFile, isMoney, isNamed, toItems };

/** The value of a field in a row; rows omit fields without data (shapes 4). */
export const getValue = (row: RowVm, { apiName }: Pick<Field, 'apiName'>): FieldValue | undefined =>
  row[apiName];

// Groups from five digits on, so that years stay as they are written.
const plainNumberFormat = new Intl.NumberFormat(undefined, {
  useGrouping: 'min2',
  maximumFractionDigits: 15,
});
/** Numbers closer to 0 have an exponent, as in JSON: as a decimal fraction they would be cut to 0, or be taken for it. */
const MIN_FRACTION = 1e-6;
const exponentFormat = new Intl.NumberFormat(undefined, {
  notation: 'scientific',
  maximumSignificantDigits: 15,
});
const moneyFormats = new Map<string, Intl.NumberFormat>();

const isTiny = (value: number): boolean => value !== 0 && Math.abs(value) < MIN_FRACTION;

/** Formats a number; one that is not 0 does not look like 0. */
export const formatNonZero = (value: number, format: Intl.NumberFormat): string =>
  (isTiny(value) ? exponentFormat : format).format(value);

/** Formats an amount with its currency code, keeping its fraction digits. */
function formatMoney({ value, currencyCode }: MoneyValue): string {
  if (isTiny(value)) return `${currencyCode} ${exponentFormat.format(value)}`;
  try {
    const format =
      moneyFormats.get(currencyCode) ??
      new Intl.NumberFormat(undefined, {
        style: 'currency',
        currency: currencyCode,
        currencyDisplay: 'code',
        minimumFractionDigits: 0,
        maximumFractionDigits: 6,
      });
    moneyFormats.set(currencyCode, format);
    return format.format(value);
  } catch {
    return `${currencyCode} ${plainNumberFormat.format(value)}`;
  }
}

/** Formats one value as the text a cell shows. */
export function formatItem(
  item: FieldValueItem,
  field: Pick<Field, 'fieldType' | 'isDateOnly' | 'isMoney'>,
): string {
  if (item === null) return '';
  if (typeof item === 'boolean') return item ? 'Yes' : 'No';
  if (typeof item === 'number') return formatNonZero(item, plainNumberFormat);
  if (isMoney(item)) return formatMoney(item);
  if (typeof item === 'object') return item.name;
  return field.fieldType === FIELD.date ? formatDateValue(item, field.isDateOnly) : item;
}

/** The address of a text that is a web address; undefined for any other text. */
export const findUrl = (text: string): string | undefined =>
  /^https?:\/\/[^\s/?#]\S*$/i.test(text) ? text : undefined;

/** Formats a value, dates with their time zone; empty for no data. */
export const formatValue = (
  value: FieldValue | undefined,
  field: Pick<Field, 'fieldType' | 'isMoney' | 'isDateOnly'>,
  timeZone: string,
): string =>
  toItems(value)
    .map((item) => {
      if (field.fieldType !== FIELD.date || typeof item !== 'string') return formatItem(item, field);
      const date = formatDateValue(item, field.isDateOnly, timeZone);
      return field.isDateOnly ? date : `${date} ${formatZoneName(item, timeZone)}`;
    })
    .join(', ');

/** Display name of an entry: the value of its key field, or "Entry <id>" without one. */
export function formatEntryName(row: RowVm, key: Field | undefined): string {
  const [name] = key ? toItems(getValue(row, key)) : [];
  const text = key && name !== undefined ? formatItem(name, key).trim() : '';
  return text === '' ? `Entry ${row.EntryId}` : text;
}

const RIGHT_ALIGNED = new Set<number>([FIELD.number, FIELD.date, FIELD.counter]);

/** Whether values of the field are aligned to the end of their column: numbers, amounts and dates. */
export const isEndAligned = (field: Field): boolean =>
  !field.isMultiSelect && (holdsMoney(field) || RIGHT_ALIGNED.has(field.fieldType));

type Scalar = string | number | boolean;

/** A value in a store request: ids for choices, references and users; null clears the field (shapes 4). */
export type RequestValue = Required<Pick<StoreRequestVm, 'value'>> & { currencyCode?: string };

function toScalar(item: FieldValueItem): Scalar {
  if (item === null) return '';
  if (typeof item !== 'object') return item;
  return 'currencyCode' in item ? item.value : item.id;
}

/** Converts a read value to the value of a store request. */
export function toRequestValue(value: FieldValue | undefined): RequestValue {
  const items = toItems(value);
  const [first] = items;
  if (first === undefined) return { value: null };
  if (Array.isArray(value)) return { value: items.map(toScalar) };
  const hasCurrency = typeof first === 'object' && first !== null && 'currencyCode' in first;
  return { value: toScalar(first), ...(hasCurrency && { currencyCode: first.currencyCode }) };
}

// Multiple values have no order, and a single one may be read as a list or a plain value.
function toCanonicalText(value: FieldValue | undefined): string {
  const { value: requestValue, currencyCode } = toRequestValue(value);
  const items = [requestValue].flat().map((item) => JSON.stringify(item));
  return JSON.stringify([items.toSorted(compareCodeUnits), currencyCode]);
}

const compareCodeUnits = (a: string, b: string): number => Number(a > b) - Number(a < b);

/** Whether two values of a field are equal; texts are compared with case (spec 4.4). */
export const isSameValue = (a: FieldValue | undefined, b: FieldValue | undefined): boolean =>
  a === b || toCanonicalText(a) === toCanonicalText(b);

import { holdsMoney } from '../../../../contract/rules/fields.ts';
import type {
  FieldValue,
  FieldValueItem,
  FileValueVm,
  MoneyValue,
  NamedValue,
  RowVm,
} from '../../../api/generated/types.gen.ts';
import { dateWords } from './dates.ts';
import type { Field } from './schema.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const isFile = (value: unknown): value is FileValueVm => isObject(value) && 'contentType' in value;
export const isMoney = (value: unknown): value is MoneyValue => isObject(value) && 'currencyCode' in value;
export const isNamed = (value: unknown): value is NamedValue =>
  isObject(value) && 'id' in value && 'name' in value && !isFile(value);

/** The values of a field: none, one, or several. */
export function itemsOf(value: FieldValue | undefined): readonly FieldValueItem[] {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

/** The value of a field in a row; fields without data are left out there (shapes 4). */
export const valueIn = (row: RowVm, { apiName }: Pick<Field, 'apiName'>): FieldValue | undefined =>
  row[apiName];

// Years and numbers of registers are numbers too: their digits stand together.
const plain = new Intl.NumberFormat(undefined, { useGrouping: false, maximumFractionDigits: 15 });
const money = new Map<string, Intl.NumberFormat>();

/** An amount with its currency, by the fraction digits that it has. */
function moneyWords({ value, currencyCode }: MoneyValue): string {
  try {
    const format =
      money.get(currencyCode) ??
      new Intl.NumberFormat(undefined, {
        style: 'currency',
        currency: currencyCode,
        currencyDisplay: 'code',
        minimumFractionDigits: 0,
        maximumFractionDigits: 6,
      });
    money.set(currencyCode, format);
    return format.format(value);
  } catch {
    return `${currencyCode} ${plain.format(value)}`;
  }
}

/** One value as a text, as a cell shows it. */
export function itemText(
  item: FieldValueItem,
  field: Pick<Field, 'fieldType' | 'isDateOnly' | 'isMoney'>,
): string {
  if (item === null) return '';
  if (typeof item === 'boolean') return item ? 'Yes' : 'No';
  if (typeof item === 'number') return plain.format(item);
  if (isMoney(item)) return moneyWords(item);
  if (isObject(item)) return item.name;
  return field.fieldType === 4 ? dateWords(item, field.isDateOnly) : item;
}

/** How an entry is called; one without a name by its id. `key`: the field that names entries of its type. */
export function entryName(row: RowVm, key: Field | undefined): string {
  const [name] = key ? itemsOf(valueIn(row, key)) : [];
  const text = key && name !== undefined ? itemText(name, key).trim() : '';
  return text === '' ? `Entry ${row.EntryId}` : text;
}

/** Numbers, amounts and dates stand at the end of their column. */
export const standsAtEnd = (field: Field): boolean =>
  !field.isMultiSelect && (holdsMoney(field) || [3, 4, 15].includes(field.fieldType));

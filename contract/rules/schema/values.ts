import type {
  FieldValue,
  FieldValueItem,
  FileValueVm,
  MoneyValue,
  NamedValue,
} from '../../generated/types.gen.ts';

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

export const isFile = (value: unknown): value is FileValueVm => isObject(value) && 'contentType' in value;
export const isMoney = (value: unknown): value is MoneyValue => isObject(value) && 'currencyCode' in value;
export const isNamed = (value: unknown): value is NamedValue =>
  isObject(value) && 'id' in value && 'name' in value && !isFile(value);

/** The values of a field as a list: none, one or several. */
export function toItems(value: FieldValue | undefined): readonly FieldValueItem[] {
  if (value === undefined || value === null || value === '') return [];
  return Array.isArray(value) ? value : [value];
}

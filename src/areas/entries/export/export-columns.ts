import type { FieldValueItem, RowVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { toSheetDate } from '../../../files/table/cells.ts';
import type { ExportCell } from '../../../files/table/cells.ts';
import { fromWallTime, toWallTime, formatZonedIso } from '../../../lib/time-zones.ts';
import type { Field } from '../model/schema.ts';
import { isFile, isMoney, isNamed, toItems, getValue } from '../model/values.ts';

/** The part of a value that a column contains. */
export type ColumnPart = 'value' | 'id' | 'currency';

const PART_SUFFIXES: Readonly<Record<ColumnPart, string>> = {
  value: '',
  id: ' (id)',
  currency: ' (currency)',
};

/** The columns of a field: names and ids of references and users, amounts and currencies, else one column. */
export function getColumnParts(field: Field): readonly ColumnPart[] {
  if (field.fieldType === FIELD.reference || field.fieldType === FIELD.user) return ['value', 'id'];
  return holdsMoney(field) ? ['value', 'currency'] : ['value'];
}

const hasZone = ({ fieldType, isDateOnly }: Field): boolean => fieldType === FIELD.date && !isDateOnly;

const formatHeading = (name: string, part: ColumnPart, field: Field, zone: string): string =>
  `${name}${PART_SUFFIXES[part]}${hasZone(field) ? ` (${zone})` : ''}${isFileField(field.fieldType) ? ' (files)' : ''}`;

/**
 * Creates a function that formats column headings: the name of the field, or its apiName if two columns would have the
 * same heading. Headings of dates with a time contain the time zone.
 */
export function createHeadingFormatter(
  fields: readonly Field[],
  zone: string,
): (field: Field, part: ColumnPart) => string {
  const counts = new Map([[ENTRY_ID.toLowerCase(), 1]]);
  const headings = fields.flatMap((field) =>
    getColumnParts(field).map((part) => formatHeading(field.name.trim(), part, field, zone).toLowerCase()),
  );
  for (const heading of headings) counts.set(heading, (counts.get(heading) ?? 0) + 1);
  const idsByApiName = new Map(fields.map(({ apiName, id }) => [apiName.toLowerCase(), id]));
  const isNameUnique = (field: Field) =>
    (idsByApiName.get(field.name.trim().toLowerCase()) ?? field.id) === field.id &&
    getColumnParts(field).every(
      (part) => counts.get(formatHeading(field.name.trim(), part, field, zone).toLowerCase()) === 1,
    );
  return (field, part) =>
    formatHeading(isNameUnique(field) ? field.name.trim() : field.apiName, part, field, zone);
}

/** Formats a choice as its name, or as "#" and its id if the name is ambiguous. */
export const formatChoice = (field: Field, { id, name }: { id: number; name: string }): string => {
  const key = name.trim().toLowerCase();
  const matches = field.choiceValues?.filter((choice) => choice.name.trim().toLowerCase() === key) ?? [];
  return key !== '' && matches.length === 1 && matches[0]?.id === id && !/^#\d+$/.test(name.trim())
    ? name
    : `#${id}`;
};

const formatNamedItem = (item: FieldValueItem, field: Field): string => {
  if (!isNamed(item)) return '';
  return field.fieldType === FIELD.choice ? formatChoice(field, item) : item.name;
};

function toDateCell(value: string, field: Field, zone: string): ExportCell {
  const timestamp = Date.parse(value);
  if (field.isDateOnly) return toSheetDate(value.slice(0, 10), timestamp, true);
  const wall = toWallTime(timestamp, zone);
  const text = formatZonedIso(timestamp, zone);
  // Times that occur twice when clocks change are exported as text with their offset.
  return fromWallTime(wall, zone) === timestamp ? toSheetDate(text, wall, false) : text;
}

/** Converts a part of a field's value in a row to an export cell. */
export function toExportCell(row: RowVm, field: Field, part: ColumnPart, zone: string): ExportCell {
  const items = toItems(getValue(row, field));
  const [item] = items;
  if (item === undefined || item === null) return '';
  if (isFileField(field.fieldType)) return items.filter(isFile).map(({ name }) => name);
  if (part === 'id') return toIdCell(items, field);
  if (holdsMoney(field)) return isMoney(item) ? (part === 'value' ? item.value : item.currencyCode) : '';
  if (isNamed(item))
    return field.isMultiSelect
      ? items.map((each) => formatNamedItem(each, field))
      : formatNamedItem(item, field);
  if (field.fieldType === FIELD.date && typeof item === 'string') return toDateCell(item, field, zone);
  return typeof item === 'object' ? '' : item;
}

function toIdCell(items: readonly FieldValueItem[], field: Field): ExportCell {
  const ids = items.filter(isNamed).map(({ id }) => id);
  return field.isMultiSelect ? ids : (ids[0] ?? '');
}

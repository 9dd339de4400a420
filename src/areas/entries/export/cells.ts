import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/fields.ts';
import type { FieldValueItem, RowVm } from '../../../api/generated/types.gen.ts';
import { sheetDate } from '../../../files/cells.ts';
import type { ExportCell } from '../../../files/cells.ts';
import type { Field } from '../model/schema.ts';
import { isFile, isMoney, isNamed, itemsOf, valueIn } from '../model/values.ts';
import type { Part } from './headings.ts';
import { momentOf, wallOf, zonedText } from '../../../lib/zones.ts';

/** A choice by its name, or by its number where the name could mean another one. */
export const choiceText = (field: Field, { id, name }: { id: number; name: string }): string => {
  const key = name.trim().toLowerCase();
  const called = field.choiceValues?.filter((choice) => choice.name.trim().toLowerCase() === key) ?? [];
  return key !== '' && called.length === 1 && called[0]?.id === id && !/^#\d+$/.test(name.trim())
    ? name
    : `#${id}`;
};

const nameOf = (item: FieldValueItem, field: Field): string => {
  if (!isNamed(item)) return '';
  return field.fieldType === FIELD.choice ? choiceText(field, item) : item.name;
};

function dateCell(value: string, field: Field, zone: string): ExportCell {
  const moment = Date.parse(value);
  if (field.isDateOnly) return sheetDate(value.slice(0, 10), moment, true);
  const wall = wallOf(moment, zone);
  const text = zonedText(moment, zone);
  // An hour that the clocks show twice is told with its offset.
  return momentOf(wall, zone) === moment ? sheetDate(text, wall, false) : text;
}

/** A part of what an entry holds in a field, as a cell. */
export function cellOf(row: RowVm, field: Field, part: Part, zone: string): ExportCell {
  const items = itemsOf(valueIn(row, field));
  const [item] = items;
  if (item === undefined || item === null) return '';
  if (isFileField(field.fieldType)) return items.filter(isFile).map(({ name }) => name);
  if (part === 'id') return ids(items, field);
  if (holdsMoney(field)) return isMoney(item) ? (part === 'value' ? item.value : item.currencyCode) : '';
  if (isNamed(item))
    return field.isMultiSelect ? items.map((one) => nameOf(one, field)) : nameOf(item, field);
  if (field.fieldType === FIELD.date && typeof item === 'string') return dateCell(item, field, zone);
  return typeof item === 'object' ? '' : item;
}

function ids(items: readonly FieldValueItem[], field: Field): ExportCell {
  const all = items.filter(isNamed).map(({ id }) => id);
  return field.isMultiSelect ? all : (all[0] ?? '');
}

import { isFileField } from '../../contract/rules/fields.ts';
import { MOST_FROZEN } from './columns-store.ts';
import type { ColumnChoice } from './columns-store.ts';
import type { Field } from './schema.ts';

/** A column of the grid: a field, and how wide it is. */
export interface EntryColumn {
  field: Field;
  width: number;
}

const WIDTHS: Readonly<Record<number, number>> = {
  1: 220,
  2: 170,
  3: 120,
  4: 200,
  5: 180,
  6: 90,
  7: 170,
  13: 180,
  15: 110,
  16: 180,
  18: 150,
};
const KEY_WIDTH = 240;
const LEAST = 64;
const MOST = 900;

/** A width that a column can have. */
export const fitting = (width: number): number => Math.round(Math.min(MOST, Math.max(LEAST, width)));

const widthOf = (field: Field, choice: ColumnChoice): number =>
  fitting(
    choice.widths[field.apiName] ??
      (field.isKey ? KEY_WIDTH : field.isDateOnly ? 120 : (WIDTHS[field.fieldType] ?? 160)),
  );

/** The fields as columns: the key first, then those that were moved, then the others as the schema has them. */
export function orderedFields(
  fields: readonly Field[],
  { order }: Pick<ColumnChoice, 'order'>,
): readonly Field[] {
  const place = new Map(order.map((name, at) => [name, at]));
  const key = fields.filter(({ isKey }) => isKey);
  const others = fields.filter(({ isKey }) => !isKey);
  const placed = others
    .filter(({ apiName }) => place.has(apiName))
    .toSorted((a, b) => (place.get(a.apiName) ?? 0) - (place.get(b.apiName) ?? 0));
  return [...key, ...placed, ...others.filter(({ apiName }) => !place.has(apiName))];
}

/** The columns that are shown. The key names the entry: it is never hidden. */
export const columnsOf = (fields: readonly Field[], choice: ColumnChoice): readonly EntryColumn[] =>
  orderedFields(fields, choice)
    .filter(({ isKey, apiName }) => isKey || !choice.hidden.includes(apiName))
    .map((field) => ({ field, width: widthOf(field, choice) }));

/** The order of all columns with one of them moved by some places. */
export function moved(
  fields: readonly Field[],
  choice: ColumnChoice,
  name: string,
  by: number,
): ColumnChoice {
  const names = orderedFields(fields, choice)
    .filter(({ isKey }) => !isKey)
    .map(({ apiName }) => apiName);
  const from = names.indexOf(name);
  const to = Math.max(0, Math.min(names.length - 1, from + by));
  if (from < 0 || to === from) return choice;
  names.splice(to, 0, ...names.splice(from, 1));
  return { ...choice, order: names };
}

/** The columns that stay at the side besides the key. */
export const pinned = (fields: readonly Field[], choice: ColumnChoice): readonly string[] =>
  columnsOf(fields, choice)
    .slice(1, choice.frozen)
    .map(({ field }) => field.apiName);

/** The columns without some; of those that stay at the side fewer may be left. */
export const hiding = (
  fields: readonly Field[],
  choice: ColumnChoice,
  hidden: readonly string[],
): ColumnChoice => ({
  ...choice,
  hidden,
  frozen: 1 + pinned(fields, choice).filter((name) => !hidden.includes(name)).length,
});

/** The columns with one more that stays at the side, behind those that do; or with one fewer. */
export function pinning(fields: readonly Field[], choice: ColumnChoice, name: string): ColumnChoice {
  const before = pinned(fields, choice);
  const isPinned = before.includes(name);
  if (!isPinned && choice.frozen >= MOST_FROZEN) return choice;
  const staying = isPinned ? before.filter((one) => one !== name) : [...before, name];
  const others = orderedFields(fields, choice).filter(
    ({ isKey, apiName }) => !isKey && !staying.includes(apiName) && apiName !== name,
  );
  return {
    ...choice,
    order: [...staying, ...(isPinned ? [name] : []), ...others.map(({ apiName }) => apiName)],
    hidden: choice.hidden.filter((one) => one !== name),
    frozen: staying.length + 1,
  };
}

/** Whether rows can be ordered by the field: the service has no order for files and for several values. */
export const hasOrder = (field: Field): boolean => !field.isMultiSelect && !isFileField(field.fieldType);

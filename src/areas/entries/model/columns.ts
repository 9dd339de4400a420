import { isFileField } from '../../../../contract/rules/fields.ts';
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
  6: 110,
  7: 170,
  13: 180,
  15: 110,
  16: 180,
  18: 170,
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
  const first = others
    .filter(({ apiName }) => place.has(apiName))
    .toSorted((a, b) => (place.get(a.apiName) ?? 0) - (place.get(b.apiName) ?? 0));
  return [...key, ...first, ...others.filter(({ apiName }) => !place.has(apiName))];
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

/**
 * The columns with one that stands before another place among those that are shown (0 is the key, which stays the first).
 * What is dropped among the columns that stay at the side stays there too, and what is taken from them scrolls; between
 * both a column stays what it was.
 */
export function placed(
  fields: readonly Field[],
  choice: ColumnChoice,
  name: string,
  at: number,
): ColumnChoice {
  const shown = columnsOf(fields, choice).map(({ field }) => field.apiName);
  const from = shown.indexOf(name);
  const to = Math.max(1, Math.min(shown.length, at));
  const frozen = Math.min(choice.frozen, shown.length);
  const stayed = from < frozen;
  const stays = to < frozen || (to === frozen && stayed);
  if (from < 1 || (stays === stayed && (to === from || to === from + 1))) return choice;
  if (stays && !stayed && choice.frozen >= MOST_FROZEN) return choice;
  const before = shown[to];
  const others = orderedFields(fields, choice)
    .filter(({ isKey, apiName }) => !isKey && apiName !== name)
    .map(({ apiName }) => apiName);
  // Hidden ones between both stay behind the one that they followed.
  const place = before === undefined ? others.length : others.indexOf(before);
  return {
    ...choice,
    order: [...others.slice(0, place), name, ...others.slice(place)],
    frozen: frozen + Number(stays) - Number(stayed),
  };
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

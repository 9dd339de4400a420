import { FIELD, holdsMoney, isFileField } from '../../../../contract/rules/schema/fields.ts';
import { saveLocally } from '../../../lib/local-storage.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import type { Field } from './schema.ts';

/** A column of the grid. */
export interface EntryColumn {
  field: Field;
  /** In CSS pixels. */
  width: number;
}

const WIDTHS: Readonly<Record<number, number>> = {
  1: 220,
  2: 170,
  3: 180,
  4: 220,
  5: 180,
  6: 110,
  7: 170,
  13: 180,
  15: 130,
  16: 180,
  18: 220,
};
const KEY_WIDTH = 240;
/** Fits a time in three zones of which two have another day. */
const ALL_ZONES_WIDTH = 440;
const MIN_COLUMN_WIDTH_PX = 64;
const MAX_COLUMN_WIDTH_PX = 900;

/** Limits a column width to the range the grid supports, in whole CSS pixels. */
export const clampColumnWidth = (width: number): number =>
  Math.round(Math.min(MAX_COLUMN_WIDTH_PX, Math.max(MIN_COLUMN_WIDTH_PX, width)));

/** Wide enough for 15 digits with their groups, an amount with its currency, and a time with its zone. */
const getDefaultColumnWidth = (field: Field, showsAllZones: boolean): number => {
  if (field.isKey) return KEY_WIDTH;
  if (field.isDateOnly) return 120;
  if (showsAllZones && field.fieldType === FIELD.date) return ALL_ZONES_WIDTH;
  return WIDTHS[holdsMoney(field) ? FIELD.currency : field.fieldType] ?? 160;
};

const getColumnWidth = (field: Field, layout: ColumnLayout, showsAllZones: boolean): number =>
  clampColumnWidth(layout.widths[field.apiName] ?? getDefaultColumnWidth(field, showsAllZones));

/** Fields in column order: the key field, then the moved columns, then the others in schema order. */
export function orderFields(
  fields: readonly Field[],
  { order }: Pick<ColumnLayout, 'order'>,
): readonly Field[] {
  const positions = new Map(order.map((name, index) => [name, index]));
  const key = fields.filter(({ isKey }) => isKey);
  const others = fields.filter(({ isKey }) => !isKey);
  const moved = others
    .filter(({ apiName }) => positions.has(apiName))
    .toSorted((a, b) => (positions.get(a.apiName) ?? 0) - (positions.get(b.apiName) ?? 0));
  return [...key, ...moved, ...others.filter(({ apiName }) => !positions.has(apiName))];
}

/** Visible columns in order. The key column names the entry and cannot be hidden. */
export const getVisibleColumns = (
  fields: readonly Field[],
  layout: ColumnLayout,
  showsAllZones = false,
): readonly EntryColumn[] =>
  orderFields(fields, layout)
    .filter(({ isKey, apiName }) => isKey || !layout.hidden.includes(apiName))
    .map((field) => ({ field, width: getColumnWidth(field, layout, showsAllZones) }));

/** Moves a column by a number of positions; negative moves it towards the start. */
export function moveColumn(
  fields: readonly Field[],
  layout: ColumnLayout,
  name: string,
  offset: number,
): ColumnLayout {
  const names = orderFields(fields, layout)
    .filter(({ isKey }) => !isKey)
    .map(({ apiName }) => apiName);
  const from = names.indexOf(name);
  const to = Math.max(0, Math.min(names.length - 1, from + offset));
  if (from < 0 || to === from) return layout;
  names.splice(to, 0, ...names.splice(from, 1));
  return { ...layout, order: names };
}

/**
 * Drops a column before the visible column at index `target` (0 is the key column, which stays first). A column dropped
 * among the frozen columns becomes frozen, one dragged out of them scrolls; at the boundary it keeps its state.
 */
export function dropColumn(
  fields: readonly Field[],
  layout: ColumnLayout,
  name: string,
  target: number,
): ColumnLayout {
  const visible = getVisibleColumns(fields, layout).map(({ field }) => field.apiName);
  const from = visible.indexOf(name);
  const to = Math.max(1, Math.min(visible.length, target));
  const frozen = Math.min(layout.frozen, visible.length);
  const wasFrozen = from < frozen;
  const isFrozen = to < frozen || (to === frozen && wasFrozen);
  if (from < 1 || (isFrozen === wasFrozen && (to === from || to === from + 1))) return layout;
  if (isFrozen && !wasFrozen && layout.frozen >= MAX_FROZEN_COLUMNS) return layout;
  const next = visible[to];
  const others = orderFields(fields, layout)
    .filter(({ isKey, apiName }) => !isKey && apiName !== name)
    .map(({ apiName }) => apiName);
  // Hidden columns in between stay behind the column they follow.
  const index = next === undefined ? others.length : others.indexOf(next);
  return {
    ...layout,
    order: [...others.slice(0, index), name, ...others.slice(index)],
    frozen: frozen + Number(isFrozen) - Number(wasFrozen),
  };
}

/** API names of the frozen columns, without the key column. */
export const getFrozenFieldNames = (fields: readonly Field[], layout: ColumnLayout): readonly string[] =>
  getVisibleColumns(fields, layout)
    .slice(1, layout.frozen)
    .map(({ field }) => field.apiName);

/** Hides columns; hidden columns are no longer frozen. */
export const hideColumns = (
  fields: readonly Field[],
  layout: ColumnLayout,
  hidden: readonly string[],
): ColumnLayout => ({
  ...layout,
  hidden,
  frozen: 1 + getFrozenFieldNames(fields, layout).filter((name) => !hidden.includes(name)).length,
});

/** Freezes a column behind the frozen ones, or unfreezes it. Does nothing beyond `MAX_FROZEN_COLUMNS`. */
export function toggleFrozenColumn(
  fields: readonly Field[],
  layout: ColumnLayout,
  name: string,
): ColumnLayout {
  const frozenBefore = getFrozenFieldNames(fields, layout);
  const wasFrozen = frozenBefore.includes(name);
  if (!wasFrozen && layout.frozen >= MAX_FROZEN_COLUMNS) return layout;
  const frozen = wasFrozen ? frozenBefore.filter((other) => other !== name) : [...frozenBefore, name];
  const others = orderFields(fields, layout).filter(
    ({ isKey, apiName }) => !isKey && !frozen.includes(apiName) && apiName !== name,
  );
  return {
    ...layout,
    order: [...frozen, ...(wasFrozen ? [name] : []), ...others.map(({ apiName }) => apiName)],
    hidden: layout.hidden.filter((other) => other !== name),
    frozen: frozen.length + 1,
  };
}

/** Whether rows can be sorted by the field; the service does not sort by file fields and multi-select fields. */
export const isSortable = (field: Field): boolean => !field.isMultiSelect && !isFileField(field.fieldType);

/** Column settings of an entry type or a saved view; columns are identified by API name. */
export interface ColumnLayout {
  hidden: readonly string[];
  /** Moved columns in their order; columns that are not listed follow in schema order. */
  order: readonly string[];
  widths: Readonly<Record<string, number>>;
  /** Number of frozen columns at the start, including the key column. */
  frozen: number;
}

/** All columns in schema order with default widths. */
export const DEFAULT_COLUMN_LAYOUT: ColumnLayout = { hidden: [], order: [], widths: {}, frozen: 1 };
/** Upper bound of frozen columns, including the key column (contract, `ViewColumns`). */
export const MAX_FROZEN_COLUMNS = 10;
const getStorageKey = (key: string): string => `steward-entries-columns-${key}`;

const filterStrings = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];

const parseFrozen = (stored: object): number =>
  'frozen' in stored && Number.isInteger(stored.frozen)
    ? Math.max(1, Math.min(MAX_FROZEN_COLUMNS, Number(stored.frozen)))
    : 1;

/** Parses a stored layout; invalid parts are dropped. Returns undefined if the text is not a JSON object. */
export function parseColumnLayout(text: string | null): ColumnLayout | undefined {
  if (text === null) return undefined;
  try {
    const stored: unknown = JSON.parse(text);
    if (typeof stored !== 'object' || stored === null) return undefined;
    const widths =
      'widths' in stored && typeof stored.widths === 'object' && stored.widths !== null ? stored.widths : {};
    return {
      hidden: 'hidden' in stored ? filterStrings(stored.hidden) : [],
      order: 'order' in stored ? filterStrings(stored.order) : [],
      widths: Object.fromEntries(
        Object.entries(widths).filter(
          (pair): pair is [string, number] => typeof pair[1] === 'number' && pair[1] > 0,
        ),
      ),
      frozen: parseFrozen(stored),
    };
  } catch {
    return undefined;
  }
}

const layoutStore = createStore<Readonly<Record<string, ColumnLayout | undefined>>>({});

/** The column layout saved in this browser under the key; undefined if the columns were never changed. */
export function getColumnLayout(key: string): ColumnLayout | undefined {
  const cached = layoutStore.get();
  if (key in cached) return cached[key];
  const layout = parseColumnLayout(localStorage.getItem(getStorageKey(key)));
  // Fills the cache without notifying subscribers: the value does not change.
  Object.assign(cached, { [key]: layout });
  return layout;
}

/** Like `getColumnLayout`, and renders again when the layout changes. */
export function useColumnLayout(key: string): ColumnLayout | undefined {
  useStore(layoutStore);
  return getColumnLayout(key);
}

/** Saves the layout in this browser; `undefined` restores the default. */
export function saveColumnLayout(key: string, layout: ColumnLayout | undefined): void {
  if (layout) saveLocally(getStorageKey(key), JSON.stringify(layout));
  else localStorage.removeItem(getStorageKey(key));
  layoutStore.set({ ...layoutStore.get(), [key]: layout });
}

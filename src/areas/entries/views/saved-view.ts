import parseJson5 from 'json5/lib/parse.js';
import type { NewSavedView, SavedView } from '../../../../contract/generated/types.gen.ts';
import { parseQuery } from '../../../../contract/rules/query/parse.ts';
import { toQueryObject } from '../filter/draft.ts';
import type { QueryObject } from '../filter/draft.ts';
import { parseFilter } from '../filter/draft.ts';
import type { ColumnLayout } from '../model/columns.ts';
import { findField } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import type { EntriesView } from './view.ts';

/** Content of a saved view, without its name and sharing. */
export type ViewContent = Omit<NewSavedView, 'name' | 'isShared'>;

const isObject = (value: unknown): value is QueryObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const serializeQuery = (query: EntriesView['query']): string =>
  query === undefined || typeof query === 'string' ? (query ?? '') : JSON.stringify(query);

/** Storage key of the column layout of a type or of a saved view with unsaved column changes. */
export const getColumnLayoutKey = (typeId: number, savedViewId: number | undefined): string =>
  savedViewId === undefined ? String(typeId) : `${typeId}-${savedViewId}`;

/** The current list state as the content of a saved view. */
export const toViewContent = ({ q, query, sort }: EntriesView, layout: ColumnLayout): ViewContent => ({
  search: q,
  query: serializeQuery(query),
  sort,
  columns: {
    order: [...layout.order],
    hidden: [...layout.hidden],
    widths: { ...layout.widths },
    frozen: layout.frozen,
  },
});

/** The filter of a saved view in the form of the URL: an object, or the text if it cannot be parsed. */
function parseSavedQuery(text: string, fields: readonly Field[]): EntriesView['query'] {
  const { condition } = parseQuery(text, (name) => findField(fields, name));
  if (condition) return toQueryObject(condition);
  try {
    const value: unknown = parseJson5(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

/** The list state of a saved view; its URL selects the same rows even if the view is deleted. */
export const toEntriesView = (saved: SavedView, fields: readonly Field[]): EntriesView => ({
  q: saved.search,
  query: parseSavedQuery(saved.query, fields),
  sort: saved.sort,
  savedViewId: saved.id,
});

/** Serializes a filter independently of its notation, so that equal filters compare equal. */
const normalizeQuery = (query: EntriesView['query'], fields: readonly Field[]): string => {
  const { condition } = parseFilter(query, fields);
  return condition ? serializeQuery(toQueryObject(condition)) : serializeQuery(query);
};

const sortWidths = (widths: Readonly<Record<string, number>>) =>
  Object.entries(widths).toSorted(([a], [b]) => (a < b ? -1 : 1));
const serializeColumns = ({ order, hidden, widths, frozen }: ViewContent['columns']) =>
  JSON.stringify([order, hidden.toSorted(), sortWidths(widths), frozen]);

/** Whether the list state or the columns differ from the saved view. */
export function isViewChanged(
  saved: SavedView,
  view: EntriesView,
  layout: ColumnLayout,
  fields: readonly Field[],
): boolean {
  const now = toViewContent(view, layout);
  return (
    now.search !== saved.search ||
    now.sort !== saved.sort ||
    normalizeQuery(view.query, fields) !== normalizeQuery(parseSavedQuery(saved.query, fields), fields) ||
    serializeColumns(now.columns) !== serializeColumns(saved.columns)
  );
}

const GROUPS = new Set(['$and', '$or']);
const ENTRY_ID = 'entryid';

/** Keys of a query that are not fields of the type. */
function findUnknownNames(query: unknown, isField: (name: string) => boolean): string[] {
  if (!isObject(query)) return [];
  return Object.entries(query).flatMap(([name, value]) => {
    if (GROUPS.has(name.toLowerCase()))
      return Array.isArray(value) ? value.flatMap((item) => findUnknownNames(item, isField)) : [];
    return isField(name) || name.startsWith('$') ? [] : [name];
  });
}

const createFieldCheck = (fields: readonly Field[]) => (name: string) =>
  name.toLowerCase() === ENTRY_ID || findField(fields, name) !== undefined;

/** API names in a saved view that are no longer fields of the type, without repetition: of filter, order and columns. */
export function findMissingFields(saved: SavedView, fields: readonly Field[]): readonly string[] {
  const isField = createFieldCheck(fields);
  const { order, hidden, widths } = saved.columns;
  const sort = saved.sort.replace(/^-/, '');
  const names = [
    ...findUnknownNames(parseSavedQuery(saved.query, fields), isField),
    ...[sort, ...order, ...hidden, ...Object.keys(widths)].filter((name) => name !== '' && !isField(name)),
  ];
  return [...new Set(names)];
}

/** Removes the conditions on missing fields from a query; undefined if nothing is left. */
export function removeMissingFields(query: QueryObject, fields: readonly Field[]): QueryObject | undefined {
  const isField = createFieldCheck(fields);
  const remaining = Object.entries(query).flatMap(([name, value]): [string, unknown][] => {
    if (!GROUPS.has(name.toLowerCase())) return isField(name) ? [[name, value]] : [];
    const conditions = (Array.isArray(value) ? value : [])
      .filter(isObject)
      .flatMap((item) => removeMissingFields(item, fields) ?? []);
    return conditions.length === 0 ? [] : [[name, conditions]];
  });
  return remaining.length === 0 ? undefined : Object.fromEntries(remaining);
}

/** Lower-case API names in the filter and order of a saved view. */
export const getReferencedNames = (saved: SavedView): ReadonlySet<string> =>
  new Set(
    [
      ...findUnknownNames(parseSavedQuery(saved.query, []), () => false),
      saved.sort.replace(/^-/, ''),
      ...saved.pinned.map(({ field }) => field),
    ].map((name) => name.toLowerCase()),
  );

import JSON5 from 'json5';
import { parseQuery } from '../../../../contract/rules/query/text.ts';
import type { NewSavedView, SavedView } from '../../../api/generated/types.gen.ts';
import type { ColumnChoice } from '../model/columns-store.ts';
import { toDraft, toQuery } from '../filter/draft.ts';
import type { QueryObject } from '../filter/draft.ts';
import { readSaid } from '../filter/query.ts';
import { fieldCalled } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import type { EntriesView } from '../model/view.ts';

/** What a view keeps, besides its name. */
export type ViewContent = Omit<NewSavedView, 'name' | 'isShared'>;

const isObject = (value: unknown): value is QueryObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const queryText = (query: EntriesView['query']): string =>
  query === undefined || typeof query === 'string' ? (query ?? '') : JSON.stringify(query);

/** Where the columns of a view are kept as long as they are not saved with it. */
export const columnsPlace = (typeId: number, saved: number | undefined): string =>
  saved === undefined ? String(typeId) : `${typeId}-${saved}`;

/** What is in view now, as a view keeps it. */
export const contentOf = ({ q, query, sort }: EntriesView, choice: ColumnChoice): ViewContent => ({
  search: q,
  query: queryText(query),
  sort,
  columns: {
    order: [...choice.order],
    hidden: [...choice.hidden],
    widths: { ...choice.widths },
    frozen: choice.frozen,
  },
});

/** The query of a view as an address holds it; what is no query stays the text that it is. */
function queryOf(text: string, fields: readonly Field[]): EntriesView['query'] {
  const { condition } = parseQuery(text, (name) => fieldCalled(fields, name));
  if (condition) return toQuery(toDraft(condition));
  try {
    const value: unknown = JSON5.parse(text);
    return isObject(value) ? value : text;
  } catch {
    return text;
  }
}

/** What the address of a view says: it asks for the same without the view, too. */
export const viewOf = (saved: SavedView, fields: readonly Field[]): EntriesView => ({
  q: saved.search,
  query: queryOf(saved.query, fields),
  sort: saved.sort,
  saved: saved.id,
});

/** A query without regard to how it is written. */
const meant = (query: EntriesView['query'], fields: readonly Field[]): string => {
  const { condition } = readSaid(query, fields);
  return condition ? queryText(toQuery(toDraft(condition))) : queryText(query);
};

const pairs = (widths: Readonly<Record<string, number>>) =>
  Object.entries(widths).toSorted(([a], [b]) => (a < b ? -1 : 1));
const shapeOf = ({ order, hidden, widths, frozen }: ViewContent['columns']) =>
  JSON.stringify([order, hidden.toSorted(), pairs(widths), frozen]);

/** Whether what is in view is no longer what the view keeps. */
export function isChanged(
  saved: SavedView,
  view: EntriesView,
  choice: ColumnChoice,
  fields: readonly Field[],
): boolean {
  const now = contentOf(view, choice);
  return (
    now.search !== saved.search ||
    now.sort !== saved.sort ||
    meant(view.query, fields) !== meant(queryOf(saved.query, fields), fields) ||
    shapeOf(now.columns) !== shapeOf(saved.columns)
  );
}

const GROUPS = new Set(['$and', '$or']);
const ENTRY_ID = 'entryid';

/** The names in a query that are no fields of the type. */
function unknownIn(query: unknown, isField: (name: string) => boolean): string[] {
  if (!isObject(query)) return [];
  return Object.entries(query).flatMap(([name, value]) => {
    if (GROUPS.has(name.toLowerCase()))
      return Array.isArray(value) ? value.flatMap((one) => unknownIn(one, isField)) : [];
    return isField(name) || name.startsWith('$') ? [] : [name];
  });
}

const finder = (fields: readonly Field[]) => (name: string) =>
  name.toLowerCase() === ENTRY_ID || fieldCalled(fields, name) !== undefined;

/** The fields that a view names and that are gone, each once: of its conditions, its order and its columns. */
export function goneFrom(saved: SavedView, fields: readonly Field[]): readonly string[] {
  const isField = finder(fields);
  const { order, hidden, widths } = saved.columns;
  const sort = saved.sort.replace(/^-/, '');
  const names = [
    ...unknownIn(queryOf(saved.query, fields), isField),
    ...[sort, ...order, ...hidden, ...Object.keys(widths)].filter((name) => name !== '' && !isField(name)),
  ];
  return [...new Set(names)];
}

/** A query without its conditions on fields that are gone; undefined where nothing is left of it. */
export function withoutGone(query: QueryObject, fields: readonly Field[]): QueryObject | undefined {
  const isField = finder(fields);
  const kept = Object.entries(query).flatMap(([name, value]): [string, unknown][] => {
    if (!GROUPS.has(name.toLowerCase())) return isField(name) ? [[name, value]] : [];
    const of = (Array.isArray(value) ? value : [])
      .filter(isObject)
      .flatMap((one) => withoutGone(one, fields) ?? []);
    return of.length === 0 ? [] : [[name, of]];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** The fields that a view asks for or is ordered by, in lower case: without them it would no longer be the same. */
export const namesIn = (saved: SavedView): ReadonlySet<string> =>
  new Set(
    [...unknownIn(queryOf(saved.query, []), () => false), saved.sort.replace(/^-/, '')].map((name) =>
      name.toLowerCase(),
    ),
  );

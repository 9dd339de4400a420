import type { QueryClient } from '@tanstack/react-query';
import type { Condition } from '../../../../contract/rules/query/condition.ts';
import { toQueryObject } from '../filter/draft.ts';
import type { QueryObject } from '../filter/draft.ts';
import { parseFilter } from '../filter/draft.ts';
import { DEFAULT_COLUMN_LAYOUT, getColumnLayout, getVisibleColumns, isSortable } from '../model/columns.ts';
import { entryRowsQuery } from '../model/entry-rows.ts';
import type { RowQuery } from '../model/entry-rows.ts';
import { loadSchema, findField } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { getColumnLayoutKey } from './saved-view.ts';
import type { EntriesView } from './view.ts';

/** Parses the order of a view; an unknown or unsortable field counts as none (`field` is empty). */
export function parseSort(sort: string, fields: readonly Field[]) {
  const descending = sort.startsWith('-');
  const field = findField(fields, descending ? sort.slice(1) : sort);
  return { field: field && isSortable(field) ? field.apiName : '', descending };
}

interface RowQueryInput {
  fields: readonly Field[];
  /** API names of the visible columns. */
  columnNames: readonly string[];
  /** The parsed filter; undefined if it is invalid. */
  condition: Condition | undefined;
  q: string;
  sort: ReturnType<typeof parseSort>;
}

/** Builds the row query of the grid from the parsed parts of a view. */
export function buildRowQuery({ fields, columnNames, condition, q, sort }: RowQueryInput): RowQuery {
  const key = fields.find(({ isKey }) => isKey);
  const query = addNameSearch(condition && toQueryObject(condition), q, key);
  return {
    ...(query && { query }),
    fields: [...columnNames],
    ...(sort.field !== '' && { orderBy: `${sort.descending ? '-' : ''}${sort.field}` }),
  };
}

/** Adds the name search to a filter: key field contains the text. */
export function addNameSearch(
  query: QueryObject | undefined,
  q: string,
  key: Field | undefined,
): QueryObject | undefined {
  const text = q.trim();
  if (text === '' || !key) return query;
  const search = { [key.apiName]: { $contains: text } };
  return query ? { $and: [search, query] } : search;
}

const quoteForShell = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Formats the request of a row query as a curl command for the bearer API. */
export const formatCurl = (origin: string, typeName: string, body: object): string =>
  [
    `curl -X POST ${quoteForShell(`${origin}/api/rest/v4/data/entrydata/rows/query/${encodeURIComponent(typeName)}`)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoteForShell(JSON.stringify(body))}`,
  ].join(' \\\n  ');

/**
 * Loads the first rows of a view while the page's code is still loading. Skipped for invalid filters and for saved
 * views, whose columns have to be loaded first.
 */
export async function prefetchRows(client: QueryClient, typeId: number, view: EntriesView): Promise<void> {
  const schema = await loadSchema(client);
  const fields = schema.getFields(typeId);
  const { condition } = parseFilter(view.query, fields);
  if (view.savedViewId !== undefined || !condition) return;
  const layout = getColumnLayout(getColumnLayoutKey(typeId, undefined)) ?? DEFAULT_COLUMN_LAYOUT;
  const columnNames = getVisibleColumns(fields, layout).map(({ field }) => field.apiName);
  const sort = parseSort(view.sort, fields);
  const query = buildRowQuery({ fields, columnNames, condition, q: view.q, sort });
  await client.prefetchQuery(entryRowsQuery(typeId, query));
}

import type { QueryClient } from '@tanstack/react-query';
import type { Condition } from '../../../../contract/rules/query/tree.ts';
import { AS_SCHEMA, columnChoice } from './columns-store.ts';
import { columnsOf, hasOrder } from './columns.ts';
import { toDraft, toQuery } from '../filter/draft.ts';
import { readSaid, withSearch } from '../filter/query.ts';
import { readSchema } from './read-schema.ts';
import { fieldCalled } from './schema.ts';
import type { Field } from './schema.ts';
import { rowsQuery } from './use-rows.ts';
import type { RowQuestion } from './use-rows.ts';
import type { EntriesView } from './view.ts';
import { columnsPlace } from '../views/saved.ts';

/** The order that an address says, where the type has it. */
export function sortIn(said: string, fields: readonly Field[]) {
  const descending = said.startsWith('-');
  const field = fieldCalled(fields, descending ? said.slice(1) : said);
  return { field: field && hasOrder(field) ? field.apiName : '', descending };
}

interface Asked {
  fields: readonly Field[];
  /** ApiNames of the columns that are shown. */
  names: readonly string[];
  /** The filter of the address as it was read. */
  condition: Condition | undefined;
  q: string;
  sort: ReturnType<typeof sortIn>;
}

/** What the grid asks for. */
export function questionOf({ fields, names, condition, q, sort }: Asked): RowQuestion {
  const key = fields.find(({ isKey }) => isKey);
  const query = withSearch(condition && toQuery(toDraft(condition)), q, key);
  return {
    ...(query && { query }),
    fields: [...names],
    ...(sort.field !== '' && { orderBy: `${sort.descending ? '-' : ''}${sort.field}` }),
  };
}

/**
 * Asks for the first rows of an address as soon as the fields are known, while its page is still on the way. Not where it
 * opens a saved view, whose columns are read first.
 */
export async function askAhead(client: QueryClient, typeId: number, view: EntriesView): Promise<void> {
  const schema = await readSchema(client);
  const fields = schema.fieldsOf(typeId);
  const { condition } = readSaid(view.query, fields);
  if (view.saved !== undefined || !condition) return;
  const choice = columnChoice(columnsPlace(typeId, undefined)) ?? AS_SCHEMA;
  const names = columnsOf(fields, choice).map(({ field }) => field.apiName);
  const question = questionOf({ fields, names, condition, q: view.q, sort: sortIn(view.sort, fields) });
  await client.prefetchQuery(rowsQuery(typeId, question));
}

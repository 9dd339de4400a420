import { readQuery } from '../../../contract/rules/query/read.ts';
import { parseQuery } from '../../../contract/rules/query/text.ts';
import { EVERYTHING } from '../../../contract/rules/query/tree.ts';
import type { ReadQuery } from '../../../contract/rules/query/tree.ts';
import { fieldCalled } from '../schema.ts';
import type { Field } from '../schema.ts';
import { toQuery } from './draft.ts';
import type { Group, QueryObject } from './draft.ts';

/** Reads a query as an address or the editor says it, against the fields of the type. */
export function readSaid(said: QueryObject | string | undefined, fields: readonly Field[]): ReadQuery {
  const find = (name: string) => fieldCalled(fields, name);
  if (said === undefined) return { condition: EVERYTHING };
  return typeof said === 'string' ? parseQuery(said, find) : readQuery(said, find);
}

const ONE_LINE = 60;

/** A query as people read it: short ones in a line. */
export function written(query: QueryObject | string | undefined): string {
  if (query === undefined || typeof query === 'string') return query ?? '';
  const line = JSON.stringify(query);
  return line.length <= ONE_LINE ? line : JSON.stringify(query, null, 2);
}

/** The filter with the quick search over the names of entries. */
export function withSearch(
  query: QueryObject | undefined,
  q: string,
  key: Field | undefined,
): QueryObject | undefined {
  if (q.trim() === '' || !key) return query;
  const named: Group = {
    kind: 'group',
    match: 'all',
    of: [{ kind: 'rule', field: key.apiName, operator: '$contains', operands: [q.trim()] }],
  };
  const search = toQuery(named);
  if (!query || !search) return search ?? query;
  return { $and: [search, query] };
}

const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The request as a program would send it. */
export const curlOf = (origin: string, typeName: string, body: object): string =>
  [
    `curl -X POST ${quoted(`${origin}/api/rest/v4/data/entrydata/rows/query/${encodeURIComponent(typeName)}`)}`,
    `-H "Authorization: Bearer $TOKEN"`,
    `-H 'Content-Type: application/json'`,
    `-d ${quoted(JSON.stringify(body))}`,
  ].join(' \\\n  ');

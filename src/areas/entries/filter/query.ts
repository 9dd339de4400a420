import { readQuery } from '../../../../contract/rules/query/read.ts';
import { parseQuery } from '../../../../contract/rules/query/text.ts';
import { EVERYTHING } from '../../../../contract/rules/query/tree.ts';
import type { ReadQuery } from '../../../../contract/rules/query/tree.ts';
import { fieldCalled } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { toQuery } from './draft.ts';
import type { Group, QueryObject } from './draft.ts';

/** Reads a query as an address or the editor says it, against the fields of the type. */
export function readSaid(said: QueryObject | string | undefined, fields: readonly Field[]): ReadQuery {
  const find = (name: string) => fieldCalled(fields, name);
  if (said === undefined) return { condition: EVERYTHING };
  return typeof said === 'string' ? parseQuery(said, find) : readQuery(said, find);
}

const ONE_LINE = 60;

/** A query as people read it: what is short in a line, and so are the values of a list. */
export const written = (query: QueryObject | string | undefined): string =>
  query === undefined || typeof query === 'string' ? (query ?? '') : writtenAt('', query);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function writtenAt(indent: string, value: unknown): string {
  const line = JSON.stringify(value);
  const isFlat = Array.isArray(value) && !value.some(isObject);
  if (!isObject(value) || isFlat || indent.length + line.length <= ONE_LINE) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((one) => writtenAt(inner, one))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${writtenAt(inner, one)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
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

import { MATCH_ALL } from '../../../../contract/rules/query/condition.ts';
import type { QueryParseResult } from '../../../../contract/rules/query/condition.ts';
import { parseQuery, parseQueryObject } from '../../../../contract/rules/query/parse.ts';
import { findField } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import type { QueryObject } from './draft.ts';

/** A filter as the URL holds it: an object, or the text if it is not valid JSON. Undefined: no filter. */
export type FilterSource = QueryObject | string | undefined;

/** Parses a filter of the URL or the editor into a condition tree, checked against the fields of the type. */
export function parseFilter(filter: FilterSource, fields: readonly Field[]): QueryParseResult {
  const find = (name: string) => findField(fields, name);
  if (filter === undefined) return { condition: MATCH_ALL };
  return typeof filter === 'string' ? parseQuery(filter, find) : parseQueryObject(filter, find);
}

const MAX_LINE_CHARS = 60;

/** Formats a filter as the text of the query editor: short parts and plain lists on one line, the rest indented. */
export const formatFilterText = (filter: FilterSource): string =>
  filter === undefined || typeof filter === 'string' ? (filter ?? '') : formatJson('', filter);

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

function formatJson(indent: string, value: unknown): string {
  const line = JSON.stringify(value);
  const isFlat = Array.isArray(value) && !value.some(isObject);
  if (!isObject(value) || isFlat || indent.length + line.length <= MAX_LINE_CHARS) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => formatJson(inner, item))
    : Object.entries(value).map(([name, item]) => `${JSON.stringify(name)}: ${formatJson(inner, item)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => `${inner}${part}`).join(',\n')}\n${indent}${close}`;
}

import JSON5 from 'json5';
import { type FieldFinder, readQuery } from './read.ts';
import { EVERYTHING, QUERY_LIMITS, type ReadQuery } from './tree.ts';

/** Deeper than any query within its limits nests; counted before parsing, which takes any depth. */
const MAX_BRACKETS = QUERY_LIMITS.depth * 3;
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype']);

/** How deep the brackets of a text nest; those inside of quoted texts are no brackets. */
function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  let quote: string | undefined;
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at];
    if (quote !== undefined) {
      if (sign === '\\') at += 1;
      else if (sign === quote) quote = undefined;
    } else if (sign === '"' || sign === "'") quote = sign;
    else if (sign === '{' || sign === '[') most = Math.max(most, (depth += 1));
    else if (sign === '}' || sign === ']') depth -= 1;
  }
  return most;
}

/**
 * Reads the text of a row query: JSON, or JSON5 with its unquoted keys. An empty text asks for everything. Names that
 * could reach into a prototype are refused at any depth (T18).
 */
export function parseQuery(text: string, find: FieldFinder): ReadQuery {
  if (text.trim() === '') return { condition: EVERYTHING };
  if (deepest(text) > MAX_BRACKETS)
    return { faults: [{ path: 'query', message: `is nested deeper than ${QUERY_LIMITS.depth} levels` }] };
  let value: unknown;
  try {
    value = JSON5.parse(text, (key: string, inner: unknown) => {
      if (FORBIDDEN.has(key)) throw new SyntaxError(`"${key}" cannot be the name of a field`);
      return inner;
    });
  } catch (error) {
    const why = error instanceof Error ? error.message.replace(/^JSON5: /, '') : 'cannot be read';
    return { faults: [{ path: 'query', message: `is no JSON: ${why}` }] };
  }
  return readQuery(value, find);
}

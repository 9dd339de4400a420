import type { SearchSchemaInput } from '@tanstack/react-router';
import { parseId } from './ids.ts';

/** Search parameters as the router passes them: "7" has become a number. */
export type Search = Readonly<Record<string, unknown>>;

/** Search parameters with known names, as they are in the URL: a value can be anything. */
export type RawSearch<View> = Partial<Record<keyof View, unknown>>;

/**
 * `validateSearch` of a route whose page parses the search parameters: links are typed, and the URL is parsed once. The parsers
 * stay out of the first load, which includes all routes.
 */
export const passSearch = <View>(search: View & SearchSchemaInput): RawSearch<View> => search;

/** Returns a search parameter as text; empty if it is missing. */
export const readSearchText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** Converts a text to a search parameter: the router would write the text "7" with quotes. */
export const toSearchValue = (text: string): string | number =>
  String(Number(text)) === text ? Number(text) : text;

const LIST_SEPARATOR = '-';

/** Parses a list ("1-4"): its valid values without duplicates. */
export const parseList = (value: unknown, valid: RegExp): readonly string[] => [
  ...new Set(
    readSearchText(value)
      .split(LIST_SEPARATOR)
      .filter((one) => valid.test(one)),
  ),
];

/** Formats a list as a search parameter; undefined if it is empty. */
export const formatList = (values: readonly (string | number)[]): string | number | undefined =>
  values.length === 0 ? undefined : toSearchValue(values.join(LIST_SEPARATOR));

/** Parses a list of ids ("3-17") without duplicates. */
export const parseIds = (value: unknown): readonly number[] =>
  parseList(value, /./).flatMap((text) => parseId(text) ?? []);

/** Sort order of a table. */
export interface Order<Key extends string> {
  by: Key;
  descending: boolean;
}

/** Parses an order ("name", "-members"); an invalid one becomes the first key, ascending. */
export function parseOrder<Key extends string>(value: unknown, keys: readonly [Key, ...Key[]]): Order<Key> {
  const text = readSearchText(value);
  const descending = text.startsWith('-');
  const by = keys.find((key) => key === (descending ? text.slice(1) : text));
  return by === undefined ? { by: keys[0], descending: false } : { by, descending };
}

/** Formats an order as a search parameter; undefined for the default of `parseOrder`. */
export function formatOrder<Key extends string>(
  { by, descending }: Order<Key>,
  keys: readonly [Key, ...Key[]],
): string | undefined {
  if (descending) return `-${by}`;
  return by === keys[0] ? undefined : by;
}

/** Returns a copy without undefined properties. */
export const omitUndefined = <Values extends Readonly<Record<string, unknown>>>(
  values: Values,
): Partial<Values> => {
  const some: Partial<Values> = { ...values };
  for (const key in some) if (some[key] === undefined) delete some[key];
  return some;
};

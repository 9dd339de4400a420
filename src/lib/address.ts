/** The search of an address as the router hands it over: "7" has become a number. */
export type Search = Readonly<Record<string, unknown>>;

/** A value of an address as it was written; empty where there is none. */
export const written = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A text for an address: the router would write the text "7" with its quotes. */
export const plain = (text: string): string | number => (String(Number(text)) === text ? Number(text) : text);

const PARTED = '-';
const ID = /^[1-9]\d{0,9}$/;

/** The values of a list ("1-4") that make sense, each once. */
export const readList = (value: unknown, valid: RegExp): readonly string[] => [
  ...new Set(
    written(value)
      .split(PARTED)
      .filter((one) => valid.test(one)),
  ),
];

/** A list for an address; undefined where nothing is in it. */
export const writeList = (values: readonly (string | number)[]): string | number | undefined =>
  values.length === 0 ? undefined : plain(values.join(PARTED));

/** The ids of a list ("3-17"), each once. */
export const readIds = (value: unknown): readonly number[] => readList(value, ID).map(Number);

/** The order of a table. */
export interface Order<Key extends string> {
  by: Key;
  descending: boolean;
}

/** Reads an order ("name", "-members"); what nobody could have meant gives way to the first key, ascending. */
export function readOrder<Key extends string>(value: unknown, keys: readonly [Key, ...Key[]]): Order<Key> {
  const text = written(value);
  const descending = text.startsWith('-');
  const by = keys.find((key) => key === (descending ? text.slice(1) : text));
  return by === undefined ? { by: keys[0], descending: false } : { by, descending };
}

/** An order for an address; undefined for the one that `readOrder` gives where none is said. */
export function writeOrder<Key extends string>(
  { by, descending }: Order<Key>,
  keys: readonly [Key, ...Key[]],
): string | undefined {
  if (descending) return `-${by}`;
  return by === keys[0] ? undefined : by;
}

/** A search for an address without what is not said. */
export const spoken = <Said extends Readonly<Record<string, unknown>>>(said: Said): Partial<Said> => {
  const some: Partial<Said> = { ...said };
  for (const key in some) if (some[key] === undefined) delete some[key];
  return some;
};

/** An address as the router hands it over: "7" has become a number. */
export type Search = Readonly<Record<string, unknown>>;

/** A text of the address. */
export const textOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

/** A text as the address holds it: the router would write "7" with its quotes. */
export const plain = (written: string): string | number =>
  String(Number(written)) === written ? Number(written) : written;

/** Parts the values of a list in the address. */
export const PARTED = '-';
const ID = /^[1-9]\d{0,9}$/;

/** Ids of the address, each once: "3-17". */
export const idsOf = (value: unknown): readonly number[] => [
  ...new Set(
    textOf(value)
      .split(PARTED)
      .flatMap((one) => (ID.test(one) ? [Number(one)] : [])),
  ),
];

export const idsAsText = (ids: readonly number[]): string | number => plain(ids.join(PARTED));

/** The order of a table in the address: "name", "-members". */
export interface Order<Key extends string> {
  by: Key;
  descending: boolean;
}

/** Reads an order; what nobody could have meant gives way to the first key, ascending. */
export function readOrder<Key extends string>(value: unknown, keys: readonly [Key, ...Key[]]): Order<Key> {
  const written = textOf(value);
  const descending = written.startsWith('-');
  const by = keys.find((key) => key === (descending ? written.slice(1) : written));
  return by === undefined ? { by: keys[0], descending: false } : { by, descending };
}

export const writeOrder = ({ by, descending }: Order<string>): string => `${descending ? '-' : ''}${by}`;

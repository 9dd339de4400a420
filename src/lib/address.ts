/** A value of an address as it was written: the router reads "7" as a number. */
export const written = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;

/** A text for an address: the router would write the text "7" with its quotes. */
export const plain = (text: string): string | number => (String(Number(text)) === text ? Number(text) : text);

const PARTED = '-';

/** The values of a list ("1-4") that make sense, each once. */
export const readList = (value: unknown, valid: RegExp): readonly string[] => [
  ...new Set((written(value) ?? '').split(PARTED).filter((one) => valid.test(one))),
];

/** A list for an address; undefined where nothing is in it. */
export const writeList = (values: readonly string[]): string | number | undefined =>
  values.length === 0 ? undefined : plain(values.join(PARTED));

import type { EntryChange } from '../../../api/generated/types.gen.ts';

/** The moment whose values a change is about: what it made, or what there was before the entry went away. */
export const momentOf = ({ at, kind }: EntryChange): string =>
  kind === 'deleted' || kind === 'merged' ? new Date(Date.parse(at) - 1).toISOString() : at;

/** One or two moments that are looked at, the earlier first. */
export type Moments = readonly string[];

/** Takes a moment among those looked at, or out of them; of three the one picked first gives way. */
export function picked(moments: Moments, at: string): Moments {
  if (moments.includes(at)) return moments.filter((one) => one !== at);
  return [...moments.slice(-1), at];
}

/** In the order of time. */
export const inTime = (moments: Moments): Moments =>
  moments.toSorted((a, b) => Date.parse(a) - Date.parse(b));

/** Moments of an address; what is no moment is left out. */
export const momentsIn = (...said: readonly unknown[]): Moments =>
  said.flatMap((one) =>
    typeof one === 'string' && !Number.isNaN(Date.parse(one)) ? [new Date(one).toISOString()] : [],
  );

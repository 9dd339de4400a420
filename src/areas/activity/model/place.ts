import { spoken, written } from '../../../lib/address.ts';
import { readMoment, writeMoment } from './view.ts';

/** Where a row is to be looked for: the service reports periods, not single rows. */
export interface Place {
  at: number | undefined;
  by: number | undefined;
}

export interface PlaceSearch {
  at?: string;
  by?: number;
}

const ID = /^[1-9]\d{0,9}$/;

/** The place that the address of a row says. */
export const readPlace = (search: Record<string, unknown>): Place => ({
  at: readMoment(search.at),
  by: ID.test(written(search.by)) ? Number(search.by) : undefined,
});

/** A place for an address. */
export const writePlace = ({ at, by }: Place): PlaceSearch =>
  spoken({ at: at === undefined ? undefined : writeMoment(at), by });

import type { OpenedFile } from '../../import/board.ts';
import type { Field } from '../schema.ts';
import { zoneOf } from './targets.ts';

/** How the cells of a file are to be read. */
export interface Rules {
  decimal: 'point' | 'comma';
  /** The order of day, month and year where a date does not begin with its year. */
  dates: 'dmy' | 'mdy';
  /** Of moments that name no offset. */
  zone: string;
  /** What an empty cell does. */
  empty: 'keep' | 'clear';
  /** What becomes of names that are nearly those of others. */
  near: 'refuse' | 'allow';
}

const COMMA_NUMBER = /^-?(?:\d{1,3}(?:\.\d{3})+|\d+),\d+$/;
const MONTH_FIRST = /^(?:0?[1-9]|1[0-2])[/.-](?:1[3-9]|2\d|3[01])[/.-]\d{4}/;

/** Guesses the rules from what the file says: zones of its headings, commas in its first numbers. */
export function guessRules({ headings, samples, source }: OpenedFile, fields: readonly Field[]): Rules {
  const values = samples.flatMap((sample) => sample.split(' · '));
  const isText = source.kind === 'text';
  return {
    decimal: isText && values.some((value) => COMMA_NUMBER.test(value)) ? 'comma' : 'point',
    dates: values.some((value) => MONTH_FIRST.test(value)) ? 'mdy' : 'dmy',
    zone: zoneOf(headings, fields),
    empty: 'keep',
    near: 'refuse',
  };
}

import { FIELD, holdsMoney } from '../../../../contract/rules/fields.ts';
import type { OpenedFile } from '../../import/board.ts';
import type { Field } from '../model/schema.ts';
import { guessMapping, zoneOf } from './targets.ts';

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

const isNumber = (field: Field): boolean => field.fieldType === FIELD.number || holdsMoney(field);

/** The first values of the columns that seem to hold such fields. */
function valuesOf(
  { headings, samples }: OpenedFile,
  fields: readonly Field[],
  isMeant: (field: Field) => boolean,
): string[] {
  const meant = new Set(fields.filter(isMeant).map(({ apiName }) => apiName));
  return guessMapping(headings, fields).flatMap((key, at) =>
    key !== undefined && meant.has(key) ? (samples[at] ?? '').split(' · ') : [],
  );
}

/** Guesses the rules from what the file says: zones of its headings, commas in its first numbers. */
export function guessRules(file: OpenedFile, fields: readonly Field[]): Rules {
  const numbers = file.source.kind === 'text' ? valuesOf(file, fields, isNumber) : [];
  const dates = valuesOf(file, fields, ({ fieldType }) => fieldType === FIELD.date);
  return {
    decimal: numbers.some((value) => COMMA_NUMBER.test(value)) ? 'comma' : 'point',
    dates: dates.some((value) => MONTH_FIRST.test(value)) ? 'mdy' : 'dmy',
    zone: zoneOf(file.headings, fields),
    empty: 'keep',
    near: 'refuse',
  };
}

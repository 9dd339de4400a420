import { momentOf, numberOf, textOf, type Value, type ValueType } from './values.ts';

type Types = readonly ValueType[];

/** What parameters take; a day goes wherever a date does. */
const A_NUMBER: Types = ['number'];
const A_TEXT: Types = ['text'];
const A_DATE: Types = ['date', 'day'];
const SUMMED: Types = ['number', 'texts'];
const SEARCHED: Types = ['text', 'texts'];
const ORDERED: Types = ['number', 'date', 'day'];
export const ANYTHING: Types = ['number', 'text', 'boolean', 'date', 'day', 'texts', 'ids'];

export interface FormulaFunction {
  /** Parameters in order; the last one stands for all that follow when `many`. */
  takes: readonly Types[];
  /** How many arguments must be given; default: all. */
  atLeast?: number;
  many?: boolean;
  /** All arguments are numbers, or all are dates. */
  alike?: boolean;
  /** The type of the result, also by the types of the arguments. */
  gives: ValueType | ((args: Types) => ValueType);
  /** Whether no data in any argument is no data as the result, without asking `run`. */
  strict?: boolean;
  run: (args: readonly Value[]) => Value;
}

const DAY = 86_400_000;

const numbers = (args: readonly Value[]): number[] => args.filter((arg) => typeof arg === 'number');
const textAt = (args: readonly Value[], at: number): string => String(args[at] ?? '');
const numberAt = (args: readonly Value[], at: number, otherwise = 0): number => {
  const value = args[at];
  return typeof value === 'number' ? value : otherwise;
};
const itemsOf = (value: Value | undefined): readonly (number | string)[] =>
  value !== undefined && typeof value === 'object' && value !== null ? value : [];

/** The shift by powers of ten goes through the number's text: 1.005 * 100 is less than 100.5. */
function shifted(value: number, digits: number): number {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

/** Half away from zero, as money is rounded. */
function round(value: number, digits: number): number | null {
  const places = Math.max(-15, Math.min(15, Math.trunc(digits)));
  const size = shifted(Math.round(shifted(Math.abs(value), places)), -places);
  return numberOf(value < 0 ? 0 - size : size);
}

/** A number written as people write it: `12.5`, `-3`. */
const NUMBER = /^\s*[-+]?\d+(?:\.\d+)?\s*$/;
const readNumber = (text: string): number | null => (NUMBER.test(text) ? numberOf(Number(text)) : null);

/** What is added up: a number itself, of several choices those whose names are numbers. */
const addends = (value: Value): number[] =>
  typeof value === 'number' ? [value] : itemsOf(value).flatMap((item) => readNumber(String(item)) ?? []);

const most =
  (pick: (...all: number[]) => number): FormulaFunction['run'] =>
  (args) => {
    const known = numbers(args);
    return known.length === 0 ? null : pick(...known);
  };

const partOfDate = (read: (date: Date) => number): FormulaFunction => ({
  takes: [A_DATE],
  gives: 'number',
  strict: true,
  run: (args) => read(new Date(numberAt(args, 0))),
});

const ofText = (gives: ValueType, run: (text: string) => Value): FormulaFunction => ({
  takes: [A_TEXT],
  gives,
  strict: true,
  run: (args) => run(textAt(args, 0)),
});

const ofNumber = (run: (value: number) => number): FormulaFunction => ({
  takes: [A_NUMBER],
  gives: 'number',
  strict: true,
  run: (args) => numberOf(run(numberAt(args, 0))),
});

/** A day stays a day only when all arguments are days. */
const first = ([type = 'number']: Types): ValueType => type;
const extreme = (args: Types): ValueType => (args.includes('date') ? 'date' : first(args));

/**
 * The functions of formulas. All of them give the same for the same values, whenever and wherever: no clock, no chance,
 * no locale. `if`, `isEmpty`, `ifEmpty`, and the operators are in compile.ts.
 */
export const functions: ReadonlyMap<string, FormulaFunction> = new Map<string, FormulaFunction>([
  ['abs', ofNumber(Math.abs)],
  ['floor', ofNumber(Math.floor)],
  ['ceiling', ofNumber(Math.ceil)],
  [
    'round',
    {
      takes: [A_NUMBER, A_NUMBER],
      atLeast: 1,
      gives: 'number',
      strict: true,
      run: (args) => round(numberAt(args, 0), numberAt(args, 1)),
    },
  ],
  ['min', { takes: [ORDERED], many: true, alike: true, gives: extreme, run: most(Math.min) }],
  ['max', { takes: [ORDERED], many: true, alike: true, gives: extreme, run: most(Math.max) }],
  [
    'sum',
    {
      takes: [SUMMED],
      many: true,
      gives: 'number',
      run: (args) => numberOf(args.flatMap(addends).reduce((sum, each) => sum + each, 0)),
    },
  ],
  [
    'count',
    {
      takes: [ANYTHING],
      many: true,
      gives: 'number',
      run: (args) =>
        args.reduce<number>((sum, arg) => sum + (typeof arg === 'object' ? itemsOf(arg).length : 1), 0),
    },
  ],
  ['length', ofText('number', (text) => Array.from(text).length)],
  ['lower', ofText('text', (text) => textOf(text.toLowerCase()))],
  ['upper', ofText('text', (text) => textOf(text.toUpperCase()))],
  ['trim', ofText('text', (text) => textOf(text.trim()))],
  ['number', ofText('number', readNumber)],
  [
    'left',
    {
      takes: [A_TEXT, A_NUMBER],
      gives: 'text',
      strict: true,
      run: (args) =>
        textOf(
          Array.from(textAt(args, 0))
            .slice(0, Math.max(0, numberAt(args, 1)))
            .join(''),
        ),
    },
  ],
  [
    'contains',
    {
      takes: [SEARCHED, A_TEXT],
      gives: 'boolean',
      strict: true,
      run: ([whole, part]) => {
        const wanted = String(part).toLowerCase();
        return typeof whole === 'string'
          ? whole.toLowerCase().includes(wanted)
          : itemsOf(whole).some((item) => String(item).toLowerCase() === wanted);
      },
    },
  ],
  ['year', partOfDate((date) => date.getUTCFullYear())],
  ['month', partOfDate((date) => date.getUTCMonth() + 1)],
  ['day', partOfDate((date) => date.getUTCDate())],
  [
    'adddays',
    {
      takes: [A_DATE, A_NUMBER],
      gives: first,
      strict: true,
      run: (args) => momentOf(numberAt(args, 0) + Math.trunc(numberAt(args, 1)) * DAY),
    },
  ],
  [
    'daysbetween',
    {
      takes: [A_DATE, A_DATE],
      gives: 'number',
      strict: true,
      run: (args) => Math.floor(numberAt(args, 1) / DAY) - Math.floor(numberAt(args, 0) / DAY),
    },
  ],
]);

import { toTimestamp, toNumber, toText, type Value, type ValueType } from './values.ts';

type Types = readonly ValueType[];

/** Allowed types of parameters; a day is allowed wherever a date is. */
const NUMBER_PARAMETER: Types = ['number'];
const TEXT_PARAMETER: Types = ['text'];
const DATE_PARAMETER: Types = ['date', 'day'];
const ADDABLE: Types = ['number', 'texts'];
const SEARCHABLE: Types = ['text', 'texts'];
const ORDERABLE: Types = ['number', 'date', 'day'];
export const ANY_TYPE: Types = ['number', 'text', 'boolean', 'date', 'day', 'texts', 'ids'];

export interface FormulaFunction {
  /** Allowed types of the parameters in order; if `isVariadic`, the last one applies to all further arguments. */
  parameterTypes: readonly Types[];
  /** Number of required arguments; default: all parameters. */
  minArguments?: number;
  isVariadic?: boolean;
  /** Whether numbers and dates must not be mixed. */
  rejectsMixedTypes?: boolean;
  /** Type of the result, possibly depending on the types of the arguments. */
  resultType: ValueType | ((args: Types) => ValueType);
  /** Whether no data in any argument results in no data without calling `run`. */
  isStrict?: boolean;
  run: (args: readonly Value[]) => Value;
}

const DAY_MS = 86_400_000;

const filterNumbers = (args: readonly Value[]): number[] => args.filter((arg) => typeof arg === 'number');
const getText = (args: readonly Value[], index: number): string => String(args[index] ?? '');
const getNumber = (args: readonly Value[], index: number): number => {
  const value = args[index];
  return typeof value === 'number' ? value : 0;
};
const getItems = (value: Value | undefined): readonly (number | string)[] =>
  value !== undefined && typeof value === 'object' && value !== null ? value : [];

/** Multiplies by a power of ten by changing the exponent in the number's text: 1.005 * 100 would be less than 100.5. */
function shiftDecimals(value: number, digits: number): number {
  const [mantissa = '0', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

/** Rounds half away from zero, as is usual for money. */
function round(value: number, digits: number): number | null {
  const places = Math.max(-15, Math.min(15, Math.trunc(digits)));
  const rounded = shiftDecimals(Math.round(shiftDecimals(Math.abs(value), places)), -places);
  return toNumber(value < 0 ? 0 - rounded : rounded);
}

/** A plain decimal number: `12.5`, `-3`. */
const NUMBER = /^\s*[-+]?\d+(?:\.\d+)?\s*$/;
const parseNumber = (text: string): number | null => (NUMBER.test(text) ? toNumber(Number(text)) : null);

/** The numbers that `sum` adds: the number itself, or the names of several choices that are numbers. */
const getAddends = (value: Value): number[] =>
  typeof value === 'number' ? [value] : getItems(value).flatMap((item) => parseNumber(String(item)) ?? []);

const createExtremum =
  (select: (...numbers: number[]) => number): FormulaFunction['run'] =>
  (args) => {
    const numbers = filterNumbers(args);
    return numbers.length === 0 ? null : select(...numbers);
  };

const createDatePart = (read: (date: Date) => number): FormulaFunction => ({
  parameterTypes: [DATE_PARAMETER],
  resultType: 'number',
  isStrict: true,
  run: (args) => read(new Date(getNumber(args, 0))),
});

const createTextFunction = (gives: ValueType, run: (text: string) => Value): FormulaFunction => ({
  parameterTypes: [TEXT_PARAMETER],
  resultType: gives,
  isStrict: true,
  run: (args) => run(getText(args, 0)),
});

const createNumberFunction = (run: (value: number) => number): FormulaFunction => ({
  parameterTypes: [NUMBER_PARAMETER],
  resultType: 'number',
  isStrict: true,
  run: (args) => toNumber(run(getNumber(args, 0))),
});

/** The result is a day only if all arguments are days. */
const getFirstType = ([type = 'number']: Types): ValueType => type;
const getExtremumType = (args: Types): ValueType => (args.includes('date') ? 'date' : getFirstType(args));

/**
 * The functions of formulas by name in lower case. All are deterministic and independent of clock and locale. `if`, `isEmpty`,
 * `ifEmpty` and the operators are in compile.ts.
 */
export const functions: ReadonlyMap<string, FormulaFunction> = new Map<string, FormulaFunction>([
  ['abs', createNumberFunction(Math.abs)],
  ['floor', createNumberFunction(Math.floor)],
  ['ceiling', createNumberFunction(Math.ceil)],
  [
    'round',
    {
      parameterTypes: [NUMBER_PARAMETER, NUMBER_PARAMETER],
      minArguments: 1,
      resultType: 'number',
      isStrict: true,
      run: (args) => round(getNumber(args, 0), getNumber(args, 1)),
    },
  ],
  [
    'min',
    {
      parameterTypes: [ORDERABLE],
      isVariadic: true,
      rejectsMixedTypes: true,
      resultType: getExtremumType,
      run: createExtremum(Math.min),
    },
  ],
  [
    'max',
    {
      parameterTypes: [ORDERABLE],
      isVariadic: true,
      rejectsMixedTypes: true,
      resultType: getExtremumType,
      run: createExtremum(Math.max),
    },
  ],
  [
    'sum',
    {
      parameterTypes: [ADDABLE],
      isVariadic: true,
      resultType: 'number',
      run: (args) => toNumber(args.flatMap(getAddends).reduce((sum, each) => sum + each, 0)),
    },
  ],
  [
    'count',
    {
      parameterTypes: [ANY_TYPE],
      isVariadic: true,
      resultType: 'number',
      run: (args) =>
        args.reduce<number>((sum, arg) => sum + (typeof arg === 'object' ? getItems(arg).length : 1), 0),
    },
  ],
  ['length', createTextFunction('number', (text) => Array.from(text).length)],
  ['lower', createTextFunction('text', (text) => toText(text.toLowerCase()))],
  ['upper', createTextFunction('text', (text) => toText(text.toUpperCase()))],
  ['trim', createTextFunction('text', (text) => toText(text.trim()))],
  ['number', createTextFunction('number', parseNumber)],
  [
    'left',
    {
      parameterTypes: [TEXT_PARAMETER, NUMBER_PARAMETER],
      resultType: 'text',
      isStrict: true,
      run: (args) =>
        toText(
          Array.from(getText(args, 0))
            .slice(0, Math.max(0, getNumber(args, 1)))
            .join(''),
        ),
    },
  ],
  [
    'contains',
    {
      parameterTypes: [SEARCHABLE, TEXT_PARAMETER],
      resultType: 'boolean',
      isStrict: true,
      run: ([whole, part]) => {
        const searchText = String(part).toLowerCase();
        return typeof whole === 'string'
          ? whole.toLowerCase().includes(searchText)
          : getItems(whole).some((item) => String(item).toLowerCase() === searchText);
      },
    },
  ],
  ['year', createDatePart((date) => date.getUTCFullYear())],
  ['month', createDatePart((date) => date.getUTCMonth() + 1)],
  ['day', createDatePart((date) => date.getUTCDate())],
  [
    'adddays',
    {
      parameterTypes: [DATE_PARAMETER, NUMBER_PARAMETER],
      resultType: getFirstType,
      isStrict: true,
      run: (args) => toTimestamp(getNumber(args, 0) + Math.trunc(getNumber(args, 1)) * DAY_MS),
    },
  ],
  [
    'daysbetween',
    {
      parameterTypes: [DATE_PARAMETER, DATE_PARAMETER],
      resultType: 'number',
      isStrict: true,
      run: (args) => Math.floor(getNumber(args, 1) / DAY_MS) - Math.floor(getNumber(args, 0) / DAY_MS),
    },
  ],
]);

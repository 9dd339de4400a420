/**
 * The language of calculated fields. An expression over the fields of one entry: numbers (`12.5`), texts (`"a ""b"""`),
 * `true`, `false`, fields by apiName (`Revenue`, `[Revenue]`), `+ - * /`, `&` to join texts, `= <> < <= > >=`,
 * `and or not`, brackets, and functions: if, isEmpty, ifEmpty, round, abs, floor, ceiling, min, max, sum, count, length,
 * lower, upper, trim, left, contains, number, year, month, day, addDays, daysBetween. Names are matched without regard
 * to case. Nothing in it depends on a clock, a zone or a language: the same values give the same result.
 *
 * No data: an operation on no data gives no data, as do a division by zero and what is too large to be stored. Except:
 * where true or false is asked for, no data counts as false; `&` leaves it out; min, max, sum and count pass it over
 * (sum and count of nothing are 0, min and max of nothing no data); isEmpty and ifEmpty ask for it.
 */
import { FIELD, type FieldType } from '../fields.ts';
import { compile, type Compiled } from './compile.ts';
import { parseFormula } from './parse.ts';
import { FormulaError, type FormulaFault } from './syntax.ts';
import { storedResult, type FormulaField, type ValueType } from './values.ts';

export interface Formula {
  /** Ids of the fields it reads. */
  reads: readonly number[];
  /** The value of the calculated field as it is stored, from stored values by field id; undefined: no data. */
  run: (stored: Readonly<Record<string, unknown>>) => string | number | boolean | undefined;
}

/** Types of expressions that a calculated field can hold, by its type; no others can be calculated. */
const HOLDS: Readonly<Partial<Record<FieldType, readonly ValueType[]>>> = {
  [FIELD.text]: ['text'],
  [FIELD.number]: ['number'],
  [FIELD.boolean]: ['boolean'],
  [FIELD.date]: ['date', 'day'],
};

/** Whether fields of this type can be calculated. */
export const mayBeCalculated = (
  field: Pick<FormulaField, 'fieldType' | 'isMoney' | 'isMultiSelect'>,
): boolean => field.fieldType in HOLDS && !field.isMoney && !field.isMultiSelect;

/** Reads the formula of a field of an entry type whose fields are given: checked, and ready to run; or what is wrong. */
export function readFormula(
  source: string,
  target: Pick<FormulaField, 'fieldType' | 'isDateOnly'>,
  fields: readonly FormulaField[],
): { formula: Formula } | { fault: FormulaFault } {
  const byName = new Map(fields.map((field) => [field.apiName.toLowerCase(), field]));
  const used = new Map<number, FormulaField>();
  try {
    const compiled = compile(parseFormula(source), { field: (name) => byName.get(name.toLowerCase()), used });
    requireType(compiled, target.fieldType);
    return {
      formula: { reads: [...used.keys()], run: (stored) => storedResult(target, compiled.run(stored)) },
    };
  } catch (error) {
    if (error instanceof FormulaError) return { fault: error.fault };
    throw error;
  }
}

function requireType({ type }: Compiled, fieldType: FieldType): void {
  if (HOLDS[fieldType]?.includes(type)) return;
  const given = type === 'day' ? 'date' : type;
  throw new FormulaError(0, `The result of the formula (${given}) does not fit the type of the field`);
}

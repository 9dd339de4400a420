/**
 * The language of calculated fields: an expression over the fields of one entry with numbers (`12.5`), texts (`"a ""b"""`), `true`,
 * `false`, fields by apiName (`Revenue`, `[Revenue]`), `+ - * /`, `&` for concatenation, `= <> < <= > >=`, `and or not`, brackets, and
 * the functions if, isEmpty, ifEmpty, round, abs, floor, ceiling, min, max, sum, count, length, lower, upper, trim, left, contains,
 * number, year, month, day, addDays, daysBetween. Names are case-insensitive. Results do not depend on clock, time zone or locale.
 *
 * Limits: a formula results in a text of at most 10,000 characters unless the field has a limit of its own, and no text within it is
 * longer than 1,000,000. Beyond them the calculation fails instead of storing a wrong value.
 *
 * No data: an operation on no data results in no data, and so do a division by zero and a number or date out of range. Exceptions:
 * conditions treat no data as false; `&` omits it; min, max, sum and count ignore it (sum and count of nothing are 0, min and max of
 * nothing are no data); isEmpty and ifEmpty test for it.
 */
import { FIELD, type FieldType } from '../schema/fields.ts';
import { compile, type CompiledExpression } from './compile.ts';
import { parseFormula, FormulaError, type FormulaIssue, tokenize, type Token } from './parse.ts';
import { toStoredResult, type FormulaField, type ResultField, type ValueType } from './values.ts';

export { DEFAULT_FORMULA_MAX_LENGTH, FormulaLimitError } from './values.ts';

/** A compiled formula. */
export interface Formula {
  /** Ids of the fields that the formula reads. */
  fieldIds: readonly number[];
  /**
   * Computes the value to store from stored values by field id; undefined for no data.
   * @throws FormulaLimitError when a text exceeds its limit
   */
  run: (stored: Readonly<Record<string, unknown>>) => string | number | boolean | undefined;
}

/** Allowed types of the result by field type; fields of other types cannot be calculated. */
const RESULT_TYPES: Readonly<Partial<Record<FieldType, readonly ValueType[]>>> = {
  [FIELD.text]: ['text'],
  [FIELD.number]: ['number'],
  [FIELD.boolean]: ['boolean'],
  [FIELD.date]: ['date', 'day'],
};

/** Whether fields of this type can be calculated. */
export const canBeCalculated = (
  field: Pick<FormulaField, 'fieldType' | 'isMoney' | 'isMultiSelect'>,
): boolean => field.fieldType in RESULT_TYPES && !field.isMoney && !field.isMultiSelect;

/** Parses, checks and compiles the formula of the field `target`, which may read `fields`; or returns what is wrong. */
export function compileFormula(
  source: string,
  target: ResultField,
  fields: readonly FormulaField[],
): { formula: Formula } | { issue: FormulaIssue } {
  const fieldsByName = new Map(fields.map((field) => [field.apiName.toLowerCase(), field]));
  const usedFields = new Map<number, FormulaField>();
  const findField = (name: string) => fieldsByName.get(name.toLowerCase());
  try {
    const compiled = compile(parseFormula(source), { findField, usedFields });
    requireResultType(compiled, target.fieldType);
    return {
      formula: {
        fieldIds: [...usedFields.keys()],
        run: (stored) => toStoredResult(target, compiled.run(stored)),
      },
    };
  } catch (error) {
    if (error instanceof FormulaError) return { issue: error.issue };
    throw error;
  }
}

function requireResultType({ type }: CompiledExpression, fieldType: FieldType): void {
  if (RESULT_TYPES[fieldType]?.includes(type)) return;
  const typeName = type === 'day' ? 'date' : type;
  throw new FormulaError(0, `The result of the formula (${typeName}) does not match the type of the field`);
}

/** Id of each calculated field → ids of the fields that it reads. */
export type FieldDependencies = ReadonlyMap<number, readonly number[]>;

/**
 * The calculated fields in topological order: each after those that it reads. If they depend on each other in a cycle, its fields,
 * with the first one repeated at the end.
 */
export function getCalculationOrder(
  dependencies: FieldDependencies,
): { order: readonly number[] } | { cycle: readonly number[] } {
  const order: number[] = [];
  const visited = new Set<number>();
  const path: number[] = [];
  // The recursion is as deep as the longest chain of calculated fields, at most the number of fields of a type.
  const visit = (fieldId: number): readonly number[] | undefined => {
    if (visited.has(fieldId) || !dependencies.has(fieldId)) return undefined;
    if (path.includes(fieldId)) return [...path.slice(path.indexOf(fieldId)), fieldId];
    path.push(fieldId);
    for (const dependency of dependencies.get(fieldId) ?? []) {
      const cycle = visit(dependency);
      if (cycle) return cycle;
    }
    path.pop();
    visited.add(fieldId);
    order.push(fieldId);
    return undefined;
  };
  for (const fieldId of dependencies.keys()) {
    const cycle = visit(fieldId);
    if (cycle) return { cycle };
  }
  return { order };
}

const RESERVED_WORDS = new Set(['and', 'or', 'not', 'true', 'false']);

/** Renames a field in a valid formula; everything else, including spaces, stays as it was written. */
export function renameField(source: string, from: string, to: string): string {
  const tokens = tokenize(source);
  const newName = RESERVED_WORDS.has(to.toLowerCase()) ? `[${to}]` : to;
  const texts = tokens.map((token, index) => {
    if (token.kind === 'field')
      return isSameName(token.text.slice(1, -1).trim(), from) ? `[${to}]` : token.text;
    return token.kind === 'name' && isSameName(token.text, from) && isFieldName(token, tokens[index + 1])
      ? newName
      : token.text;
  });
  return texts.map((text, index) => text + getSpaceAfter(source, tokens, index)).join('');
}

const isSameName = (a: string, b: string) => a.toLowerCase() === b.toLowerCase();

const isFieldName = ({ text }: Token, next: Token | undefined) =>
  next?.text !== '(' && !RESERVED_WORDS.has(text.toLowerCase());

function getSpaceAfter(source: string, tokens: readonly Token[], index: number): string {
  const [token, next] = [tokens[index], tokens[index + 1]];
  return token && next ? source.slice(token.position + token.text.length, next.position) : '';
}

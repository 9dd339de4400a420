import parseJson5 from 'json5/lib/parse.js';
import { startsWithCalendarDay } from '../dates/dates.ts';
import { formatPathName, scanJson } from '../json/scan.ts';
import { FIELD, type FilterOperation, filterOperations, isIdField } from '../schema/fields.ts';
import {
  type Comparison,
  type Condition,
  type ConditionGroup,
  ENTRY_ID,
  MATCH_ALL,
  type Operand,
  QUERY_LIMITS,
  type QueryError,
  type QueryField,
  type QueryParseResult,
} from './condition.ts';

/** Finds a field of the entry type by its apiName, ignoring case. */
export type FindField = (name: string) => QueryField | undefined;

/** One item of POST …/filter (FilterInfoVm). */
interface FilterItem {
  fieldId: number;
  filterOperation: number;
  value?: unknown;
  valueTo?: unknown;
  currencyCode?: string | null;
}

/** Deeper than any query within the limits. Checked before JSON5 parses, because JSON5 accepts any depth. */
const MAX_BRACKET_DEPTH = QUERY_LIMITS.depth * 3;
const FORBIDDEN_KEYS = new Set(['__proto__', 'constructor', 'prototype']);
const DEPTH_ERROR = `is nested deeper than ${QUERY_LIMITS.depth} levels`;
/** Error of a text with too many parts, which comparisons within the limits never have: only groups without any add more. */
const PARTS_ERROR = `has more than ${QUERY_LIMITS.parts} objects, lists and properties`;

/** Longer texts must be JSON: the parser of JSON5 reads character by character, and would keep a service busy. */
const MAX_JSON5_LENGTH = 65_536;

/**
 * Parses the text of a row query: JSON, or JSON5 with unquoted keys. An empty text matches all entries. Keys that could reach into a
 * prototype are errors at any depth (T18), and so are keys given twice and numbers that would change (shapes 1).
 */
export function parseQuery(text: string, findField: FindField): QueryParseResult {
  if (text.trim() === '') return { condition: MATCH_ALL };
  const { exceeded, issues } = scanJson(text, {
    rootPath: 'query',
    isRootInPaths: true,
    maxDepth: MAX_BRACKET_DEPTH,
    maxNodes: QUERY_LIMITS.parts,
    maxIssues: QUERY_LIMITS.errors,
    forbiddenNames: FORBIDDEN_KEYS,
    parseText: parseJson5,
  });
  if (exceeded === 'depth') return { errors: [{ path: 'query', message: DEPTH_ERROR }] };
  let value: unknown;
  try {
    value = parseText(text);
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^JSON5: /, '') : 'cannot be parsed';
    return { errors: [{ path: 'query', message: `is not valid JSON: ${reason}` }] };
  }
  if (issues.length > 0) return { errors: issues };
  const result = parseQueryObject(value, findField);
  // The text beyond the limit was not scanned. The errors of the parser say more.
  if (exceeded && result.condition) return { errors: [{ path: 'query', message: PARTS_ERROR }] };
  return result;
}

/** @throws SyntaxError for a text that is neither JSON nor JSON5 */
function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text.length <= MAX_JSON5_LENGTH) return parseJson5(text);
    throw new SyntaxError(
      `a text of more than ${MAX_JSON5_LENGTH} characters cannot use the notation of JSON5`,
    );
  }
}

/**
 * Parses a row query (spec 4.4; shapes 4). Keys are apiNames in any case, EntryId, `$and` or `$or`; the content is a
 * value or an object of operators. Reports the errors together, each with its path, and stops after the first hundred.
 */
export function parseQueryObject(value: unknown, findField: FindField): QueryParseResult {
  const parser = new QueryParser(findField);
  return parser.finish(parser.parseObject(value, 'query', 1), 'query');
}

/** Parses the items of a filter, all of which must hold, into the same tree. */
export function parseFilterItems(
  items: readonly FilterItem[],
  findField: (fieldId: number) => QueryField | undefined,
): QueryParseResult {
  const parser = new QueryParser(() => undefined);
  const conditions = items.map((item, index) =>
    parser.parseFilterItem(item, findField(item.fieldId), String(index)),
  );
  return parser.finish(joinConditions(conditions), 'body');
}

const operationsByRowOperator = new Map(
  filterOperations.map((operation) => [operation.rowOperator.toLowerCase(), operation]),
);
const getOperation = (rowOperator: string): FilterOperation => {
  const operation = operationsByRowOperator.get(rowOperator);
  if (!operation) throw new Error(`Unknown row operator ${rowOperator}`);
  return operation;
};
const EQUALS = getOperation('$eq');
const NOT = getOperation('$not');
const BETWEEN = getOperation('$between');
const NO_DATA = getOperation('$nodata');
const NOT_NO_DATA = getOperation('$notnodata');

const joinRowOperators = (operations: readonly FilterOperation[]): string =>
  operations.map(({ rowOperator }) => rowOperator).join(', ');
const OPERATOR_LIST = joinRowOperators(filterOperations.filter(({ operand }) => operand !== 'none'));

const GROUP_MATCHES = new Map<string, ConditionGroup['match']>([
  ['$and', 'all'],
  ['$or', 'any'],
]);

/** The operations that a field supports; entry ids compare like numbers. */
const getSupportedOperations = (field: QueryField | typeof ENTRY_ID): readonly FilterOperation[] =>
  field === ENTRY_ID
    ? filterOperations.filter(
        ({ operand, fieldTypes }) => operand !== 'none' && fieldTypes.includes(FIELD.counter),
      )
    : filterOperations.filter(({ fieldTypes }) => fieldTypes.includes(field.fieldType));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Conditions of which all must hold; a single one is not wrapped into a group. Failed ones are `undefined`. */
const joinConditions = (parsed: readonly (Condition | undefined)[]): Condition => {
  const conditions = parsed.filter((condition) => condition !== undefined);
  const [only] = conditions;
  return conditions.length === 1 && only ? only : { kind: 'group', match: 'all', conditions };
};

/**
 * `"$noData"` and `"$notNoData"` are written in place of a value (spec 4.4). Returns their operation, the opposite one
 * after `$not`; undefined for any other value.
 */
function findMarkerOperation(operation: FilterOperation, value: unknown): FilterOperation | undefined {
  if (typeof value !== 'string') return undefined;
  const marker = [NO_DATA, NOT_NO_DATA].find(
    ({ rowOperator }) => rowOperator.toLowerCase() === value.toLowerCase(),
  );
  if (!marker || operation === EQUALS) return marker;
  if (operation !== NOT) return undefined;
  return marker === NO_DATA ? NOT_NO_DATA : NO_DATA;
}

/** Path of a value in the request, or of one item of a list of values. */
type GetValuePath = (itemIndex?: number) => string;

const createListPath =
  (path: string): GetValuePath =>
  (itemIndex) =>
    itemIndex === undefined ? path : `${path}.${itemIndex}`;

/** Parses one query; collects its errors and counts its comparisons. */
class QueryParser {
  private readonly errors: QueryError[] = [];
  private readonly findField: FindField;
  private comparisonCount = 0;

  constructor(findField: FindField) {
    this.findField = findField;
  }

  /** Whether there are enough errors for the response, so that the rest need not be parsed. */
  private get isRefused(): boolean {
    return this.errors.length >= QUERY_LIMITS.errors || this.comparisonCount > QUERY_LIMITS.comparisons;
  }

  finish(condition: Condition | undefined, path: string): QueryParseResult {
    if (this.comparisonCount > QUERY_LIMITS.comparisons)
      this.addError(path, `has more than ${QUERY_LIMITS.comparisons} comparisons`);
    return this.errors.length > 0 || !condition ? { errors: this.errors } : { condition };
  }

  parseObject(value: unknown, path: string, depth: number): Condition | undefined {
    if (depth > QUERY_LIMITS.depth) return this.addError(path, DEPTH_ERROR);
    if (!isObject(value)) return this.addError(path, 'must be an object of conditions');
    const conditions: (Condition | undefined)[] = [];
    for (const [key, content] of Object.entries(value)) {
      if (this.isRefused) break;
      conditions.push(this.parseEntry(key, content, `${path}.${formatPathName(key)}`, depth));
    }
    return joinConditions(conditions);
  }

  private parseEntry(key: string, content: unknown, path: string, depth: number): Condition | undefined {
    const match = GROUP_MATCHES.get(key.toLowerCase());
    if (!match) {
      if (key.startsWith('$'))
        return this.addError(path, `Unknown group ${formatPathName(key)}: groups are $and and $or`);
      return this.parseField(key, content, path);
    }
    if (!Array.isArray(content) || content.length === 0)
      return this.addError(path, 'must be a list of at least one condition');
    const conditions = content.map((item: unknown, index) =>
      this.parseObject(item, `${path}.${index}`, depth + 1),
    );
    return { kind: 'group', match, conditions: conditions.filter((condition) => condition !== undefined) };
  }

  private parseField(name: string, value: unknown, path: string): Condition | undefined {
    const field = name.toLowerCase() === ENTRY_ID.toLowerCase() ? ENTRY_ID : this.findField(name);
    if (!field) return this.addError(path, `Field with name "${formatPathName(name)}" does not exist`);
    if (!isObject(value)) return this.parseComparison(field, EQUALS, value, createListPath(path));
    const operators = Object.entries(value);
    if (operators.length === 0) return this.addError(path, 'must name an operator, such as {"$gt": 5}');
    return joinConditions(
      operators.map(([operator, operand]) => {
        const operatorPath = `${path}.${operator}`;
        const operation = operationsByRowOperator.get(operator.toLowerCase());
        if (!operation || operation.operand === 'none') {
          const hint = operation
            ? `write "${operation.rowOperator}" as the value`
            : `operators are ${OPERATOR_LIST}`;
          return this.addError(operatorPath, `Unknown operator ${operator}: ${hint}`);
        }
        return this.parseComparison(field, operation, operand, createListPath(operatorPath));
      }),
    );
  }

  parseFilterItem(item: FilterItem, field: QueryField | undefined, path: string): Comparison | undefined {
    if (!field) return this.addError(`${path}.fieldId`, `Field with id ${item.fieldId} does not exist`);
    const operation = filterOperations.find(({ id }) => id === item.filterOperation);
    if (!operation)
      return this.addError(`${path}.filterOperation`, `Operation ${item.filterOperation} does not exist`);
    if (operation.operand !== 'pair' && item.valueTo !== undefined && item.valueTo !== null)
      return this.addError(`${path}.valueTo`, `is only for ${BETWEEN.name}`);
    const value =
      operation.operand === 'pair'
        ? [item.value, item.valueTo]
        : operation.operand === 'several' && !Array.isArray(item.value)
          ? [item.value]
          : item.value;
    const getPairPath: GetValuePath = (itemIndex) => `${path}.${itemIndex === 1 ? 'valueTo' : 'value'}`;
    const getPath = operation.operand === 'pair' ? getPairPath : createListPath(`${path}.value`);
    const comparison = this.parseComparison(field, operation, value, getPath, `${path}.filterOperation`);
    const { currencyCode } = item;
    if (!comparison || currencyCode === null || currencyCode === undefined) return comparison;
    if (!field.isMoney && field.fieldType !== FIELD.currency)
      return this.addError(`${path}.currencyCode`, `${field.apiName} is not a money field`);
    return { ...comparison, currencyCode };
  }

  private parseComparison(
    field: QueryField | typeof ENTRY_ID,
    writtenOperation: FilterOperation,
    value: unknown,
    getPath: GetValuePath,
    operationPath = getPath(),
  ): Comparison | undefined {
    this.comparisonCount += 1;
    const operation = findMarkerOperation(writtenOperation, value) ?? writtenOperation;
    const supported = getSupportedOperations(field);
    if (!supported.includes(operation)) {
      const name = field === ENTRY_ID ? ENTRY_ID : field.apiName;
      return this.addError(
        operationPath,
        `${name} does not support ${operation.rowOperator}, only ${joinRowOperators(supported)}`,
      );
    }
    const result = parseOperands(field, operation, value);
    if ('error' in result) return this.addError(getPath(result.itemIndex), result.error);
    return { kind: 'comparison', field, operation, operands: result.operands };
  }

  private addError(path: string, message: string): undefined {
    if (this.errors.length < QUERY_LIMITS.errors) this.errors.push({ path, message });
    return undefined;
  }
}

/** Parses the operands of an operation; `itemIndex` tells which item of a list has the error. */
function parseOperands(
  field: QueryField | typeof ENTRY_ID,
  { name, operand, rowOperator }: FilterOperation,
  value: unknown,
): { operands: Operand[] } | { error: string; itemIndex?: number } {
  if (operand === 'none') return { operands: [] };
  if (operand === 'one') {
    if (value === null) return { error: 'is null: use "$noData" or "$notNoData"' };
    const listOperator = rowOperator === '$not' ? '$nin' : '$in';
    if (Array.isArray(value))
      return { error: `is a list: ${name} compares with one value, ${listOperator} with several` };
    const error = findOperandError(field, value);
    return error === undefined ? { operands: [value as Operand] } : { error };
  }
  if (!Array.isArray(value))
    return { error: `must be a list of values, each ${getOperandRule(field).description}` };
  const items: readonly unknown[] = value;
  if (operand === 'pair' && items.length !== 2) return { error: 'must be a list of two values: from and to' };
  if (items.length === 0) return { error: 'must have at least one value' };
  if (items.length > QUERY_LIMITS.operands)
    return { error: `has ${items.length} values; ${QUERY_LIMITS.operands} at most` };
  const itemIndex = items.findIndex((item) => findOperandError(field, item) !== undefined);
  const error = itemIndex < 0 ? undefined : findOperandError(field, items[itemIndex]);
  return error === undefined ? { operands: items as Operand[] } : { error, itemIndex };
}

/** Stored texts contain none of these; PostgreSQL would reject them or compare with another text. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

function findOperandError(field: QueryField | typeof ENTRY_ID, value: unknown): string | undefined {
  const { description, isValid } = getOperandRule(field);
  if (!isValid(value)) return `must be ${description}`;
  return typeof value === 'string' && UNSTORABLE.test(value)
    ? 'must not contain NUL or half a surrogate pair'
    : undefined;
}

interface OperandRule {
  /** Completes "must be …". */
  description: string;
  isValid: (value: unknown) => boolean;
}

/** The values that a field can be compared with. */
function getOperandRule(field: QueryField | typeof ENTRY_ID): OperandRule {
  if (field === ENTRY_ID) return { description: 'the id of an entry, a whole number', isValid: isId };
  if (isIdField(field.fieldType)) {
    const targets = { [FIELD.choice]: 'a choice', [FIELD.reference]: 'an entry', [FIELD.user]: 'a user' };
    const target = targets[field.fieldType as keyof typeof targets];
    return { description: `the id of ${target}, a whole number`, isValid: isId };
  }
  if (field.fieldType === FIELD.boolean)
    return { description: 'true or false', isValid: (value) => typeof value === 'boolean' };
  if (field.fieldType === FIELD.date)
    return {
      description: 'a date, such as 2026-03-01 or 2026-03-01T08:00:00Z',
      isValid: (value) => typeof value === 'string' && isDateTime(value),
    };
  if (field.fieldType === FIELD.text)
    return {
      description: `a text of at most ${QUERY_LIMITS.text} characters`,
      isValid: (value) => typeof value === 'string' && value.length <= QUERY_LIMITS.text,
    };
  return {
    description: 'a number',
    isValid: (value) => typeof value === 'number' && Number.isFinite(value),
  };
}

/** A day of the years 1 to 9999, with a time of day and the offset of a zone, or without. */
const DATE_TIME =
  /^(?!0000)\d{4}-\d{2}-\d{2}(T([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?)?$/i;
const MAX_ID = 2_147_483_647;

/** Whether a text is a day or a date-time that exists (shapes 1). */
const isDateTime = (text: string): boolean => DATE_TIME.test(text) && startsWithCalendarDay(text);

const isId = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_ID;

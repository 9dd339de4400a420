import { FIELD, type FilterOperation, filterOperations, isIdField } from '../fields.ts';
import {
  type Comparison,
  type Condition,
  ENTRY_ID,
  QUERY_LIMITS,
  type QueryFault,
  type QueryField,
  type ReadQuery,
  type Operand,
} from './tree.ts';
import { beginsWithDay } from '../days.ts';

/** Finds a field of the entry type by its apiName, in any case. */
export type FieldFinder = (name: string) => QueryField | undefined;

const byOperator = new Map(filterOperations.map((each) => [each.rowOperator.toLowerCase(), each]));
const operationCalled = (name: string): FilterOperation => {
  const found = byOperator.get(name);
  if (!found) throw new Error(`There is no row operator ${name}`);
  return found;
};
const EQUALS = operationCalled('$eq');
const NOT = operationCalled('$not');
const NO_DATA = operationCalled('$nodata');
const NOT_NO_DATA = operationCalled('$notnodata');
const GROUPS = new Map<string, 'all' | 'any'>([
  ['$and', 'all'],
  ['$or', 'any'],
]);

/** The operations that a field takes; ids of entries compare as numbers do. */
const operationsOf = (field: QueryField | typeof ENTRY_ID): readonly FilterOperation[] =>
  field === ENTRY_ID
    ? filterOperations.filter(
        ({ operand, fieldTypes }) => operand !== 'none' && fieldTypes.includes(FIELD.counter),
      )
    : filterOperations.filter(({ fieldTypes }) => fieldTypes.includes(field.fieldType));

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Collects while a query is read: its faults, and how much of the bounds is used up. */
class Reading {
  readonly faults: QueryFault[] = [];
  comparisons = 0;
  readonly find: FieldFinder;

  constructor(find: FieldFinder) {
    this.find = find;
  }

  fault(path: string, message: string): undefined {
    this.faults.push({ path, message });
    return undefined;
  }
}

/** `"$noData"` and `"$notNoData"` stand where a value would (spec 4.4); behind `$not` they mean their opposite. */
function marker(operation: FilterOperation, value: unknown): FilterOperation | undefined {
  if (typeof value !== 'string') return undefined;
  const named = [NO_DATA, NOT_NO_DATA].find((each) => each.rowOperator.toLowerCase() === value.toLowerCase());
  if (!named || operation === EQUALS) return named;
  if (operation !== NOT) return undefined;
  return named === NO_DATA ? NOT_NO_DATA : NO_DATA;
}

/** Where a value stands in the request, or one of several. */
type Place = (index?: number) => string;

const inList =
  (path: string): Place =>
  (index) =>
    index === undefined ? path : `${path}.${index}`;

function readComparison(
  reading: Reading,
  field: QueryField | typeof ENTRY_ID,
  operation: FilterOperation,
  value: unknown,
  place: Place,
): Comparison | undefined {
  reading.comparisons += 1;
  const meant = marker(operation, value) ?? operation;
  const name = field === ENTRY_ID ? ENTRY_ID : field.apiName;
  const possible = operationsOf(field);
  if (!possible.includes(meant))
    return reading.fault(
      place(),
      `${name} cannot be asked with ${meant.rowOperator}; it takes ${possible.map((each) => each.rowOperator).join(', ')}`,
    );
  const read = readOperands(field, meant, value);
  if ('fault' in read) return reading.fault(place(read.at), read.fault);
  return { kind: 'comparison', field, operation: meant, operands: read.operands };
}

function readField(reading: Reading, name: string, value: unknown, path: string): Condition | undefined {
  const field = name.toLowerCase() === ENTRY_ID.toLowerCase() ? ENTRY_ID : reading.find(name);
  if (!field) return reading.fault(path, `Field with name "${name}" does not exist`);
  if (!isObject(value)) return readComparison(reading, field, EQUALS, value, inList(path));
  const entries = Object.entries(value);
  if (entries.length === 0) return reading.fault(path, 'must name an operator, such as {"$gt": 5}');
  return all(
    entries.map(([operator, operand]) => {
      const at = `${path}.${operator}`;
      const operation = byOperator.get(operator.toLowerCase());
      if (!operation || operation.operand === 'none') {
        const hint = operation
          ? `write "${operation.rowOperator}" as the value`
          : `operators are ${operators}`;
        return reading.fault(at, `There is no operator ${operator}: ${hint}`);
      }
      return readComparison(reading, field, operation, operand, inList(at));
    }),
  );
}

const operators = filterOperations
  .filter(({ operand }) => operand !== 'none')
  .map(({ rowOperator }) => rowOperator)
  .join(', ');

const all = (of: readonly (Condition | undefined)[]): Condition => {
  const read = of.filter((each) => each !== undefined);
  const [only] = read;
  return read.length === 1 && only ? only : { kind: 'all', of: read };
};

function readObject(reading: Reading, value: unknown, path: string, depth: number): Condition | undefined {
  if (depth > QUERY_LIMITS.depth)
    return reading.fault(path, `is nested deeper than ${QUERY_LIMITS.depth} levels`);
  if (!isObject(value)) return reading.fault(path, 'must be an object of conditions');
  return all(
    Object.entries(value).map(([key, content]) => {
      const at = `${path}.${key}`;
      const group = GROUPS.get(key.toLowerCase());
      if (!group) {
        if (key.startsWith('$'))
          return reading.fault(at, `There is no group ${key}: groups are $and and $or`);
        return readField(reading, key, content, at);
      }
      if (!Array.isArray(content) || content.length === 0)
        return reading.fault(at, 'must be a list of at least one condition');
      const of = content.map((each: unknown, index) =>
        readObject(reading, each, `${at}.${index}`, depth + 1),
      );
      return { kind: group, of: of.filter((each) => each !== undefined) };
    }),
  );
}

/**
 * Reads a row query (spec 4.4; shapes 4) into a typed tree: keys are apiNames in any case, EntryId, `$and` or `$or`; a
 * value, or an object of operators. Every fault is told at once, with its place.
 */
export function readQuery(value: unknown, find: FieldFinder): ReadQuery {
  const reading = new Reading(find);
  const condition = readObject(reading, value, 'query', 1);
  return finish(reading, condition, 'query');
}

function finish(reading: Reading, condition: Condition | undefined, path: string): ReadQuery {
  if (reading.comparisons > QUERY_LIMITS.comparisons)
    reading.fault(path, `holds ${reading.comparisons} comparisons; ${QUERY_LIMITS.comparisons} at most`);
  return reading.faults.length > 0 || !condition ? { faults: reading.faults } : { condition };
}

/** One item of POST …/filter (FilterInfoVm). */
export interface FilterItem {
  fieldId: number;
  filterOperation: number;
  value?: unknown;
  valueTo?: unknown;
  currencyCode?: string | null;
}

/** Reads the items of a filter, which must all hold, into the same tree. */
export function readFilters(
  items: readonly FilterItem[],
  find: (fieldId: number) => QueryField | undefined,
): ReadQuery {
  const reading = new Reading(() => undefined);
  const of = items.map((item, index) => readFilter(reading, item, find(item.fieldId), String(index)));
  return finish(reading, all(of), 'body');
}

function readFilter(
  reading: Reading,
  item: FilterItem,
  field: QueryField | undefined,
  path: string,
): Comparison | undefined {
  if (!field) return reading.fault(`${path}.fieldId`, `Field with id ${item.fieldId} does not exist`);
  const operation = filterOperations.find(({ id }) => id === item.filterOperation);
  if (!operation)
    return reading.fault(`${path}.filterOperation`, `There is no operation ${item.filterOperation}`);
  const value =
    operation.operand === 'pair'
      ? [item.value, item.valueTo]
      : operation.operand === 'several' && !Array.isArray(item.value)
        ? [item.value]
        : item.value;
  const pair: Place = (index) => `${path}.${index === 1 ? 'valueTo' : 'value'}`;
  const place = operation.operand === 'pair' ? pair : inList(`${path}.value`);
  const read = readComparison(reading, field, operation, value, place);
  if (!read || item.currencyCode === null || item.currencyCode === undefined) return read;
  if (!field.isMoney && field.fieldType !== FIELD.currency)
    return reading.fault(`${path}.currencyCode`, `${field.apiName} holds no money`);
  return { ...read, currencyCode: item.currencyCode };
}

const DATE_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?)?$/i;
const MAX_ID = 2_147_483_647;

/** A date-time or a day, as text (shapes 1); whether the day exists is looked at as well. */
const isDateTime = (text: string): boolean => {
  if (!DATE_TIME.test(text) || !beginsWithDay(text)) return false;
  const [hour = 0, minute = 0, second = 0] = text.slice(11, 19).split(':').map(Number);
  return !(hour > 23 || minute > 59 || second > 59);
};

/** What no text holds that is stored: it would be looked for as something else. */
const NOT_STORED = /\0|\p{Surrogate}/u;

const isId = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= MAX_ID;

/** What values of the field look like, in words and as a test. */
function expected(field: QueryField | typeof ENTRY_ID): { words: string; fits: (value: unknown) => boolean } {
  if (field === ENTRY_ID) return { words: 'the id of an entry, a whole number', fits: isId };
  if (isIdField(field.fieldType)) {
    const of = { [FIELD.choice]: 'a choice', [FIELD.reference]: 'an entry', [FIELD.user]: 'a user' };
    return { words: `the id of ${of[field.fieldType as keyof typeof of]}, a whole number`, fits: isId };
  }
  if (field.fieldType === FIELD.boolean)
    return { words: 'true or false', fits: (value) => typeof value === 'boolean' };
  if (field.fieldType === FIELD.date)
    return {
      words: 'a date, such as 2026-03-01 or 2026-03-01T08:00:00Z',
      fits: (value) => typeof value === 'string' && isDateTime(value),
    };
  if (field.fieldType === FIELD.text)
    return {
      words: `a text of at most ${QUERY_LIMITS.text} characters`,
      fits: (value) => typeof value === 'string' && value.length <= QUERY_LIMITS.text,
    };
  return { words: 'a number', fits: (value) => typeof value === 'number' && Number.isFinite(value) };
}

/** What is wrong with a value, in words. */
function faultOf(field: QueryField | typeof ENTRY_ID, value: unknown): string | undefined {
  const { words, fits } = expected(field);
  if (!fits(value)) return `must be ${words}`;
  return typeof value === 'string' && NOT_STORED.test(value)
    ? 'must not contain NUL or half a surrogate pair'
    : undefined;
}

/** Reads what an operation compares with. Answers the operands, or what is wrong in words. */
function readOperands(
  field: QueryField | typeof ENTRY_ID,
  operation: FilterOperation,
  given: unknown,
): { operands: Operand[] } | { fault: string; at?: number } {
  if (operation.operand === 'none') return { operands: [] };
  if (operation.operand === 'one') {
    if (given === null) return { fault: 'is null: ask for "$noData" or "$notNoData"' };
    const several = operation.rowOperator === '$not' ? '$nin' : '$in';
    if (Array.isArray(given))
      return { fault: `is a list: ${operation.name} compares with one value, ${several} with several` };
    const fault = faultOf(field, given);
    return fault === undefined ? { operands: [given as Operand] } : { fault };
  }
  if (!Array.isArray(given)) return { fault: `must be a list of values, each ${expected(field).words}` };
  const list: readonly unknown[] = given;
  if (operation.operand === 'pair' && list.length !== 2)
    return { fault: 'must be a list of two: from and to' };
  if (list.length === 0) return { fault: 'must hold at least one value' };
  if (list.length > QUERY_LIMITS.operands)
    return { fault: `holds ${list.length} values; ${QUERY_LIMITS.operands} at most` };
  const at = list.findIndex((value) => faultOf(field, value) !== undefined);
  const fault = at < 0 ? undefined : faultOf(field, list[at]);
  return fault === undefined ? { operands: list as Operand[] } : { fault, at };
}

import { startsWithCalendarDay } from '../dates/dates.ts';
import {
  FIELD,
  FILTER,
  findFilterOperation,
  fieldTypes,
  holdsMoney,
  isIdField,
  getOppositeOperation,
  type FieldType,
  type FilterOperation,
} from './fields.ts';

/** A condition of `requiredWhen` (shapes 5). `value` has its wire format; In, NotIn and Between have a list. */
export interface RequiredWhenCondition {
  fieldId: number;
  operation: number;
  value?: unknown;
}

export interface RequiredWhenRule {
  match: 'all' | 'any';
  conditions: readonly RequiredWhenCondition[];
}

/** Properties of a field that decide how a condition compares it. */
export interface ConditionField {
  fieldType: FieldType;
  isMoney: boolean;
  isDateOnly: boolean;
}

/** A value to compare: an id, a number, 0 or 1 for a boolean, milliseconds for a date, a text in lower case. */
type Comparable = number | string;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i;

/** Milliseconds of a day or date-time; a date-time without zone is UTC (shapes 1). Undefined: not a valid date. */
function parseTimestamp(text: string, isDateOnly: boolean): number | undefined {
  const match = isDateOnly ? null : TIMESTAMP.exec(text);
  if ((!match && !DAY.test(text)) || !startsWithCalendarDay(text)) return undefined;
  const timestamp = Date.parse(match && match[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(timestamp) ? undefined : timestamp;
}

/** Converts a value to the form in which the field is compared; undefined when it is of the wrong type. */
function toComparable(value: unknown, field: ConditionField): Comparable | undefined {
  const { fieldType } = field;
  if (fieldType === FIELD.text) return typeof value === 'string' ? value.toLowerCase() : undefined;
  if (fieldType === FIELD.boolean) return typeof value === 'boolean' ? Number(value) : undefined;
  if (fieldType === FIELD.date)
    return typeof value === 'string' ? parseTimestamp(value, field.isDateOnly) : undefined;
  if (isIdField(fieldType)) return Number.isInteger(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** The stored values of a field in the form in which they are compared: none, one or several. */
function toComparables(stored: unknown, field: ConditionField): Comparable[] {
  if (stored === undefined || stored === null) return [];
  if (Array.isArray(stored)) return stored.map((item) => toComparable(item, field) ?? 0);
  const value = toComparable(holdsMoney(field) ? Object(stored).value : stored, field);
  return value === undefined ? [] : [value];
}

const toText = (value: Comparable): string => String(value);

/** Tests of a single stored value; negative operations are evaluated as the opposite of theirs. */
const OPERATION_TESTS: Readonly<
  Record<number, (value: Comparable, operands: readonly Comparable[]) => boolean>
> = {
  [FILTER.equals]: (value, [operand]) => value === operand,
  [FILTER.contains]: (value, [operand = '']) => toText(value).includes(toText(operand)),
  [FILTER.greater]: (value, [operand = 0]) => value > operand,
  [FILTER.greaterOrEqual]: (value, [operand = 0]) => value >= operand,
  [FILTER.less]: (value, [operand = 0]) => value < operand,
  [FILTER.lessOrEqual]: (value, [operand = 0]) => value <= operand,
  [FILTER.startsWith]: (value, [operand = '']) => toText(value).startsWith(toText(operand)),
  [FILTER.in]: (value, operands) => operands.includes(value),
  [FILTER.between]: (value, [low = 0, high = 0]) => value >= low && value <= high,
};

const getOperands = ({ value }: RequiredWhenCondition): readonly unknown[] =>
  Array.isArray(value) ? value : [value];

function meetsCondition(condition: RequiredWhenCondition, field: ConditionField, stored: unknown): boolean {
  const values = toComparables(stored, field);
  if (condition.operation === FILTER.noData) return values.length === 0 && !hasFiles(stored);
  if (condition.operation === FILTER.notNoData) return values.length > 0 || hasFiles(stored);
  const opposite = getOppositeOperation(condition.operation);
  const test = OPERATION_TESTS[opposite ?? condition.operation];
  const operands = getOperands(condition).flatMap((operand) => toComparable(operand, field) ?? []);
  const isMet = test !== undefined && values.some((value) => test(value, operands));
  return opposite === undefined ? isMet : !isMet;
}

const hasFiles = (stored: unknown): boolean => Array.isArray(stored) && stored.length > 0;

/** Whether the rule makes its field required in an entry with these stored values by field id (spec 4.6). */
export function isRequiredNow(
  rule: RequiredWhenRule,
  getField: (fieldId: number) => ConditionField | undefined,
  stored: Readonly<Record<string, unknown>>,
): boolean {
  const isMet = (condition: RequiredWhenCondition) => {
    const field = getField(condition.fieldId);
    return field !== undefined && meetsCondition(condition, field, stored[condition.fieldId]);
  };
  return rule.match === 'all' ? rule.conditions.every(isMet) : rule.conditions.some(isMet);
}

const OPERAND_DESCRIPTIONS: Readonly<Partial<Record<FieldType, string>>> = {
  [FIELD.text]: 'a text',
  [FIELD.boolean]: 'true or false',
  [FIELD.choice]: 'the id of a choice',
  [FIELD.reference]: 'the id of an entry',
  [FIELD.user]: 'the id of a user',
};

const describeOperand = (field: ConditionField): string => {
  if (field.fieldType === FIELD.date)
    return field.isDateOnly ? 'a day such as 2026-03-01' : 'a moment such as 2026-03-01T08:00:00Z';
  return OPERAND_DESCRIPTIONS[field.fieldType] ?? 'a number';
};

/** Validates a condition against its field. Undefined: it is valid. */
export function findConditionError(
  condition: RequiredWhenCondition,
  field: ConditionField,
): { path: 'operation' | 'value'; message: string } | undefined {
  const operation = findFilterOperation(condition.operation);
  if (!operation) return { path: 'operation', message: 'must be the code of a filter operation' };
  if (!operation.fieldTypes.includes(field.fieldType)) {
    const type = fieldTypes.find(({ id }) => id === field.fieldType)?.name ?? 'this type';
    return { path: 'operation', message: `${operation.name} is not for fields of type ${type}` };
  }
  const message = findOperandError(operation, condition.value, field);
  return message === undefined ? undefined : { path: 'value', message };
}

function findOperandError(
  { operand, name }: FilterOperation,
  value: unknown,
  field: ConditionField,
): string | undefined {
  if (operand === 'none')
    return value === undefined || value === null
      ? undefined
      : `must be absent: ${name} compares with nothing`;
  if (operand === 'one')
    return toComparable(value, field) === undefined ? `must be ${describeOperand(field)}` : undefined;
  const fits =
    Array.isArray(value) &&
    (operand === 'pair' ? value.length === 2 : value.length > 0) &&
    value.every((item) => toComparable(item, field) !== undefined);
  if (fits) return undefined;
  return operand === 'pair'
    ? `must be a list of two, each ${describeOperand(field)}`
    : `must be a list, each item ${describeOperand(field)}`;
}

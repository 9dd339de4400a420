import { beginsWithDay } from './days.ts';
import {
  FIELD,
  FILTER,
  filterOperation,
  fieldTypes,
  holdsMoney,
  isIdField,
  oppositeOf,
  type FieldType,
  type FilterOperation,
} from './fields.ts';

/** A condition of `requiredWhen` (shapes 5); `value` as it is written, a list for In, NotIn and Between. */
export interface Condition {
  fieldId: number;
  operation: number;
  value?: unknown;
}

export interface RequiredWhenRule {
  match: 'all' | 'any';
  conditions: readonly Condition[];
}

/** What a condition has to know about its field. */
export interface ConditionField {
  fieldType: FieldType;
  isMoney: boolean;
  isDateOnly: boolean;
}

/** What is compared: ids, numbers, 0 and 1, moments in milliseconds, or texts without regard to case. */
type Comparable = number | string;

const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})?$/i;

/** A day, or a moment that is UTC where it names no zone (shapes 1). */
function momentOf(text: string, isDateOnly: boolean): number | undefined {
  const match = isDateOnly ? null : MOMENT.exec(text);
  if ((!match && !DAY.test(text)) || !beginsWithDay(text)) return undefined;
  const moment = Date.parse(match && match[1] === undefined ? `${text}Z` : text);
  return Number.isNaN(moment) ? undefined : moment;
}

/** One value of the kind that a field compares; undefined: it is of another kind. */
function comparableOf(value: unknown, field: ConditionField): Comparable | undefined {
  const { fieldType } = field;
  if (fieldType === FIELD.text) return typeof value === 'string' ? value.toLowerCase() : undefined;
  if (fieldType === FIELD.boolean) return typeof value === 'boolean' ? Number(value) : undefined;
  if (fieldType === FIELD.date)
    return typeof value === 'string' ? momentOf(value, field.isDateOnly) : undefined;
  if (isIdField(fieldType)) return Number.isInteger(value) ? Number(value) : undefined;
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** What a field holds, to be compared: nothing, one, or several. */
function heldBy(stored: unknown, field: ConditionField): Comparable[] {
  if (stored === undefined || stored === null) return [];
  if (Array.isArray(stored)) return stored.map((item) => comparableOf(item, field) ?? 0);
  const held = comparableOf(holdsMoney(field) ? Object(stored).value : stored, field);
  return held === undefined ? [] : [held];
}

const text = (value: Comparable): string => String(value);

/** Whether one value that the field holds compares so; the negative operations ask for the opposite of theirs. */
const HOLDS: Readonly<Record<number, (held: Comparable, operands: readonly Comparable[]) => boolean>> = {
  [FILTER.equals]: (held, [operand]) => held === operand,
  [FILTER.contains]: (held, [operand = '']) => text(held).includes(text(operand)),
  [FILTER.greater]: (held, [operand = 0]) => held > operand,
  [FILTER.greaterOrEqual]: (held, [operand = 0]) => held >= operand,
  [FILTER.less]: (held, [operand = 0]) => held < operand,
  [FILTER.lessOrEqual]: (held, [operand = 0]) => held <= operand,
  [FILTER.startsWith]: (held, [operand = '']) => text(held).startsWith(text(operand)),
  [FILTER.in]: (held, operands) => operands.includes(held),
  [FILTER.between]: (held, [low = 0, high = 0]) => held >= low && held <= high,
};

const operandsOf = ({ value }: Condition): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function holds(condition: Condition, field: ConditionField, stored: unknown): boolean {
  const held = heldBy(stored, field);
  if (condition.operation === FILTER.noData) return held.length === 0 && !hasFiles(stored);
  if (condition.operation === FILTER.notNoData) return held.length > 0 || hasFiles(stored);
  const opposite = oppositeOf(condition.operation);
  const test = HOLDS[opposite ?? condition.operation];
  const operands = operandsOf(condition).flatMap((operand) => comparableOf(operand, field) ?? []);
  const isMet = test !== undefined && held.some((value) => test(value, operands));
  return opposite === undefined ? isMet : !isMet;
}

const hasFiles = (stored: unknown): boolean => Array.isArray(stored) && stored.length > 0;

/** Whether a field with these conditions needs a value in an entry with these stored values, by field id (spec 4.6). */
export function isRequiredNow(
  rule: RequiredWhenRule,
  fieldOf: (fieldId: number) => ConditionField | undefined,
  stored: Readonly<Record<string, unknown>>,
): boolean {
  const isMet = (condition: Condition) => {
    const field = fieldOf(condition.fieldId);
    return field !== undefined && holds(condition, field, stored[condition.fieldId]);
  };
  return rule.match === 'all' ? rule.conditions.every(isMet) : rule.conditions.some(isMet);
}

const EXPECTED: Readonly<Partial<Record<FieldType, string>>> = {
  [FIELD.text]: 'a text',
  [FIELD.boolean]: 'true or false',
  [FIELD.choice]: 'the id of a choice',
  [FIELD.reference]: 'the id of an entry',
  [FIELD.user]: 'the id of a user',
};

const expected = (field: ConditionField): string => {
  if (field.fieldType === FIELD.date)
    return field.isDateOnly ? 'a day such as 2026-03-01' : 'a moment such as 2026-03-01T08:00:00Z';
  return EXPECTED[field.fieldType] ?? 'a number';
};

/** What is wrong with a condition on this field: where in it, and what; undefined: nothing. */
export function conditionFault(
  condition: Condition,
  field: ConditionField,
): { path: 'operation' | 'value'; message: string } | undefined {
  const operation = filterOperation(condition.operation);
  if (!operation) return { path: 'operation', message: 'must be the code of a filter operation' };
  if (!operation.fieldTypes.includes(field.fieldType)) {
    const type = fieldTypes.find(({ id }) => id === field.fieldType)?.name ?? 'this type';
    return { path: 'operation', message: `${operation.name} is not for fields of type ${type}` };
  }
  const message = operandFault(operation, condition.value, field);
  return message === undefined ? undefined : { path: 'value', message };
}

function operandFault(
  { operand, name }: FilterOperation,
  value: unknown,
  field: ConditionField,
): string | undefined {
  if (operand === 'none')
    return value === undefined || value === null
      ? undefined
      : `must be absent: ${name} compares with nothing`;
  if (operand === 'one')
    return comparableOf(value, field) === undefined ? `must be ${expected(field)}` : undefined;
  const fits =
    Array.isArray(value) &&
    (operand === 'pair' ? value.length === 2 : value.length > 0) &&
    value.every((item) => comparableOf(item, field) !== undefined);
  if (fits) return undefined;
  return operand === 'pair'
    ? `must be a list of two, each ${expected(field)}`
    : `must be a list, each item ${expected(field)}`;
}

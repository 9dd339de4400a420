import { FIELD, isIdField, type FilterOperation } from '../fields.ts';
import { beginsWithDay } from '../days.ts';
import { ENTRY_ID, type Operand, QUERY_LIMITS, type QueryField } from './tree.ts';

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
export function readOperands(
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

import type { RequiredWhen } from '../../../../contract/generated/types.gen.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import type { Comparison, Condition } from '../../../../contract/rules/query/condition.ts';
import { FIELD, findFilterOperation, isIdField } from '../../../../contract/rules/schema/fields.ts';
import { isTimestamp } from '../../../lib/dates/timestamps.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { formatDateValue, formatZoneName } from '../model/dates.ts';
import type { Field } from '../model/schema.ts';
import { addZone } from './date-input.ts';
import { findComparedField, getFieldName, toOperands } from './draft.ts';
import { formatOperator } from './operators.ts';

/** Finds the name of an id in a field: of a choice, a user or an entry. Undefined if it is not known. */
export type NameLookup = (field: Field, id: number) => string | undefined;

const MAX_LISTED_VALUES = 3;
const MAX_CHIP_VALUES = 2;
const disjunction = new Intl.ListFormat('en', { type: 'disjunction' });

/** Finds names of choices, which need no request. */
export const lookUpChoiceName: NameLookup = (field, id) =>
  field.fieldType === FIELD.choice ? field.choiceValues?.find((choice) => choice.id === id)?.name : undefined;

/** What the texts of a filter depend on besides the fields. */
export interface FilterDisplay {
  lookUpName: NameLookup;
  /** Time zone in which dates with a time are displayed. */
  zone: string;
}

function formatDate(text: string, isDateOnly: boolean, zone: string): string {
  const date = addZone(text);
  if (!isTimestamp(date)) return text;
  const formatted = formatDateValue(date, isDateOnly, zone);
  return isDateOnly ? formatted : `${formatted} ${formatZoneName(date, zone)}`;
}

function formatOperand(
  value: unknown,
  field: Field | undefined,
  { lookUpName, zone }: FilterDisplay,
): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (field && typeof value === 'number' && isIdField(field.fieldType))
    return lookUpName(field, value) ?? `#${value}`;
  if (field?.fieldType === FIELD.date && typeof value === 'string')
    return formatDate(value, field.isDateOnly, zone);
  if (field?.fieldType === FIELD.text) return `“${String(value)}”`;
  return String(value);
}

function formatOperands(
  operands: readonly unknown[],
  field: Field | undefined,
  display: FilterDisplay,
  maxListed = MAX_LISTED_VALUES,
): string {
  const listed = operands.slice(0, maxListed).map((operand) => formatOperand(operand, field, display));
  const more = operands.length - listed.length;
  return disjunction.format(more > 0 ? [...listed, `${formatNumber(more)} more`] : listed);
}

const formatFieldName = (comparison: Comparison, field: Field | undefined): string =>
  field?.name ?? (comparison.field === ENTRY_ID ? 'Entry id' : getFieldName(comparison));

/** The parts of a filter chip. Of many values it names the first two and counts the others. */
export function formatComparisonParts(
  comparison: Comparison,
  fields: readonly Field[],
  display: FilterDisplay,
) {
  const field = findComparedField(comparison, fields);
  const { operation } = comparison;
  const operands = operation.operand === 'none' ? [] : comparison.operands;
  return {
    field: formatFieldName(comparison, field),
    operator: formatOperator(operation.rowOperator, field?.fieldType),
    value:
      operation.operand === 'pair'
        ? operands.map((operand) => formatOperand(operand, field, display)).join(' and ')
        : formatOperands(operands, field, display, MAX_CHIP_VALUES),
  };
}

/** A clause such as "Stage is one of Won or Lost". */
function formatClause(
  fieldName: string,
  field: Field | undefined,
  { operation, operands }: Pick<Comparison, 'operation' | 'operands'>,
  display: FilterDisplay,
): string {
  const subject = `${fieldName} ${formatOperator(operation.rowOperator, field?.fieldType)}`;
  if (operation.operand === 'none') return subject;
  if (operation.operand !== 'pair') return `${subject} ${formatOperands(operands, field, display)}`;
  return `${subject} ${operands.map((operand) => formatOperand(operand, field, display)).join(' and ')}`;
}

/** A condition as one clause, nested groups in parentheses. */
export function formatFilter(condition: Condition, fields: readonly Field[], display: FilterDisplay): string {
  if (condition.kind === 'comparison') {
    const field = findComparedField(condition, fields);
    return formatClause(formatFieldName(condition, field), field, condition, display);
  }
  const parts = condition.conditions.map((nested) => {
    const text = formatFilter(nested, fields, display);
    return nested.kind === 'group' && nested.conditions.length > 1 ? `(${text})` : text;
  });
  return parts.join(condition.match === 'any' ? ' or ' : ' and ');
}

/** A `requiredWhen` rule as a clause: "Stage is Won and Revenue is more than 5". */
export function formatRequiredWhen(
  rule: RequiredWhen,
  fieldById: ReadonlyMap<number, Field>,
  zone: string,
): string {
  const display = { lookUpName: lookUpChoiceName, zone };
  const parts = rule.conditions.map(({ fieldId, operation: code, value }) => {
    const field = fieldById.get(fieldId);
    const name = field?.name ?? `field ${fieldId}`;
    const operation = findFilterOperation(code);
    return operation ? formatClause(name, field, { operation, operands: toOperands(value) }, display) : name;
  });
  return parts.join(rule.match === 'all' ? ' and ' : ' or ');
}

import { FIELD, filterOperation, isIdField } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { RequiredWhen } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';
import { dateWords } from '../model/dates.ts';
import type { Field } from '../model/schema.ts';
import type { Node, Rule } from './draft.ts';
import { operationOf, operatorWords } from './operators.ts';

/** How ids are called; undefined where nobody has looked it up. */
export type NameOf = (field: Field, id: number) => string | undefined;

const MOST = 3;
const or = new Intl.ListFormat('en', { type: 'disjunction' });

/** The names that need no looking up: those of choices. */
export const choiceName: NameOf = (field, id) =>
  field.fieldType === FIELD.choice ? field.choiceValues?.find((choice) => choice.id === id)?.name : undefined;

function operandWords(value: unknown, field: Field | undefined, nameOf: NameOf): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (field && typeof value === 'number' && isIdField(field.fieldType))
    return nameOf(field, value) ?? `#${value}`;
  if (field?.fieldType === FIELD.date && typeof value === 'string')
    return dateWords(value, value.length <= 10);
  if (field?.fieldType === FIELD.text) return `“${String(value)}”`;
  return String(value);
}

function valuesWords(operands: readonly unknown[], field: Field | undefined, nameOf: NameOf): string {
  const shown = operands.slice(0, MOST).map((one) => operandWords(one, field, nameOf));
  const more = operands.length - shown.length;
  return or.format(more > 0 ? [...shown, `${count(more)} more`] : shown);
}

const nameIn = (rule: Rule, field: Field | undefined): string =>
  field?.name ?? (rule.field === ENTRY_ID ? 'Entry id' : rule.field);

/** A comparison in the parts of which a chip is made; of many values it names the first and counts the others. */
export function ruleParts(rule: Rule, fields: readonly Field[], nameOf: NameOf) {
  const field = fields.find(({ apiName }) => apiName === rule.field);
  const operand = operationOf(rule.operator)?.operand;
  const [first, ...others] = operand === 'none' ? [] : rule.operands;
  const named = first === undefined ? '' : operandWords(first, field, nameOf);
  const more =
    operand === 'pair'
      ? others.map((one) => ` and ${operandWords(one, field, nameOf)}`).join('')
      : others.length > 0 && ` +${count(others.length)}`;
  return {
    field: nameIn(rule, field),
    operator: operatorWords(rule.operator, field?.fieldType),
    value: `${named}${more || ''}`,
  };
}

/** A comparison as a clause: "Stage is one of Won or Lost". */
function ruleWords(rule: Rule, fields: readonly Field[], nameOf: NameOf): string {
  const field = fields.find(({ apiName }) => apiName === rule.field);
  const operand = operationOf(rule.operator)?.operand;
  const said = `${nameIn(rule, field)} ${operatorWords(rule.operator, field?.fieldType)}`;
  if (operand === 'none') return said;
  if (operand !== 'pair') return `${said} ${valuesWords(rule.operands, field, nameOf)}`;
  return `${said} ${rule.operands.map((one) => operandWords(one, field, nameOf)).join(' and ')}`;
}

/** A whole condition as one clause; groups within it in brackets. */
export function nodeWords(node: Node, fields: readonly Field[], nameOf: NameOf): string {
  if (node.kind === 'rule') return ruleWords(node, fields, nameOf);
  const parts = node.of.map((one) => {
    const words = nodeWords(one, fields, nameOf);
    return one.kind === 'group' && one.of.length > 1 ? `(${words})` : words;
  });
  return parts.join(node.match === 'any' ? ' or ' : ' and ');
}

/** When a field needs a value, as a clause: "Stage is Won and Revenue is more than 5". */
export function requiredWords(rule: RequiredWhen, fieldById: ReadonlyMap<number, Field>): string {
  const parts = rule.conditions.map(({ fieldId, operation, value }) => {
    const field = fieldById.get(fieldId);
    const operands = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
    const operator = filterOperation(operation)?.rowOperator ?? '';
    const asked: Rule = { kind: 'rule', field: field?.apiName ?? `field ${fieldId}`, operator, operands };
    return ruleWords(asked, field ? [field] : [], choiceName);
  });
  return parts.join(rule.match === 'all' ? ' and ' : ' or ');
}

import { FIELD, fieldTypes, filterOperation, holdsMoney } from '../../../../contract/rules/fields.ts';
import { readFormula } from '../../../../contract/rules/formula/formula.ts';
import { EMPTY, toQuery } from '../filter/draft.ts';
import type { QueryObject, Rule } from '../filter/draft.ts';
import { typesOf } from './schema.ts';
import type { Field, Schema } from './schema.ts';

const list = new Intl.ListFormat('en');

/** The type of a field in words: "Choice, several", "Reference to Company". */
export function typeWords(field: Field, schema: Schema): string {
  const name = fieldTypes.find(({ id }) => id === field.fieldType)?.name ?? 'Unknown';
  const several = field.isMultiSelect ? ', several' : '';
  if (field.fieldType === FIELD.date)
    return field.isDateOnly ? 'Date without a time of day' : 'Date with its time';
  if (field.fieldType === FIELD.reference) {
    const targets = (field.entryLists ?? []).map(
      (id) => schema.typeById.get(id)?.singularName ?? `type ${id}`,
    );
    return `Reference to ${targets.length === 0 ? 'any type' : list.format(targets)}${several}`;
  }
  if (field.fieldType === FIELD.counter) return 'Counter, numbered by the service';
  return holdsMoney(field) ? `${name}, an amount with its currency` : `${name}${several}`;
}

/** Where a field is used: what would break without it. */
export interface Uses {
  /** Calculated fields that read it. */
  formulas: readonly Field[];
  /** Fields that are required depending on it. */
  conditions: readonly Field[];
}

/** The fields that a calculated field reads. */
export function readsOf(formulaField: Field, fields: readonly Field[]): readonly Field[] {
  if (typeof formulaField.formula !== 'string') return [];
  const known = fields.map((one) => ({
    ...one,
    formula: one.formula ?? null,
    choiceName: (id: number) => one.choiceValues?.find((choice) => choice.id === id)?.name,
  }));
  const read = readFormula(formulaField.formula, formulaField, known);
  if (!('formula' in read)) return [];
  const { reads } = read.formula;
  return fields.filter(({ id }) => reads.includes(id));
}

export const usesOf = (field: Field, fields: readonly Field[]): Uses => ({
  formulas: fields.filter((one) => readsOf(one, fields).includes(field)),
  conditions: fields.filter(
    ({ requiredWhen }) => requiredWhen?.conditions.some(({ fieldId }) => fieldId === field.id) === true,
  ),
});

/** Fields of any type that may refer to entries of this one: those that name it, and those that name none. */
export const referringTo = (typeId: number, schema: Schema): readonly Field[] =>
  [...schema.fieldById.values()].filter(
    (field) => field.fieldType === FIELD.reference && typesOf(field, schema).includes(typeId),
  );

/** Asks for the entries that lack a value they need; undefined for a field that needs none. */
export function lackingQuery(field: Field, schema: Schema): QueryObject | undefined {
  const lacks: Rule = { kind: 'rule', field: field.apiName, operator: '$noData', operands: [] };
  if (field.isRequired) return toQuery({ ...EMPTY, of: [lacks] });
  if (!field.requiredWhen) return undefined;
  const { match, conditions } = field.requiredWhen;
  const of = conditions.flatMap(({ fieldId, operation, value }): Rule[] => {
    const asked = schema.fieldById.get(fieldId);
    const operator = filterOperation(operation)?.rowOperator;
    if (!asked || operator === undefined) return [];
    const operands = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
    return [{ kind: 'rule', field: asked.apiName, operator, operands }];
  });
  return toQuery({ ...EMPTY, of: [lacks, { kind: 'group', match, of }] });
}

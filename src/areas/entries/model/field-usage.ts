import { compileFormula } from '../../../../contract/rules/formula/formula.ts';
import { FIELD, fieldTypes, holdsMoney } from '../../../../contract/rules/schema/fields.ts';
import { getReferenceTypeIds } from './schema.ts';
import type { Field, Schema } from './schema.ts';

const listFormat = new Intl.ListFormat('en');

/** Text of a field's type: "Choice, several", "Reference to Company". */
export function formatFieldType(field: Field, schema: Schema): string {
  const name = fieldTypes.find(({ id }) => id === field.fieldType)?.name ?? 'Unknown';
  const several = field.isMultiSelect ? ', several' : '';
  if (field.fieldType === FIELD.date) return field.isDateOnly ? 'Date without time' : 'Date and time';
  if (field.fieldType === FIELD.reference) {
    const targets = (field.entryLists ?? []).map(
      (id) => schema.typeById.get(id)?.singularName ?? `type ${id}`,
    );
    return `Reference to ${targets.length === 0 ? 'any type' : listFormat.format(targets)}${several}`;
  }
  if (field.fieldType === FIELD.counter) return 'Counter, assigned by the service';
  return holdsMoney(field) ? `${name}, an amount with its currency` : `${name}${several}`;
}

/** The other fields that depend on a field and would break if it were deleted. */
export interface FieldUsage {
  /** Calculated fields whose formula reads it. */
  formulas: readonly Field[];
  /** Fields whose `requiredWhen` rule names it. */
  conditions: readonly Field[];
}

const toFormulaField = (field: Field) => ({
  ...field,
  formula: field.formula ?? null,
  formulaMaxLength: field.formulaMaxLength ?? null,
  getChoiceName: (id: number) => field.choiceValues?.find((choice) => choice.id === id)?.name,
});

/** The fields that the formula of a calculated field reads. */
export function getFormulaInputs(formulaField: Field, fields: readonly Field[]): readonly Field[] {
  if (typeof formulaField.formula !== 'string') return [];
  const compiled = compileFormula(
    formulaField.formula,
    toFormulaField(formulaField),
    fields.map(toFormulaField),
  );
  if (!('formula' in compiled)) return [];
  const { fieldIds } = compiled.formula;
  return fields.filter(({ id }) => fieldIds.includes(id));
}

/** Finds the fields of the same type that depend on a field. */
export const findFieldUsage = (field: Field, fields: readonly Field[]): FieldUsage => ({
  formulas: fields.filter((other) => getFormulaInputs(other, fields).includes(field)),
  conditions: fields.filter(
    ({ requiredWhen }) => requiredWhen?.conditions.some(({ fieldId }) => fieldId === field.id) === true,
  ),
});

/** Reference fields of any type that may refer to entries of this type. */
export const getReferencingFields = (typeId: number, schema: Schema): readonly Field[] =>
  [...schema.fieldById.values()].filter(
    (field) => field.fieldType === FIELD.reference && getReferenceTypeIds(field, schema).includes(typeId),
  );

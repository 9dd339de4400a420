import {
  type Formula,
  canBeCalculated,
  compileFormula,
  getCalculationOrder,
} from '../../../contract/rules/formula/formula.ts';
import type { FormulaField } from '../../../contract/rules/formula/values.ts';
import type { FieldError } from '../../kernel/api-error.ts';
import type { EntryType, SchemaField } from './schema.ts';

/** Field as formulas need it. */
export const toFormulaField = (field: SchemaField): FormulaField => ({
  ...field,
  getChoiceName: (id) => field.choices.get(id)?.name,
});

export interface Calculation {
  field: SchemaField;
  formula: Formula;
}

/** By entry type: a schema is never modified, a changed one has new type objects. */
const calculationsByType = new WeakMap<EntryType, readonly Calculation[]>();

/** Calculated fields of a type, each after the fields that it reads. */
export function getCalculations(type: EntryType): readonly Calculation[] {
  const calculations = calculationsByType.get(type) ?? compileFormulas(type);
  calculationsByType.set(type, calculations);
  return calculations;
}

function compileFormulas(type: EntryType): readonly Calculation[] {
  const fields = type.fields.map(toFormulaField);
  const calculations = type.fields.flatMap((field): Calculation[] => {
    if (field.formula === null) return [];
    const compiled = compileFormula(field.formula, field, fields);
    // Formulas are validated whenever they or the fields that they read are written.
    if ('issue' in compiled)
      throw new Error(`The formula of field ${field.id} is invalid: ${compiled.issue.message}`);
    return [{ field, formula: compiled.formula }];
  });
  const byId = new Map(calculations.map((each) => [each.field.id, each]));
  const order = getCalculationOrder(
    new Map(calculations.map(({ field, formula }) => [field.id, formula.fieldIds])),
  );
  if ('cycle' in order)
    throw new Error(`The calculated fields of entry type ${type.id} depend on each other in a cycle`);
  return order.order.flatMap((id) => byId.get(id) ?? []);
}

const toFormulaErrors = (message: string): FieldError[] => [{ path: 'formula', message }];

/** Errors of a field's formula among the planned fields of its type. */
export function validateFormula(field: FormulaField, fields: readonly FormulaField[]): FieldError[] {
  if (field.formula === null) return [];
  if (!canBeCalculated(field))
    return toFormulaErrors(
      'is only for single-value text, number, date and boolean fields without a currency',
    );
  const compiled = compileFormula(field.formula, field, fields);
  return 'issue' in compiled
    ? toFormulaErrors(`at character ${compiled.issue.position + 1}: ${compiled.issue.message}`)
    : [];
}

/** Error if calculated fields depend on each other in a cycle; reported once, at the field that is written. */
export function validateNoCycle(fields: readonly FormulaField[]): FieldError[] {
  const cycle = findCycle(fields);
  return cycle ? toFormulaErrors(`must not be circular: ${cycle.join(' reads ')}`) : [];
}

/** apiNames of calculated fields that depend on each other in a cycle; undefined when there is none. */
function findCycle(fields: readonly FormulaField[]): readonly string[] | undefined {
  const dependencies = fields.flatMap((field) => {
    const compiled = field.formula === null ? undefined : compileFormula(field.formula, field, fields);
    return compiled && 'formula' in compiled ? [[field.id, compiled.formula.fieldIds] as const] : [];
  });
  const order = getCalculationOrder(new Map(dependencies));
  if (!('cycle' in order)) return undefined;
  return order.cycle.map((id) => fields.find((field) => field.id === id)?.apiName ?? String(id));
}

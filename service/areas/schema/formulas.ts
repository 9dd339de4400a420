import { type Formula, mayBeCalculated, readFormula } from '../../../contract/rules/formula/formula.ts';
import { calculationOrder } from '../../../contract/rules/formula/order.ts';
import type { FormulaField } from '../../../contract/rules/formula/values.ts';
import type { FieldError } from '../../kernel/http/errors.ts';
import type { EntryType, SchemaField } from './schema.ts';

/** A field as formulas see it. */
export const formulaField = (field: SchemaField): FormulaField => ({
  ...field,
  choiceName: (id) => field.choices.get(id)?.name,
});

export interface Calculation {
  field: SchemaField;
  formula: Formula;
}

/** By type, which is made anew with each schema and never changed. */
const known = new WeakMap<EntryType, readonly Calculation[]>();

/** The calculated fields of a type in an order in which each comes after those that it reads. */
export function calculationsOf(type: EntryType): readonly Calculation[] {
  const found = known.get(type) ?? compileAll(type);
  known.set(type, found);
  return found;
}

function compileAll(type: EntryType): readonly Calculation[] {
  const fields = type.fields.map(formulaField);
  const calculations = type.fields.flatMap((field): Calculation[] => {
    if (field.formula === null) return [];
    const read = readFormula(field.formula, field, fields);
    // Formulas are checked when they and what they read are written.
    if ('fault' in read)
      throw new Error(`The formula of field ${field.id} does not hold: ${read.fault.message}`);
    return [{ field, formula: read.formula }];
  });
  const byId = new Map(calculations.map((each) => [each.field.id, each]));
  const order = calculationOrder(
    new Map(calculations.map(({ field, formula }) => [field.id, formula.reads])),
  );
  if ('circle' in order) throw new Error(`The calculated fields of entry type ${type.id} lead in a circle`);
  return order.order.flatMap((id) => byId.get(id) ?? []);
}

const fault = (message: string): FieldError[] => [{ path: 'formula', message }];

/** What is wrong with the formula of a field among the fields of its type as they are to be. */
export function formulaFaults(field: FormulaField, fields: readonly FormulaField[]): FieldError[] {
  if (field.formula === null) return [];
  if (!mayBeCalculated(field))
    return fault('is only for single texts, numbers, dates, and true or false, without a currency');
  const read = readFormula(field.formula, field, fields);
  return 'fault' in read ? fault(`at character ${read.fault.at + 1}: ${read.fault.message}`) : [];
}

/** Whether the formulas of the fields read each other in a circle: told once, at the field that is written. */
export function circleFaults(fields: readonly FormulaField[]): FieldError[] {
  const circle = circleOf(fields);
  return circle ? fault(`leads in a circle: ${circle.join(' reads ')}`) : [];
}

/** The calculated fields that read each other in a circle, by their apiNames. */
function circleOf(fields: readonly FormulaField[]): readonly string[] | undefined {
  const reads = fields.flatMap((field) => {
    const read = field.formula === null ? undefined : readFormula(field.formula, field, fields);
    return read && 'formula' in read ? [[field.id, read.formula.reads] as const] : [];
  });
  const order = calculationOrder(new Map(reads));
  if (!('circle' in order)) return undefined;
  return order.circle.map((id) => fields.find((field) => field.id === id)?.apiName ?? String(id));
}

import { z } from 'zod';
import {
  FIELD,
  filterOperation,
  filterOperations,
  holdsMoney,
  maySelectMany,
} from '../../../contract/rules/fields.ts';
import type { FieldType } from '../../../contract/rules/fields.ts';
import { mayBeCalculated } from '../../../contract/rules/formula/formula.ts';
import { ServiceError } from '../../api/errors.ts';
import type { FieldInfo, NewFieldInfo, RequiredWhenInfo } from '../../api/generated/types.gen.ts';
import { zNewFieldInfo } from '../../api/generated/zod.gen.ts';
import { EMPTY, isComplete } from '../entries/filter/draft.ts';
import type { Group, Rule } from '../entries/filter/draft.ts';
import type { Field } from '../entries/model/schema.ts';

/** When a value is needed. */
type Need = 'never' | 'always' | 'when';

export interface FieldValues {
  name: string;
  apiName: string;
  description: string;
  fieldType: FieldType;
  need: Need;
  /** Conditions of `need` "when", as the builder of filters holds them. */
  requiredWhen: Group;
  isMultiSelect: boolean;
  isMoney: boolean;
  isDateOnly: boolean;
  isSearchable: boolean;
  isOnEntryForm: boolean;
  formula: string;
  entryLists: number[];
  choiceValues: { id?: number; name: string }[];
}

const fields = zNewFieldInfo.shape;

/** What the panel takes, by the rules of the contract; the service says the rest. */
export const fieldSchema = z.object({
  name: fields.name,
  apiName: fields.apiName,
  description: z.string().max(1000),
  fieldType: z.custom<FieldType>(),
  need: z.custom<Need>(),
  requiredWhen: z.custom<Group>(),
  isMultiSelect: z.boolean(),
  isMoney: z.boolean(),
  isDateOnly: z.boolean(),
  isSearchable: z.boolean(),
  isOnEntryForm: z.boolean(),
  formula: z.string().max(10_000),
  entryLists: z.array(z.number()),
  choiceValues: z.array(z.object({ id: z.number().exactOptional(), name: z.string() })),
});

/** Conditions as the builder holds them. */
function toGroup(rule: Field['requiredWhen'], byId: ReadonlyMap<number, Field>): Group {
  if (!rule) return EMPTY;
  const of = rule.conditions.flatMap(({ fieldId, operation, value }): Rule[] => {
    const field = byId.get(fieldId);
    const operator = filterOperation(operation)?.rowOperator;
    if (!field || operator === undefined) return [];
    const operands = value === undefined || value === null ? [] : Array.isArray(value) ? value : [value];
    return [{ kind: 'rule', field: field.apiName, operator, operands }];
  });
  return { kind: 'group', match: rule.match, of };
}

/** Conditions as the service takes them; those that are not complete are left out. */
function toConditions(group: Group, all: readonly Field[]): RequiredWhenInfo {
  const conditions = group.of.flatMap((node) => {
    if (node.kind === 'group' || !isComplete(node)) return [];
    const field = all.find(({ apiName }) => apiName === node.field);
    const operation = filterOperations.find(({ rowOperator }) => rowOperator === node.operator);
    if (!field || !operation || operation.id === null) return [];
    const [first] = node.operands;
    const value = operation.operand === 'one' ? first : [...node.operands];
    return [
      {
        fieldId: field.id,
        operation: operation.id,
        ...(operation.operand !== 'none' && { value: value ?? null }),
      },
    ];
  });
  return conditions.length === 0 ? null : { match: group.match, conditions };
}

/** A field as the panel shows it. */
export function valuesOf(field: Field | undefined, byId: ReadonlyMap<number, Field>): FieldValues {
  return {
    name: field?.name ?? '',
    apiName: field?.apiName ?? '',
    description: field?.description ?? '',
    fieldType: field?.fieldType ?? FIELD.text,
    need: field?.isRequired ? 'always' : field?.requiredWhen ? 'when' : 'never',
    requiredWhen: toGroup(field?.requiredWhen, byId),
    isMultiSelect: field?.isMultiSelect ?? false,
    isMoney: field?.isMoney ?? false,
    isDateOnly: field?.isDateOnly ?? true,
    isSearchable: field?.isSearchable ?? false,
    isOnEntryForm: field?.isOnEntryForm ?? true,
    formula: field?.formula ?? '',
    entryLists: [...(field?.entryLists ?? [])],
    choiceValues: (field?.choiceValues ?? []).map(({ id, name }) => ({ id, name })),
  };
}

/** Which properties make sense for a type of field. */
export const asks = (values: Pick<FieldValues, 'fieldType' | 'isMoney' | 'isMultiSelect'>) => ({
  several: maySelectMany(values.fieldType),
  money: values.fieldType === FIELD.number,
  dateOnly: values.fieldType === FIELD.date,
  searchable: values.fieldType === FIELD.text,
  choices: values.fieldType === FIELD.choice,
  targets: values.fieldType === FIELD.reference,
  formula: mayBeCalculated(values),
  need: values.fieldType !== FIELD.counter,
});

/** The field as the service takes it: only what its type asks for. */
export function infoOf(values: FieldValues, all: readonly Field[]): NewFieldInfo {
  const asked = asks(values);
  const formula = asked.formula ? values.formula.trim() : '';
  const needs = asked.need && formula === '';
  return {
    name: values.name.trim(),
    apiName: values.apiName.trim(),
    description: values.description.trim() || null,
    fieldType: values.fieldType,
    isRequired: needs && values.need === 'always',
    requiredWhen: needs && values.need === 'when' ? toConditions(values.requiredWhen, all) : null,
    isMultiSelect: asked.several && values.isMultiSelect,
    isMoney: holdsMoney(values),
    isDateOnly: asked.dateOnly && values.isDateOnly,
    isSearchable: asked.searchable && values.isSearchable,
    isOnEntryForm: values.isOnEntryForm,
    formula: formula === '' ? null : formula,
    ...(asked.targets && { entryLists: values.entryLists }),
    ...(asked.choices && { choiceValues: values.choiceValues }),
  };
}

/** What was changed: a property that is left out keeps its value. */
export function changesOf(before: NewFieldInfo, after: NewFieldInfo): FieldInfo {
  const { fieldType: _type, ...rest } = after;
  const now: FieldInfo = { ...rest };
  for (const key of Object.keys(rest))
    if (JSON.stringify(Reflect.get(before, key)) === JSON.stringify(Reflect.get(after, key)))
      Reflect.deleteProperty(now, key);
  return now;
}

const CONTROLS: Readonly<Record<string, string>> = {
  isRequired: 'need',
  requiredWhen: 'requiredWhen',
  choiceValues: 'choiceValues',
  entryLists: 'entryLists',
  isKey: 'fieldType',
};

/** The complaints of the service with the controls that they belong to: parts of a list stand at the list. */
export function onControls({ status, message, fields: given, requestId }: ServiceError): ServiceError {
  const told = given.map((fault) => {
    const [first = '', ...inner] = fault.path.split(/[.[\]]+/).filter((step) => step !== '');
    const at = inner.map(Number).find((step) => Number.isInteger(step));
    return {
      path: CONTROLS[first] ?? first,
      message: at === undefined ? fault.message : `Number ${at + 1}: ${fault.message}`,
    };
  });
  return new ServiceError(status, message, told, requestId);
}

import type { RequiredWhen } from '../../../contract/generated/types.gen.ts';
import type { FormulaField } from '../../../contract/rules/formula/values.ts';
import { isReservedFieldName } from '../../../contract/rules/schema/field-names.ts';
import { FIELD, FILTER, maySelectMany } from '../../../contract/rules/schema/fields.ts';
import { findConditionError } from '../../../contract/rules/schema/required-when.ts';
import type { FieldError } from '../../kernel/api-error.ts';
import type { FieldDraft } from './field-draft.ts';
import { validateNoCycle, validateFormula } from './formulas.ts';
import type { EntryType, SiteSchema } from './schema.ts';

const MAX_FIELDS_PER_TYPE = 500;

/** Field among the planned fields of its type, as formulas and conditions refer to it. */
export type PlannedField = FormulaField &
  Pick<FieldDraft, 'requiredWhen'> & { choiceIds: ReadonlySet<number> };

/** Planned change of one field, with the entry type and schema that it is validated against. */
export interface FieldPlan {
  schema: SiteSchema;
  type: EntryType;
  /** The field that is written; also contained in `fields`. */
  field: PlannedField;
  draft: FieldDraft;
  fields: readonly PlannedField[];
}

/** All validation errors of the draft that do not depend on stored entries. */
export function validateField(plan: FieldPlan): FieldError[] {
  const { draft, fields, field } = plan;
  return [
    ...validateNames(draft),
    ...validateProperties(draft),
    ...validateChoices(plan),
    ...validateEntryLists(plan),
    ...validateFormula(field, fields),
    ...(field.formula === null ? [] : validateNoCycle(fields)),
    ...validateConditions(field, fields).map(({ path, message }) => ({
      path: `requiredWhen.${path}`,
      message,
    })),
    ...(fields.length > MAX_FIELDS_PER_TYPE
      ? [{ path: 'body', message: `must not be more than ${MAX_FIELDS_PER_TYPE} fields of a type` }]
      : []),
  ];
}

/** Whether another field of the type has the apiName; a conflict (409) rather than an invalid request. */
export const isNameTaken = ({ type, field, draft }: FieldPlan): boolean =>
  type.fields.some(
    (other) => other.id !== field.id && other.apiName.toLowerCase() === draft.apiName.toLowerCase(),
  );

const validateNotEmpty = (name: string, path: string): FieldError[] =>
  name === '' ? [{ path, message: 'must not be empty' }] : [];

function validateNames({ apiName, name }: FieldDraft): FieldError[] {
  const isReserved = isReservedFieldName(apiName);
  return [
    ...(isReserved ? [{ path: 'apiName', message: `must not be ${apiName}, which is reserved` }] : []),
    ...validateNotEmpty(name, 'name'),
  ];
}

/** Properties that require other field types, and properties that exclude each other. */
function validateProperties(draft: FieldDraft): FieldError[] {
  const { fieldType } = draft;
  const isSingleText = fieldType === FIELD.text && !draft.isMultiSelect;
  const isSetByService = draft.formula !== null || fieldType === FIELD.counter;
  const rules: readonly [boolean, string, string][] = [
    [
      draft.isMultiSelect && !maySelectMany(fieldType),
      'isMultiSelect',
      'is only for choices, references, users and files',
    ],
    [
      draft.isMoney && fieldType !== FIELD.number && fieldType !== FIELD.currency,
      'isMoney',
      'is only for numbers',
    ],
    [draft.isDateOnly && fieldType !== FIELD.date, 'isDateOnly', 'is only for dates'],
    [draft.isSearchable && !isSingleText, 'isSearchable', 'is only for texts'],
    [
      draft.isKey && (!isSingleText || draft.formula !== null),
      'isKey',
      'is only for text fields without a formula',
    ],
    [
      draft.formulaMaxLength !== null && !(isSingleText && draft.formula !== null),
      'formulaMaxLength',
      'is only for text fields with a formula',
    ],
    [draft.isRequired && isSetByService, 'isRequired', 'is only for fields that users fill in'],
    [draft.requiredWhen !== null && isSetByService, 'requiredWhen', 'is only for fields that users fill in'],
    [draft.entryLists.length > 0 && fieldType !== FIELD.reference, 'entryLists', 'is only for references'],
    [draft.choiceValues.length > 0 && fieldType !== FIELD.choice, 'choiceValues', 'is only for choices'],
  ];
  return rules.filter(([isViolated]) => isViolated).map(([, path, message]) => ({ path, message }));
}

function validateChoices({ draft, field }: FieldPlan): FieldError[] {
  // No entry could have a value, and an import would reject each row only later.
  if (draft.fieldType === FIELD.choice && draft.choiceValues.length === 0)
    return [{ path: 'choiceValues', message: 'must have at least one choice' }];
  const ids = draft.choiceValues.map(({ id }) => id);
  const names = draft.choiceValues.map(({ name }) => name.toLowerCase());
  return draft.choiceValues.flatMap(({ id, name }, index) => {
    const path = `choiceValues.${index}`;
    return [
      ...validateNotEmpty(name, `${path}.name`),
      ...(names.indexOf(name.toLowerCase()) < index
        ? [{ path: `${path}.name`, message: 'must be unique' }]
        : []),
      ...(id !== undefined && ids.indexOf(id) < index
        ? [{ path: `${path}.id`, message: 'must be unique' }]
        : []),
      ...(id !== undefined && !field.choiceIds.has(id)
        ? [{ path: `${path}.id`, message: `choice ${id} does not exist in this field` }]
        : []),
    ];
  });
}

const validateEntryLists = ({ draft, schema }: FieldPlan): FieldError[] =>
  draft.entryLists.flatMap((id, index) =>
    schema.typesById.has(id)
      ? []
      : [{ path: `entryLists.${index}`, message: `entry type ${id} does not exist on this site` }],
  );

/** Errors of the `requiredWhen` conditions of a field among the planned fields of its type. */
function validateConditions(
  field: Pick<PlannedField, 'id' | 'requiredWhen'>,
  fields: readonly PlannedField[],
): FieldError[] {
  return (field.requiredWhen?.conditions ?? []).flatMap((condition, index) => {
    const target = fields.find(({ id }) => id === condition.fieldId);
    const path = `conditions.${index}`;
    if (!target)
      return [
        { path: `${path}.fieldId`, message: `field ${condition.fieldId} does not exist in this entry type` },
      ];
    if (target.id === field.id) return [{ path: `${path}.fieldId`, message: 'must be another field' }];
    // Calculated values are computed after the entry was validated and stored.
    if (target.formula !== null)
      return [{ path: `${path}.fieldId`, message: 'must not be a calculated field' }];
    const conditionError = findConditionError(condition, target) ?? findUnknownChoice(condition, target);
    return conditionError
      ? [{ path: `${path}.${conditionError.path}`, message: conditionError.message }]
      : [];
  });
}

function findUnknownChoice(
  { operation, value }: RequiredWhen['conditions'][number],
  target: PlannedField,
): { path: string; message: string } | undefined {
  if (target.fieldType !== FIELD.choice || operation === FILTER.noData || operation === FILTER.notNoData)
    return undefined;
  const unknown = [value].flat().find((id) => !target.choiceIds.has(Number(id)));
  return unknown === undefined
    ? undefined
    : { path: 'value', message: `choice ${String(unknown)} does not exist` };
}

/** apiNames of other fields of the type whose formula or conditions become invalid. */
export const findBrokenFields = ({ fields, field }: FieldPlan): readonly string[] =>
  fields
    .filter((other) => other.id !== field.id)
    .filter(
      (other) => validateFormula(other, fields).length > 0 || validateConditions(other, fields).length > 0,
    )
    .map(({ apiName }) => apiName);

import type { RequiredWhen } from '../../../contract/generated/types.gen.ts';
import { FIELD, FILTER, maySelectMany } from '../../../contract/rules/fields.ts';
import { conditionFault } from '../../../contract/rules/required-when.ts';
import type { FormulaField } from '../../../contract/rules/formula/values.ts';
import type { FieldError } from '../../kernel/http/errors.ts';
import type { Draft } from './draft.ts';
import { circleFaults, formulaFaults } from './formulas.ts';
import type { EntryType, SiteSchema } from './schema.ts';

/** Names that answers and events use beside those of fields, and two that no object may be given from outside (T18). */
const RESERVED = new Set(['entryid', 'entryname', 'entrylistid', 'constructor', 'prototype']);
const MOST_FIELDS = 500;

/** A field among those of its type as they are to be: what formulas and conditions refer to. */
export type PlannedField = FormulaField & Pick<Draft, 'requiredWhen'> & { choiceIds: ReadonlySet<number> };

export interface Plan {
  schema: SiteSchema;
  type: EntryType;
  /** The field that is written, among all fields of its type. */
  field: PlannedField;
  draft: Draft;
  fields: readonly PlannedField[];
}

/** Everything that is wrong with a field as it is wanted, whatever is stored. */
export function draftFaults(plan: Plan): FieldError[] {
  const { draft, fields, field } = plan;
  return [
    ...nameFaults(draft),
    ...typeFaults(draft),
    ...choiceFaults(plan),
    ...listFaults(plan),
    ...formulaFaults(field, fields),
    ...(field.formula === null ? [] : circleFaults(fields)),
    ...conditionFaults(field, fields).map(({ path, message }) => ({ path: `requiredWhen.${path}`, message })),
    ...(fields.length > MOST_FIELDS
      ? [{ path: 'body', message: `must not be more than ${MOST_FIELDS} fields of a type` }]
      : []),
  ];
}

/** Whether another field of the type has the name already; not a fault of the request alone, so 409. */
export const isNameTaken = ({ type, field, draft }: Plan): boolean =>
  type.fields.some(
    (other) => other.id !== field.id && other.apiName.toLowerCase() === draft.apiName.toLowerCase(),
  );

const emptyName = (name: string, path: string): FieldError[] =>
  name === '' ? [{ path, message: 'must not be empty' }] : [];

function nameFaults({ apiName, name }: Draft): FieldError[] {
  const reserved = RESERVED.has(apiName.toLowerCase());
  return [
    ...(reserved
      ? [{ path: 'apiName', message: `must not be ${apiName}, which has a meaning of its own` }]
      : []),
    ...emptyName(name, 'name'),
  ];
}

/** Properties that only fields of some types can have, and those that exclude each other. */
function typeFaults(draft: Draft): FieldError[] {
  const { fieldType } = draft;
  const isText = fieldType === FIELD.text && !draft.isMultiSelect;
  const isFilled = draft.formula !== null || fieldType === FIELD.counter;
  const faults: readonly [boolean, string, string][] = [
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
    [draft.isSearchable && !isText, 'isSearchable', 'is only for texts'],
    [draft.isKey && (!isText || draft.formula !== null), 'isKey', 'is only for a text that is written'],
    [draft.isRequired && isFilled, 'isRequired', 'is only for fields that are written'],
    [draft.requiredWhen !== null && isFilled, 'requiredWhen', 'is only for fields that are written'],
    [draft.entryLists.length > 0 && fieldType !== FIELD.reference, 'entryLists', 'is only for references'],
    [draft.choiceValues.length > 0 && fieldType !== FIELD.choice, 'choiceValues', 'is only for choices'],
  ];
  return faults.filter(([isFault]) => isFault).map(([, path, message]) => ({ path, message }));
}

function choiceFaults({ draft, field }: Plan): FieldError[] {
  const ids = draft.choiceValues.map(({ id }) => id);
  const names = draft.choiceValues.map(({ name }) => name.toLowerCase());
  return draft.choiceValues.flatMap(({ id, name }, at) => {
    const path = `choiceValues.${at}`;
    return [
      ...emptyName(name, `${path}.name`),
      ...(names.indexOf(name.toLowerCase()) < at
        ? [{ path: `${path}.name`, message: 'is given twice' }]
        : []),
      ...(id !== undefined && ids.indexOf(id) < at
        ? [{ path: `${path}.id`, message: 'is given twice' }]
        : []),
      ...(id !== undefined && !field.choiceIds.has(id)
        ? [{ path: `${path}.id`, message: `choice ${id} does not exist in this field` }]
        : []),
    ];
  });
}

const listFaults = ({ draft, schema }: Plan): FieldError[] =>
  draft.entryLists.flatMap((id, at) =>
    schema.typesById.has(id)
      ? []
      : [{ path: `entryLists.${at}`, message: `entry type ${id} does not exist on this site` }],
  );

/** What is wrong with the conditions of a field among the fields of its type as they are to be. */
function conditionFaults(
  field: Pick<PlannedField, 'id' | 'requiredWhen'>,
  fields: readonly PlannedField[],
): FieldError[] {
  return (field.requiredWhen?.conditions ?? []).flatMap((condition, at) => {
    const of = fields.find(({ id }) => id === condition.fieldId);
    const path = `conditions.${at}`;
    if (!of)
      return [
        { path: `${path}.fieldId`, message: `field ${condition.fieldId} does not exist in this entry type` },
      ];
    if (of.id === field.id) return [{ path: `${path}.fieldId`, message: 'must be another field' }];
    // What is calculated is computed after the entry was checked and stored.
    if (of.formula !== null) return [{ path: `${path}.fieldId`, message: 'must not be a calculated field' }];
    const fault = conditionFault(condition, of) ?? unknownChoice(condition, of);
    return fault ? [{ path: `${path}.${fault.path}`, message: fault.message }] : [];
  });
}

function unknownChoice(
  { operation, value }: RequiredWhen['conditions'][number],
  of: PlannedField,
): { path: string; message: string } | undefined {
  if (of.fieldType !== FIELD.choice || operation === FILTER.noData || operation === FILTER.notNoData)
    return undefined;
  const unknown = [value].flat().find((id) => !of.choiceIds.has(Number(id)));
  return unknown === undefined
    ? undefined
    : { path: 'value', message: `choice ${String(unknown)} does not exist` };
}

/** Fields of the type, besides the written one, whose formula or conditions no longer hold. */
export const brokenFields = ({ fields, field }: Plan): readonly string[] =>
  fields
    .filter((other) => other.id !== field.id)
    .filter((other) => formulaFaults(other, fields).length > 0 || conditionFaults(other, fields).length > 0)
    .map(({ apiName }) => apiName);

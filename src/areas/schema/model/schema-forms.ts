import { z } from 'zod';
import type {
  FieldInfo,
  NewFieldInfo,
  RequiredWhenInfo,
  EntryTypeVm,
} from '../../../../contract/generated/types.gen.ts';
import { canBeCalculated } from '../../../../contract/rules/formula/formula.ts';
import { ENTRY_ID, MATCH_ALL } from '../../../../contract/rules/query/condition.ts';
import type { Condition, ConditionGroup } from '../../../../contract/rules/query/condition.ts';
import { FIELD, holdsMoney, maySelectMany } from '../../../../contract/rules/schema/fields.ts';
import type { FieldType } from '../../../../contract/rules/schema/fields.ts';
import { DEFAULT_TYPE_ICON } from '../../../../contract/rules/schema/type-icons.ts';
import { ServiceError } from '../../../api/errors.ts';
import { withEtag } from '../../../api/etag.ts';
import { getField } from '../../../api/generated/sdk/schema.gen.ts';
import { zNewFieldInfo, zNewEntryTypeInfo } from '../../../api/generated/zod.gen.ts';
import { isComplete, toRequiredGroup, isKnownField } from '../../entries/index.ts';
import type { Field } from '../../entries/index.ts';

/** Whether a value is required: never, always, or under conditions. */
type Requirement = 'never' | 'always' | 'when';

/** Form values of a field. */
export interface FieldValues {
  name: string;
  apiName: string;
  description: string;
  fieldType: FieldType;
  requirement: Requirement;
  /** Conditions of `requirement` "when", as the builder of filters holds them. */
  requiredWhen: ConditionGroup;
  isMultiSelect: boolean;
  isMoney: boolean;
  isDateOnly: boolean;
  isSearchable: boolean;
  isOnEntryForm: boolean;
  formula: string;
  /** Limit of the calculated text as typed; empty for the default. */
  formulaMaxLength: string;
  entryLists: number[];
  choiceValues: { id?: number; name: string }[];
}

const fields = zNewFieldInfo.shape;

const MAX_CHOICE_LENGTH = 255;
const MAX_LENGTH_MESSAGE = 'Enter a whole number between 1 and 1,000,000';

/** A typed limit, with or without separators of thousands: null if it is empty, NaN if it is no number. */
function parseMaxLength(text: string): number | null {
  const digits = text.replaceAll(/[\s,]/g, '');
  if (digits === '') return null;
  return /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
}

/** Validation of the form by the contract and for choices; the service checks the rest. */
export const fieldSchema = z
  .object({
    name: fields.name,
    apiName: fields.apiName,
    description: z.string().max(1000),
    fieldType: z.custom<FieldType>(),
    requirement: z.custom<Requirement>(),
    requiredWhen: z.custom<ConditionGroup>(),
    isMultiSelect: z.boolean(),
    isMoney: z.boolean(),
    isDateOnly: z.boolean(),
    isSearchable: z.boolean(),
    isOnEntryForm: z.boolean(),
    formula: z.string().max(10_000),
    formulaMaxLength: z.string(),
    entryLists: z.array(z.number()),
    choiceValues: z.array(z.object({ id: z.number().exactOptional(), name: z.string() })),
  })
  .refine(({ fieldType, choiceValues }) => fieldType !== FIELD.choice || choiceValues.length > 0, {
    path: ['choiceValues'],
    message: 'Add at least one choice',
    // Reported together with the errors of other controls.
    when: () => true,
  })
  .refine((values) => !hasConditions(values) || values.requiredWhen.conditions.length > 0, {
    path: ['requiredWhen'],
    message: 'Add at least one condition',
    when: () => true,
  })
  .refine((values) => !hasConditions(values) || values.requiredWhen.conditions.every(isCompleteCondition), {
    path: ['requiredWhen'],
    message: 'Complete or remove the conditions without a value',
    when: () => true,
  })
  .refine(({ choiceValues }) => choiceValues.every(({ name }) => name.trim().length <= MAX_CHOICE_LENGTH), {
    path: ['choiceValues'],
    message: `Use at most ${MAX_CHOICE_LENGTH} characters for a choice`,
    when: () => true,
  })
  .refine(
    (values) =>
      !hasMaxLength(values) ||
      fields.formulaMaxLength.safeParse(parseMaxLength(values.formulaMaxLength)).success,
    {
      path: ['formulaMaxLength'],
      message: MAX_LENGTH_MESSAGE,
      when: () => true,
    },
  );

const isCompleteCondition = (condition: Condition): boolean =>
  condition.kind === 'comparison' && condition.field !== ENTRY_ID && isComplete(condition);

/** Conditions as the service takes them; incomplete ones are left out. */
function toRequiredWhen({ match, conditions }: ConditionGroup): RequiredWhenInfo {
  const complete = conditions.flatMap((condition) => {
    if (condition.kind === 'group' || !isComplete(condition)) return [];
    const { field, operation, operands } = condition;
    if (field === ENTRY_ID || operation.id === null) return [];
    // List editors end with an empty line for the next value.
    const value = operation.operand === 'one' ? operands[0] : operands.filter((operand) => operand !== '');
    return [
      {
        fieldId: field.id,
        operation: operation.id,
        ...(operation.operand !== 'none' && { value: value ?? null }),
      },
    ];
  });
  return complete.length === 0 ? null : { match, conditions: complete };
}

/** Converts a field to form values; undefined gives the values of a new field. */
export function toFieldValues(field: Field | undefined, byId: ReadonlyMap<number, Field>): FieldValues {
  return {
    name: field?.name ?? '',
    apiName: field?.apiName ?? '',
    description: field?.description ?? '',
    fieldType: field?.fieldType ?? FIELD.text,
    requirement: field?.isRequired ? 'always' : field?.requiredWhen ? 'when' : 'never',
    requiredWhen: field?.requiredWhen ? toRequiredGroup(field.requiredWhen, byId) : MATCH_ALL,
    isMultiSelect: field?.isMultiSelect ?? false,
    isMoney: field?.isMoney ?? false,
    isDateOnly: field?.isDateOnly ?? true,
    isSearchable: field?.isSearchable ?? false,
    isOnEntryForm: field?.isOnEntryForm ?? true,
    formula: field?.formula ?? '',
    formulaMaxLength: String(field?.formulaMaxLength ?? ''),
    entryLists: [...(field?.entryLists ?? [])],
    choiceValues: (field?.choiceValues ?? []).map(({ id, name }) => ({ id, name })),
  };
}

/** Properties that apply to a field type. */
export const getApplicableProperties = (
  values: Pick<FieldValues, 'fieldType' | 'isMoney' | 'isMultiSelect'>,
) => ({
  several: maySelectMany(values.fieldType),
  money: values.fieldType === FIELD.number,
  dateOnly: values.fieldType === FIELD.date,
  searchable: values.fieldType === FIELD.text,
  choices: values.fieldType === FIELD.choice,
  targets: values.fieldType === FIELD.reference,
  formula: canBeCalculated(values),
  requirement: values.fieldType !== FIELD.counter,
});

/** Whether the field calculates texts, whose length is limited. */
export const hasMaxLength = (values: Pick<FieldValues, 'fieldType' | 'formula'>): boolean =>
  values.fieldType === FIELD.text && values.formula.trim() !== '';

/** True for a field that is required under conditions. */
const hasConditions = (values: FieldValues): boolean => {
  const { requirement, formula } = getApplicableProperties(values);
  return requirement && !(formula && values.formula.trim() !== '') && values.requirement === 'when';
};

/** Converts form values to a field of the contract, with the properties that apply to its type. */
export function toFieldInfo(values: FieldValues): NewFieldInfo {
  const applicable = getApplicableProperties(values);
  const formula = applicable.formula ? values.formula.trim() : '';
  const mayBeRequired = applicable.requirement && formula === '';
  return {
    name: values.name.trim(),
    apiName: values.apiName.trim(),
    description: values.description.trim() || null,
    fieldType: values.fieldType,
    isRequired: mayBeRequired && values.requirement === 'always',
    requiredWhen: hasConditions(values) ? toRequiredWhen(values.requiredWhen) : null,
    isMultiSelect: applicable.several && values.isMultiSelect,
    isMoney: holdsMoney(values),
    isDateOnly: applicable.dateOnly && values.isDateOnly,
    isSearchable: applicable.searchable && values.isSearchable,
    isOnEntryForm: values.isOnEntryForm,
    formula: formula === '' ? null : formula,
    formulaMaxLength: hasMaxLength(values) ? parseMaxLength(values.formulaMaxLength) : null,
    ...(applicable.targets && { entryLists: values.entryLists }),
    ...(applicable.choices && { choiceValues: values.choiceValues }),
  };
}

/** Changed properties; omitted properties keep their value. */
export function getFieldChanges(before: NewFieldInfo, after: NewFieldInfo): FieldInfo {
  const { fieldType: _type, ...rest } = after;
  const changes: FieldInfo = { ...rest };
  for (const key of Object.keys(rest))
    if (JSON.stringify(Reflect.get(before, key)) === JSON.stringify(Reflect.get(after, key)))
      Reflect.deleteProperty(changes, key);
  return changes;
}

const CONTROL_BY_PROPERTY: Readonly<Record<string, string>> = {
  isRequired: 'requirement',
  requiredWhen: 'requiredWhen',
  choiceValues: 'choiceValues',
  entryLists: 'entryLists',
  isKey: 'fieldType',
};

/** Assigns the validation errors of the service to form controls. Errors of list items are shown at the list. */
export function toFormError({ status, message, fields: fieldErrors, requestId }: ServiceError): ServiceError {
  const controlErrors = fieldErrors.map((error) => {
    const [property = '', ...inner] = error.path.split(/[.[\]]+/).filter((step) => step !== '');
    const index = inner.map(Number).find((step) => Number.isInteger(step));
    return {
      path: CONTROL_BY_PROPERTY[property] ?? property,
      message: index === undefined ? error.message : `Item ${index + 1}: ${error.message}`,
    };
  });
  return new ServiceError(status, message, controlErrors, requestId);
}

const PROPERTY_LABELS: Readonly<Record<keyof FieldValues, string>> = {
  name: 'the name',
  apiName: 'the API name',
  description: 'the description',
  fieldType: 'the type',
  requirement: 'when it is required',
  requiredWhen: 'the conditions',
  isMultiSelect: 'whether it has several values',
  isMoney: 'whether it is an amount of money',
  isDateOnly: 'whether it has a time of day',
  isSearchable: 'whether it is searchable',
  isOnEntryForm: 'whether it is on the entry form',
  formula: 'the formula',
  formulaMaxLength: 'the longest result',
  entryLists: 'what it refers to',
  choiceValues: 'the choices',
};

const isKey = (key: string): key is keyof FieldValues => key in PROPERTY_LABELS;
const keys = Object.keys(PROPERTY_LABELS).filter(isKey);
const differs = (a: FieldValues, b: FieldValues, key: keyof FieldValues): boolean =>
  JSON.stringify(a[key]) !== JSON.stringify(b[key]);

const list = new Intl.ListFormat('en');

/** Properties that differ, as a list for a sentence: "the name and the choices". */
export const formatChangedProperties = (base: FieldValues, theirs: FieldValues): string =>
  list.format(keys.filter((key) => differs(base, theirs, key)).map((key) => PROPERTY_LABELS[key]));

/** Three-way merge: own changes win, all other properties are taken from the stored field. */
export const mergeValues = (base: FieldValues, mine: FieldValues, theirs: FieldValues): FieldValues => {
  const touched = new Set(keys.filter((key) => differs(base, mine, key)));
  const pick = <Key extends keyof FieldValues>(key: Key): FieldValues[Key] =>
    touched.has(key) ? mine[key] : theirs[key];
  return {
    name: pick('name'),
    apiName: pick('apiName'),
    description: pick('description'),
    fieldType: pick('fieldType'),
    requirement: pick('requirement'),
    requiredWhen: pick('requiredWhen'),
    isMultiSelect: pick('isMultiSelect'),
    isMoney: pick('isMoney'),
    isDateOnly: pick('isDateOnly'),
    isSearchable: pick('isSearchable'),
    isOnEntryForm: pick('isOnEntryForm'),
    formula: pick('formula'),
    formulaMaxLength: pick('formulaMaxLength'),
    entryLists: pick('entryLists'),
    choiceValues: pick('choiceValues'),
  };
};

/** Loads a field and its entity tag without the cache. @throws TypeError for an unknown field type */
export async function loadField(fieldId: number, signal?: AbortSignal) {
  const { data, etag } = withEtag(await getField({ path: { fieldId }, ...(signal && { signal }) }));
  if (!isKnownField(data)) throw new TypeError(`Unknown field type of ${data.apiName}`);
  return { field: data, etag };
}

/** Validation of the names of an entry type by the contract. */
export const typeSchema = zNewEntryTypeInfo;
export type TypeValues = z.infer<typeof typeSchema>;

export const toTypeValues = (type: EntryTypeVm | undefined): TypeValues => ({
  apiName: type?.apiName ?? '',
  singularName: type?.singularName ?? '',
  pluralName: type?.pluralName ?? '',
  icon: type?.icon ?? DEFAULT_TYPE_ICON,
});

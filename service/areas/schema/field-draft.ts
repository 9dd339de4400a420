import type { ChoiceValueInfo, FieldInfo, NewFieldInfo } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/schema/fields.ts';
import type { SchemaField } from './schema.ts';

/** Properties of a stored field that requests cannot set directly. */
type DerivedProperty =
  | 'id'
  | 'typeId'
  | 'isCalculated'
  | 'isStoreRequestSupported'
  | 'choices'
  | 'slot'
  | 'isSlotReady'
  | 'isSearchReady'
  | 'version';

/** Requested state of a field: it is validated, compared with the stored field, and stored. */
export interface FieldDraft extends Omit<SchemaField, DerivedProperty> {
  choiceValues: readonly ChoiceValueInfo[];
}

const DEFAULT_DRAFT: Omit<FieldDraft, 'apiName' | 'name' | 'fieldType'> = {
  description: null,
  isRequired: false,
  requiredWhen: null,
  isMoney: false,
  isMultiSelect: false,
  isKey: false,
  isDateOnly: false,
  isSearchable: false,
  isOnEntryForm: true,
  formula: null,
  formulaMaxLength: null,
  entryLists: [],
  choiceValues: [],
};

/** Trims texts and sets implied properties: a currency is money, and a key field is required. */
const normalizeDraft = (draft: FieldDraft): FieldDraft => ({
  ...draft,
  name: draft.name.trim(),
  formula: draft.formula?.trim() || null,
  isMoney: draft.isMoney || draft.fieldType === FIELD.currency,
  isRequired: draft.isRequired || draft.isKey,
  entryLists: [...new Set(draft.entryLists)],
  choiceValues: draft.choiceValues.map(({ id, name }) => ({
    ...(id !== undefined && { id }),
    name: name.trim(),
  })),
});

/** Draft of a new field; omitted properties have their defaults. */
export const createDraft = (info: NewFieldInfo): FieldDraft =>
  normalizeDraft({ ...DEFAULT_DRAFT, ...omitUndefined(info) });

/** Draft that equals the stored field. */
export const toDraft = (field: SchemaField): FieldDraft => ({
  apiName: field.apiName,
  name: field.name,
  description: field.description,
  fieldType: field.fieldType,
  isRequired: field.isRequired,
  requiredWhen: field.requiredWhen,
  isMoney: field.isMoney,
  isMultiSelect: field.isMultiSelect,
  isKey: field.isKey,
  isDateOnly: field.isDateOnly,
  isSearchable: field.isSearchable,
  isOnEntryForm: field.isOnEntryForm,
  formula: field.formula,
  formulaMaxLength: field.formulaMaxLength,
  entryLists: field.entryLists,
  choiceValues: [...field.choices.values()]
    .filter((choice) => !choice.isRemoved)
    .map(({ id, name }) => ({ id, name })),
});

/** Draft of a changed field; omitted properties keep their values. */
export const applyChange = (field: SchemaField, info: FieldInfo): FieldDraft =>
  normalizeDraft({ ...toDraft(field), ...omitUndefined(info) });

/** Removes undefined properties, which would overwrite existing values when spread. */
const omitUndefined = <T extends object>(info: T): T =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined)) as T;

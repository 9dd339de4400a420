import type {
  ChoiceValueInfo,
  FieldInfo,
  NewFieldInfo,
  RequiredWhen,
} from '../../../contract/generated/types.gen.ts';
import { FIELD, type FieldType } from '../../../contract/rules/fields.ts';
import type { SchemaField } from './schema.ts';

/** A field as a request wants it to be: what is checked, compared with the field as it is, and stored. */
export interface Draft {
  apiName: string;
  name: string;
  description: string | null;
  fieldType: FieldType;
  isRequired: boolean;
  requiredWhen: RequiredWhen | null;
  isMoney: boolean;
  isMultiSelect: boolean;
  isKey: boolean;
  isDateOnly: boolean;
  isSearchable: boolean;
  isOnEntryForm: boolean;
  formula: string | null;
  entryLists: readonly number[];
  choiceValues: readonly ChoiceValueInfo[];
}

const BLANK: Omit<Draft, 'apiName' | 'name' | 'fieldType'> = {
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
  entryLists: [],
  choiceValues: [],
};

/** What follows from other properties: amounts are money, and an entry always has a name. */
const settled = (draft: Draft): Draft => ({
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

/** A new field as it is wanted. */
export const draftOfNew = (info: NewFieldInfo): Draft => settled({ ...BLANK, ...given(info) });

/** The field as it is, in the shape of what a request wants. */
export const draftOf = (field: SchemaField): Draft => ({
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
  entryLists: field.entryLists,
  choiceValues: [...field.choices.values()]
    .filter((choice) => !choice.isRemoved)
    .map(({ id, name }) => ({ id, name })),
});

/** The field as a change wants it: an omitted property keeps its value. */
export const draftOfChange = (field: SchemaField, info: FieldInfo): Draft =>
  settled({ ...draftOf(field), ...given(info) });

/** Without what is undefined, which would overwrite what is there. */
const given = <T extends object>(info: T): T =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined)) as T;

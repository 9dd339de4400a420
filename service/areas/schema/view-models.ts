import type { EntryTypeVm, FieldVm } from '../../../contract/generated/types.gen.ts';
import type { ChangeEvent } from '../../kernel/outbox/change-event.ts';
import type { EntryType, SchemaField } from './schema.ts';

/** `entryListId` of entry types (shapes 5). */
const ENTRY_TYPES_LIST_ID = -5;

type EntryTypeNames = Pick<EntryType, 'id' | 'apiName' | 'singularName' | 'pluralName'>;

/** Entry type as returned by the schema operations. */
export const toEntryTypeVm = (
  { id, apiName, singularName, pluralName, icon }: EntryTypeNames & Pick<EntryType, 'icon'>,
  entryCount = 0,
): EntryTypeVm => ({
  id,
  apiName,
  singularName,
  pluralName,
  name: singularName,
  entryListId: ENTRY_TYPES_LIST_ID,
  entryCount,
  icon,
});

/** Field as returned by the schema operations: without internal properties and removed choices. */
export const toFieldVm = (field: SchemaField): FieldVm => ({
  id: field.id,
  entryTypeId: field.typeId,
  apiName: field.apiName,
  name: field.name,
  description: field.description,
  fieldType: field.fieldType,
  isRequired: field.isRequired,
  // Absent for fields without conditions (spec 4.6).
  ...(field.requiredWhen && { requiredWhen: field.requiredWhen }),
  isMoney: field.isMoney,
  isMultiSelect: field.isMultiSelect,
  isKey: field.isKey,
  isDateOnly: field.isDateOnly,
  isSearchable: field.isSearchable,
  isOnEntryForm: field.isOnEntryForm,
  isCalculated: field.isCalculated,
  isStoreRequestSupported: field.isStoreRequestSupported,
  formula: field.formula,
  formulaMaxLength: field.formulaMaxLength,
  entryLists: [...field.entryLists],
  choiceValues: [...field.choices.values()]
    .filter((choice) => !choice.isRemoved)
    .map(({ id, name, seqNumber }) => ({ id, name, seqNumber })),
});

type ChangeKind = ChangeEvent['kind'];

/** Event of the topic default-schema about an entry type (spec 6). */
export const buildEntryTypeEvent = (
  kind: ChangeKind,
  { id, apiName, singularName, pluralName }: EntryTypeNames,
): ChangeEvent => ({
  topic: 'default-schema',
  entityType: 'EntryLists',
  kind,
  entity: { entryListId: id, apiName, singularName, pluralName },
});

/** Event of the topic default-schema about a field; `entryListId` is the id of its type. */
export const buildFieldEvent = (
  kind: ChangeKind,
  field: { id: number; typeId: number; apiName: string; name: string; fieldType: number },
): ChangeEvent => ({
  topic: 'default-schema',
  entityType: 'EntryLists',
  kind,
  entity: {
    entryListId: field.typeId,
    fieldId: field.id,
    apiName: field.apiName,
    name: field.name,
    fieldType: field.fieldType,
  },
});

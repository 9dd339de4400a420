import type { EntryTypeVm, FieldVm } from '../../../contract/generated/types.gen.ts';
import type { ChangeEvent } from '../../kernel/outbox/store.ts';
import type { EntryType, SchemaField } from './schema.ts';

/** What heads entry types in lists (shapes 5). */
const ENTRY_TYPES = -5;

type Named = Pick<EntryType, 'id' | 'apiName' | 'singularName' | 'pluralName'>;

/** An entry type as the contract shows it. */
export const shownType = ({ id, apiName, singularName, pluralName }: Named, entryCount = 0): EntryTypeVm => ({
  id,
  apiName,
  singularName,
  pluralName,
  name: singularName,
  entryListId: ENTRY_TYPES,
  entryCount,
});

/** A field as the contract shows it: without what only the service keeps, and without choices that were removed. */
export const shownField = (field: SchemaField): FieldVm => ({
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
  entryLists: [...field.entryLists],
  choiceValues: [...field.choices.values()]
    .filter((choice) => !choice.isRemoved)
    .map(({ id, name, seqNumber }) => ({ id, name, seqNumber })),
});

type Kind = ChangeEvent['kind'];

/** What an event says of an entry type (spec 6). */
export const typeEvent = (kind: Kind, { id, apiName, singularName, pluralName }: Named): ChangeEvent => ({
  topic: 'default-schema',
  entityType: 'EntryLists',
  kind,
  entity: { entryListId: id, apiName, singularName, pluralName },
});

/** What an event says of a field: its type is named by entryListId. */
export const fieldEvent = (
  kind: Kind,
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

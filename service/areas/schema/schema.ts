import type { EntryTypeIcon, RequiredWhen } from '../../../contract/generated/types.gen.ts';
import { FIELD, type FieldType } from '../../../contract/rules/schema/fields.ts';

interface Choice {
  id: number;
  name: string;
  seqNumber: number;
  /** Cannot be chosen any more; kept because the history refers to it. */
  isRemoved: boolean;
}

/** Column of `entry` with the comparable form of a value, for filters and sorting; `name` stands for `name_key`. */
export type Slot = 'name' | NumberSlot | TextSlot;
export type NumberSlot = `n${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`;
export type TextSlot = `t${1 | 2 | 3 | 4 | 5 | 6}`;

/** Field of an entry type, with what reading and writing entries needs. */
export interface SchemaField {
  id: number;
  typeId: number;
  apiName: string;
  name: string;
  description: string | null;
  fieldType: FieldType;
  isRequired: boolean;
  requiredWhen: RequiredWhen | null;
  isMoney: boolean;
  isMultiSelect: boolean;
  /** Its value is the name of the entry; each type has exactly one such field. */
  isKey: boolean;
  isSearchable: boolean;
  /** Values are calendar days without a time (spec 4.4, date-only fields). */
  isDateOnly: boolean;
  isOnEntryForm: boolean;
  formula: string | null;
  /** Limit of a text that the formula results in; null for the default. */
  formulaMaxLength: number | null;
  isCalculated: boolean;
  /** Whether requests may write it: false for calculated and counter fields. */
  isStoreRequestSupported: boolean;
  /** Ids of entry types that a reference may point to; empty: any type. */
  entryLists: readonly number[];
  /** By id, in display order, removed ones last. */
  choices: ReadonlyMap<number, Choice>;
  /** Writers always fill the slot; readers use it only when it is ready. */
  slot: Slot | null;
  isSlotReady: boolean;
  /** Whether entry_text contains the texts of all entries; writers maintain it for every searchable field. */
  isSearchReady: boolean;
  version: number;
}

export interface EntryType {
  id: number;
  apiName: string;
  singularName: string;
  pluralName: string;
  icon: EntryTypeIcon;
  version: number;
  /** In the order of the entry form. */
  fields: readonly SchemaField[];
  /** By apiName in lower case. */
  fieldsByName: ReadonlyMap<string, SchemaField>;
  keyField: SchemaField;
}

/** All entry types and fields of a site at one version. Never modified: it is shared by all requests of the process. */
export interface SiteSchema {
  siteId: number;
  /** `schemaVersion` of the site (spec 6.2). */
  version: number;
  types: readonly EntryType[];
  typesById: ReadonlyMap<number, EntryType>;
  /** By apiName in lower case. */
  typesByName: ReadonlyMap<string, EntryType>;
  fieldsById: ReadonlyMap<number, SchemaField>;
}

/** The entry type with this number, or with this apiName without regard to case (shapes 4). */
export const findEntryType = (schema: SiteSchema, idOrName: string): EntryType | undefined =>
  /^\d+$/.test(idOrName)
    ? schema.typesById.get(Number(idOrName))
    : schema.typesByName.get(idOrName.toLowerCase());

/** The field of a type with this apiName, without regard to case. */
export const findField = (type: EntryType, apiName: string): SchemaField | undefined =>
  type.fieldsByName.get(apiName.toLowerCase());

/** Field as stored in its row, before its choices are attached. */
export type StoredField = Omit<
  SchemaField,
  'isCalculated' | 'isStoreRequestSupported' | 'choices' | 'isSlotReady' | 'isSearchReady'
> & {
  slotState: 'filling' | 'ready' | null;
  searchState: 'filling' | 'ready' | null;
};
export type StoredEntryType = Pick<
  EntryType,
  'id' | 'apiName' | 'singularName' | 'pluralName' | 'icon' | 'version'
>;
export type StoredChoice = Choice & { fieldId: number };

interface StoredSchema {
  siteId: number;
  version: number;
  types: readonly StoredEntryType[];
  fields: readonly StoredField[];
  choices: readonly StoredChoice[];
}

/** Builds the schema with its indexes from rows ordered by id. */
export function buildSchema({ siteId, version, types, fields, choices }: StoredSchema): SiteSchema {
  const choicesByField = Map.groupBy(choices, ({ fieldId }) => fieldId);
  const builtFields = fields.map((field) => buildField(field, choicesByField.get(field.id) ?? []));
  const fieldsByType = Map.groupBy(builtFields, ({ typeId }) => typeId);
  const builtTypes = types.map((type) => buildEntryType(type, fieldsByType.get(type.id) ?? []));
  return {
    siteId,
    version,
    types: builtTypes,
    typesById: new Map(builtTypes.map((type) => [type.id, type])),
    typesByName: new Map(builtTypes.map((type) => [type.apiName.toLowerCase(), type])),
    fieldsById: new Map(builtFields.map((field) => [field.id, field])),
  };
}

function buildEntryType(type: StoredEntryType, fields: readonly SchemaField[]): EntryType {
  const keyField = fields.find((field) => field.isKey);
  if (!keyField) throw new Error(`Entry type ${type.id} has no field that names its entries`);
  return {
    ...type,
    fields,
    keyField,
    fieldsByName: new Map(fields.map((field) => [field.apiName.toLowerCase(), field])),
  };
}

function buildField(
  { slotState, searchState, ...field }: StoredField,
  choices: readonly StoredChoice[],
): SchemaField {
  const isCalculated = field.formula !== null;
  return {
    ...field,
    isCalculated,
    isStoreRequestSupported: !isCalculated && field.fieldType !== FIELD.counter,
    choices: new Map(sortChoices(choices).map((choice) => [choice.id, choice])),
    isSlotReady: slotState === 'ready',
    isSearchReady: searchState === 'ready',
  };
}

const sortChoices = (choices: readonly StoredChoice[]): Choice[] =>
  choices
    .map(({ fieldId: _field, ...choice }) => choice)
    .toSorted((a, b) => Number(a.isRemoved) - Number(b.isRemoved) || a.seqNumber - b.seqNumber);

import type { RequiredWhen } from '../../../contract/generated/types.gen.ts';
import type { FieldType } from '../../../contract/rules/fields.ts';

export interface Choice {
  id: number;
  name: string;
  seqNumber: number;
  /** Can no longer be chosen; the history still names it. */
  isRemoved: boolean;
}

/** A column of `entry` that holds what filters and orders compare: `name` stands for `name_key`. */
export type Slot = 'name' | NumberSlot | TextSlot;
export type NumberSlot = `n${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9 | 10 | 11 | 12}`;
export type TextSlot = `t${1 | 2 | 3 | 4 | 5 | 6}`;

/** A field as writing and reading entries need it. */
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
  /** Its value is the name of the entry. Each type has one such field. */
  isKey: boolean;
  isSearchable: boolean;
  /** Values are calendar days (spec 4.4, date-only fields). */
  isDateOnly: boolean;
  isOnEntryForm: boolean;
  formula: string | null;
  isCalculated: boolean;
  /** Whether a request may write it: not what is calculated or counted. */
  isStoreRequestSupported: boolean;
  /** Types that a reference may point to; empty: any. */
  entryLists: readonly number[];
  /** In their order, removed ones last. */
  choices: ReadonlyMap<number, Choice>;
  /** Writers fill the slot whatever its state; readers use it when it is ready. */
  slot: Slot | null;
  isSlotReady: boolean;
  /** Whether entry_text has the texts of all entries; writers write it for every searchable field. */
  isSearchReady: boolean;
  version: number;
}

export interface EntryType {
  id: number;
  apiName: string;
  singularName: string;
  pluralName: string;
  version: number;
  /** In the order of the entry form. */
  fields: readonly SchemaField[];
  /** By apiName in lower case. */
  byName: ReadonlyMap<string, SchemaField>;
  key: SchemaField;
}

/** All entry types and fields of a site at one moment. Frozen in use: it is shared by all requests of the process. */
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

/** The type that a path names: by its number or by its apiName without regard to case (shapes 4). */
export const findType = (schema: SiteSchema, idOrName: string): EntryType | undefined =>
  /^\d+$/.test(idOrName)
    ? schema.typesById.get(Number(idOrName))
    : schema.typesByName.get(idOrName.toLowerCase());

/** The field of a type with this apiName, without regard to case. */
export const findField = (type: EntryType, apiName: string): SchemaField | undefined =>
  type.byName.get(apiName.toLowerCase());

/** A field as its row and those of its choices tell it. */
export type StoredField = Omit<
  SchemaField,
  'isCalculated' | 'isStoreRequestSupported' | 'choices' | 'isSlotReady' | 'isSearchReady'
> & {
  slotState: 'filling' | 'ready' | null;
  searchState: 'filling' | 'ready' | null;
};
export type StoredType = Pick<EntryType, 'id' | 'apiName' | 'singularName' | 'pluralName' | 'version'>;
export type StoredChoice = Choice & { fieldId: number };

import { useSuspenseQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fieldTypes } from '../../../../contract/rules/fields.ts';
import type { FieldType } from '../../../../contract/rules/fields.ts';
import {
  listAllFieldsOptions,
  listEntryTypesOptions,
} from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { EntryTypeVm, FieldVm } from '../../../api/generated/types.gen.ts';

/** A field whose type this console knows. */
export type Field = FieldVm & { fieldType: FieldType };

/** Whether this console knows the type of a field. */
export const isKnown = (field: FieldVm): field is Field =>
  fieldTypes.some(({ id }) => id === field.fieldType);

/** The entry types of the site, and what each entry of them holds. */
export interface Schema {
  types: readonly EntryTypeVm[];
  /** In the order of the entry form. */
  fieldsOf: (typeId: number) => readonly Field[];
  typeById: ReadonlyMap<number, EntryTypeVm>;
  fieldById: ReadonlyMap<number, Field>;
}

export const typesQuery = listEntryTypesOptions();
export const fieldsQuery = listAllFieldsOptions();

const NO_FIELDS: readonly Field[] = [];

/** Puts what the service tells of types and of fields together. */
export function schemaOf(types: readonly EntryTypeVm[], fields: readonly FieldVm[]): Schema {
  const known = fields.filter(isKnown);
  const byType = Map.groupBy(known, ({ entryTypeId }) => entryTypeId);
  return {
    types,
    fieldsOf: (typeId) => byType.get(typeId) ?? NO_FIELDS,
    typeById: new Map(types.map((type) => [type.id, type])),
    fieldById: new Map(known.map((field) => [field.id, field])),
  };
}

/** The schema of the site; only below a route whose loader has read it. */
export function useSchema(): Schema {
  const { data: types } = useSuspenseQuery(typesQuery);
  const { data: fields } = useSuspenseQuery(fieldsQuery);
  return useMemo(() => schemaOf(types, fields), [types, fields]);
}

/** The types that a reference may lead to: those that its field names, or any. */
export const typesOf = ({ entryLists = [] }: Field, { types }: Schema): readonly number[] =>
  entryLists.length > 0 ? entryLists : types.map(({ id }) => id);

/** The type that an address names, by its number or its name in any case. */
export const typeCalled = (types: readonly EntryTypeVm[], name: string): EntryTypeVm | undefined =>
  types.find(({ id }) => String(id) === name) ??
  types.find(({ apiName }) => apiName.toLowerCase() === name.toLowerCase());

/** A field of a list by its apiName, in any case. */
export const fieldCalled = (fields: readonly Field[], name: string): Field | undefined =>
  fields.find(({ apiName }) => apiName.toLowerCase() === name.toLowerCase());

/** The fields that somebody fills in: those of the entry form, and whatever is needed. */
export const formFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter((field) => field.isOnEntryForm || field.isRequired);

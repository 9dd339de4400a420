import { useSuspenseQuery, useQueryClient } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { notFound } from '@tanstack/react-router';
import { useMemo, useEffect } from 'react';
import type { EntryTypeVm, FieldVm } from '../../../../contract/generated/types.gen.ts';
import { fieldTypes } from '../../../../contract/rules/schema/fields.ts';
import type { FieldType } from '../../../../contract/rules/schema/fields.ts';
import { listAllFieldsOptions, listEntryTypesOptions } from '../../../api/generated/queries/schema.gen.ts';

/** A field whose type this console supports. */
export type Field = FieldVm & { fieldType: FieldType };

export const isKnownField = (field: FieldVm): field is Field =>
  fieldTypes.some(({ id }) => id === field.fieldType);

/** The entry types of the site with their fields. */
export interface Schema {
  types: readonly EntryTypeVm[];
  /** Fields of an entry type in the order of the entry form. */
  getFields: (typeId: number) => readonly Field[];
  typeById: ReadonlyMap<number, EntryTypeVm>;
  fieldById: ReadonlyMap<number, Field>;
}

export const typesQuery = listEntryTypesOptions();
export const fieldsQuery = listAllFieldsOptions();

const NO_FIELDS: readonly Field[] = [];

/** Builds the schema from the types and fields of the service; fields of unsupported types are left out. */
export function buildSchema(types: readonly EntryTypeVm[], fields: readonly FieldVm[]): Schema {
  const knownFields = fields.filter(isKnownField);
  const byType = Map.groupBy(knownFields, ({ entryTypeId }) => entryTypeId);
  return {
    types,
    getFields: (typeId) => byType.get(typeId) ?? NO_FIELDS,
    typeById: new Map(types.map((type) => [type.id, type])),
    fieldById: new Map(knownFields.map((field) => [field.id, field])),
  };
}

/** The schema of the site. Only below a route whose loader has loaded it. */
export function useSchema(): Schema {
  const { data: types } = useSuspenseQuery(typesQuery);
  const { data: fields } = useSuspenseQuery(fieldsQuery);
  return useMemo(() => buildSchema(types, fields), [types, fields]);
}

/** Ids of the entry types that a reference field accepts; a field that names none accepts every type. */
export const getReferenceTypeIds = ({ entryLists = [] }: Field, { types }: Schema): readonly number[] =>
  entryLists.length > 0 ? entryLists : types.map(({ id }) => id);

/** Finds an entry type by id or by API name in any case, as URLs name it. */
export const findEntryType = (types: readonly EntryTypeVm[], name: string): EntryTypeVm | undefined =>
  types.find(({ id }) => String(id) === name) ??
  types.find(({ apiName }) => apiName.toLowerCase() === name.toLowerCase());

/** Finds a field by API name in any case. */
export const findField = (fields: readonly Field[], name: string): Field | undefined =>
  fields.find(({ apiName }) => apiName.toLowerCase() === name.toLowerCase());

/** Fields that are filled in on the entry form: those placed on it, and required ones. */
export const getFormFields = (fields: readonly Field[]): readonly Field[] =>
  fields.filter((field) => field.isOnEntryForm || field.isRequired);

/** Loads the schema in a route loader. @throws ServiceError */
export async function loadSchema(client: QueryClient): Promise<Schema> {
  const [types, fields] = await Promise.all([
    client.ensureQueryData(typesQuery),
    client.ensureQueryData(fieldsQuery),
  ]);
  return buildSchema(types, fields);
}

/** Loads the entry type named in a URL; reloads the types once, since it may be new. @throws notFound, ServiceError */
export async function loadEntryType(client: QueryClient, name: string) {
  const type =
    findEntryType((await loadSchema(client)).types, name) ??
    findEntryType(await client.fetchQuery({ ...typesQuery, staleTime: 0 }), name);
  if (!type) throw notFound();
  return type;
}

/** Reloads types and fields. Needed after a type is created: the service adds its first field by itself. */
export function useReloadSchema() {
  const client = useQueryClient();
  return () =>
    Promise.all([
      client.invalidateQueries({ queryKey: typesQuery.queryKey }),
      client.invalidateQueries({ queryKey: fieldsQuery.queryKey }),
    ]);
}

// Never cleared: switching the site reloads the page.
const rememberedFields = new Map<number, Field>();

/** Remembers fields, so that staged changes of a field deleted later can still name it. */
export function useRememberFields(fields: readonly Field[]): void {
  useEffect(() => {
    for (const field of fields) rememberedFields.set(field.id, field);
  }, [fields]);
}

/** A remembered field by id; undefined if this page never loaded it. */
export const getRememberedField = (fieldId: number): Field | undefined => rememberedFields.get(fieldId);

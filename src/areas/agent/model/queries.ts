import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { EntryTypeVm, FieldVm } from '../../../../contract/generated/types.gen.ts';
import {
  getAgentSettingsOptions,
  listAgentClientsOptions,
  listAgentKeysOptions,
} from '../../../api/generated/queries/agent.gen.ts';
import { listAllFieldsOptions, listEntryTypesOptions } from '../../../api/generated/queries/schema.gen.ts';
import { usePermission } from '../../../api/session.ts';

// Keys and switches are never shown from a stale cache.
const NO_STALE_TIME = { staleTime: 0 } as const;

export const agentSettingsQuery = { ...getAgentSettingsOptions(), ...NO_STALE_TIME };
export const agentKeysQuery = { ...listAgentKeysOptions({ query: {} }), ...NO_STALE_TIME };
export const agentClientsQuery = { ...listAgentClientsOptions({ query: {} }), ...NO_STALE_TIME };

/** Id that the ledger gives to the name of an entry. */
const NAME_FIELD_ID = 0;

const NO_TYPES: readonly EntryTypeVm[] = [];
const NO_FIELDS: readonly FieldVm[] = [];

/** Names of entry types and fields; deleted ones, and all of them without Read Data, are named by their ids. */
export interface SchemaNames {
  types: readonly EntryTypeVm[];
  fields: readonly FieldVm[];
  /** Plural name: "Companies". */
  getTypeName: (entryTypeId: number) => string;
  /** Singular name: "Company". */
  getEntryName: (entryTypeId: number) => string;
  getFieldName: (fieldId: number) => string;
}

/** Builds the names of a schema. */
export function buildSchemaNames(types: readonly EntryTypeVm[], fields: readonly FieldVm[]): SchemaNames {
  const typeById = new Map(types.map((type) => [type.id, type]));
  const fieldById = new Map(fields.map((field) => [field.id, field]));
  return {
    types,
    fields,
    getTypeName: (id) => typeById.get(id)?.pluralName ?? `Entry type ${id}`,
    getEntryName: (id) => typeById.get(id)?.singularName ?? `Entry of type ${id}`,
    getFieldName: (id) => (id === NAME_FIELD_ID ? 'Entry name' : (fieldById.get(id)?.name ?? `Field ${id}`)),
  };
}

/** Loads the names of the schema; ids until then. */
export function useSchemaNames(): SchemaNames {
  const { allowed: enabled } = usePermission('listAllFields');
  const { data: types = NO_TYPES } = useQuery({ ...listEntryTypesOptions(), enabled });
  const { data: fields = NO_FIELDS } = useQuery({ ...listAllFieldsOptions(), enabled });
  return useMemo(() => buildSchemaNames(types, fields), [types, fields]);
}

const list = new Intl.ListFormat(undefined, { type: 'unit', style: 'long' });

/** Entry types that a key allows: "Companies, Deals", "All entry types". */
export const formatAllowedTypes = (
  entryTypeIds: readonly number[] | null,
  { getTypeName }: SchemaNames,
): string => (entryTypeIds === null ? 'All entry types' : list.format(entryTypeIds.map(getTypeName)));

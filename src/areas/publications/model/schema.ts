import { useQuery } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { EntryTypeVm, FieldVm, Session } from '../../../../contract/generated/types.gen.ts';
import { listAllFieldsOptions, listEntryTypesOptions } from '../../../api/generated/queries/schema.gen.ts';
import { getPermission, usePermission } from '../../../api/session.ts';

/** Entry types and fields of the site, to name what messages have as ids. */
export interface TopicSchema {
  types: readonly EntryTypeVm[];
  typeById: ReadonlyMap<number, EntryTypeVm>;
  fieldById: ReadonlyMap<number, FieldVm>;
  getFields: (typeId: number) => readonly FieldVm[];
  /** Whether types and fields have been read; never for those who may not read them. */
  isLoaded: boolean;
}

const NO_TYPES: readonly EntryTypeVm[] = [];
const NO_FIELDS: readonly FieldVm[] = [];

/** Entry types and fields; empty without Read Data and Manage Schema, so that ids are shown instead of names. */
export function useTopicSchema(): TopicSchema {
  const { allowed } = usePermission('listAllFields');
  const { data: types } = useQuery({ ...listEntryTypesOptions(), enabled: allowed });
  const { data: fields } = useQuery({ ...listAllFieldsOptions(), enabled: allowed });
  return useMemo(() => buildTopicSchema(types, fields), [types, fields]);
}

/** Loads what `useTopicSchema` reads, as far as the session may: a page with the tree of fields has its height from the start. */
export async function prefetchTopicSchema(client: QueryClient, session: Session): Promise<void> {
  if (!getPermission(session, 'listAllFields').allowed) return;
  await Promise.all([
    client.prefetchQuery(listEntryTypesOptions()),
    client.prefetchQuery(listAllFieldsOptions()),
  ]);
}

export function buildTopicSchema(
  types: readonly EntryTypeVm[] = NO_TYPES,
  fields?: readonly FieldVm[],
): TopicSchema {
  const byType = Map.groupBy(fields ?? NO_FIELDS, ({ entryTypeId }) => entryTypeId);
  return {
    types,
    typeById: new Map(types.map((type) => [type.id, type])),
    fieldById: new Map((fields ?? NO_FIELDS).map((field) => [field.id, field])),
    getFields: (typeId) => byType.get(typeId) ?? NO_FIELDS,
    isLoaded: fields !== undefined,
  };
}

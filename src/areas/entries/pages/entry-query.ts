import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { notFound } from '@tanstack/react-router';
import type { EntryTypeVm, RowVm } from '../../../../contract/generated/types.gen.ts';
import { readHistoricalData } from '../../../api/generated/sdk/entries.gen.ts';
import { findEntries } from '../../../api/generated/sdk/entry-history.gen.ts';
import { queryRows } from '../model/entry-rows.ts';
import { fieldsQuery, buildSchema, findEntryType, typesQuery } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { formatItem, toItems, getValue } from '../model/values.ts';

/** An entry with its current values, or with its last values if it was deleted. */
export interface Entry {
  id: number;
  name: string;
  row: RowVm;
  isDeleted: boolean;
}

/** Loads the row of an entry as of a time; undefined if it did not exist. @throws ServiceError */
async function loadRowAsOf(type: EntryTypeVm, entryId: number, fromDate: string, signal: AbortSignal) {
  const { data } = await readHistoricalData({
    body: { entryTypeId: type.id, entries: [entryId], fromDate },
    query: { wrapIntoArrays: true },
    signal,
  });
  return data.rows[0];
}

async function loadEntry(
  type: EntryTypeVm,
  fields: readonly Field[],
  id: number,
  signal: AbortSignal,
): Promise<Entry> {
  const current = await queryRows(type.id, { query: { EntryId: id }, limit: 1 }, signal);
  // The history includes deleted entries with their last values.
  const row = current.rows[0] ?? (await loadRowAsOf(type, id, new Date().toISOString(), signal));
  if (!row) throw notFound();
  const key = fields.find(({ isKey }) => isKey);
  const [name] = key ? toItems(getValue(row, key)) : [];
  const text = key && name !== undefined ? formatItem(name, key).trim() : '';
  return { id, name: text === '' ? `Entry ${id}` : text, row, isDeleted: current.rows.length === 0 };
}

/** Finds the entry type of an entry by its id; the entry may be deleted. @throws ServiceError */
export async function findTypeOfEntry(entryId: number): Promise<number | undefined> {
  const { data } = await findEntries({ body: { ids: [entryId] } });
  return data.entries[0]?.entryListId;
}

/** Query options of an entry with all its values. @throws notFound, ServiceError */
export const entryQuery = (client: QueryClient, typeName: string, entryId: number) =>
  queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeName, entryId }],
    async queryFn({ signal }) {
      const [types, fields] = await Promise.all([
        client.ensureQueryData(typesQuery),
        client.ensureQueryData(fieldsQuery),
      ]);
      const type = findEntryType(types, typeName);
      if (!type) throw notFound();
      return loadEntry(type, buildSchema(types, fields).getFields(type.id), entryId, signal);
    },
  });

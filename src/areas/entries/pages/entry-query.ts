import { queryOptions } from '@tanstack/react-query';
import type { QueryClient } from '@tanstack/react-query';
import { notFound } from '@tanstack/react-router';
import { readHistoricalData } from '../../../api/generated/sdk.gen.ts';
import type { EntryTypeVm, RowVm } from '../../../api/generated/types.gen.ts';
import { fieldsQuery, schemaOf, typeCalled, typesQuery } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { readRows } from '../model/use-rows.ts';
import { itemText, itemsOf, valueIn } from '../model/values.ts';

/** An entry as it is; of one that was deleted, as it was then. */
export interface Entry {
  id: number;
  name: string;
  row: RowVm;
  isDeleted: boolean;
}

/** A moment from which nothing more has changed. */
const now = () => new Date().toISOString();

/** The row of an entry at a moment; undefined where it was not there yet. */
async function readRowAt(type: EntryTypeVm, entryId: number, fromDate: string, signal: AbortSignal) {
  const { data } = await readHistoricalData({
    body: { entryTypeId: type.id, entries: [entryId], fromDate },
    query: { wrapIntoArrays: true },
    signal,
  });
  return data.rows[0];
}

async function readEntry(
  type: EntryTypeVm,
  fields: readonly Field[],
  id: number,
  signal: AbortSignal,
): Promise<Entry> {
  const live = await readRows(type.id, { query: { EntryId: id }, limit: 1 }, signal);
  const row = live.rows[0] ?? (await readRowAt(type, id, now(), signal));
  if (!row) throw notFound();
  const key = fields.find(({ isKey }) => isKey);
  const [name] = key ? itemsOf(valueIn(row, key)) : [];
  const text = key && name !== undefined ? itemText(name, key).trim() : '';
  return { id, name: text === '' ? `Entry ${id}` : text, row, isDeleted: live.rows.length === 0 };
}

/** One entry with all its values. */
export const entryQuery = (client: QueryClient, typeName: string, entryId: number) =>
  queryOptions({
    queryKey: [{ _id: 'queryRowsByBody', typeName, entryId }],
    async queryFn({ signal }) {
      const [types, fields] = await Promise.all([
        client.ensureQueryData(typesQuery),
        client.ensureQueryData(fieldsQuery),
      ]);
      const type = typeCalled(types, typeName);
      if (!type) throw notFound();
      return readEntry(type, schemaOf(types, fields).fieldsOf(type.id), entryId, signal);
    },
  });

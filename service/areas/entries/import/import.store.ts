/** Reads of jobs that import entries. */
import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import type { ItemLabels } from '../../../kernel/jobs/item-labels.store.ts';
import type { JobKey } from '../../../kernel/jobs/jobs.store.ts';

/** Rows of a file: the name that a row gives its entry, or that the entry has, and the number of the row. */
export const IMPORT_LABELS: ItemLabels = {
  label: sql`n.name`,
  detail: sql`concat_ws(' · ', 'Row ' || (item.value ->> 'row'), 'Entry ' || (item.value ->> 'entryId'))`,
  // The name is mostly the first value of a row. The entry is read only where the row has no name.
  join: (siteId) =>
    sql`cross join (select array_agg(field_id) as ids from field where site_id = ${siteId} and is_key and deleted_at is null) k
    cross join lateral (select coalesce(
      nullif(case when (item.value #>> '{values,0,fieldId}')::int = any(k.ids) then item.value #>> '{values,0,value}'
        else (select v ->> 'value' from json_array_elements(item.value -> 'values') v
          where (v ->> 'fieldId')::int = any(k.ids) limit 1) end, ''),
      (select nullif(c.name, '') from entry_change c
        where c.site_id = ${siteId} and c.entry_id = (item.value ->> 'entryId')::int)) as name) n`,
};

/** An item of an import: the row of the file, and the entry that it has created or was to change. */
export interface ImportedItem {
  row: number;
  entryId: number | null;
}

/** Items of an import by their numbers. */
export async function listImportedItems(
  db: Db,
  { siteId, jobId }: JobKey,
  numbers: readonly number[],
): Promise<Map<number, ImportedItem>> {
  if (numbers.length === 0) return new Map();
  const { rows } = await sql<ImportedItem & { number: number }>`
    select item_no as number, (input ->> 'row')::int as row,
      coalesce((before ->> 'entryId')::int, (input ->> 'entryId')::int) as "entryId" from job_item
    where site_id = ${siteId} and job_id = ${jobId} and item_no = any(${[...numbers]}::int[])`.execute(db);
  return new Map(rows.map(({ number, row, entryId }) => [number, { row, entryId }]));
}

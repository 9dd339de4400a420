import { sql } from 'kysely';
import type { EntryType } from '../../areas/schema/index.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { changeRows, type Entry, entryRows, multiRows, textRows } from '../load/rows.ts';
import { writeRecords } from '../load/target.ts';
import type { SampleChange } from './entries.ts';

/** The next ids of entries. */
export async function takeEntryIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('entry', 'entry_id'))::int as id from generate_series(1, ${count}::int)`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

export async function insertEntries(tx: Tx, type: EntryType, entries: readonly Entry[]): Promise<void> {
  await writeRecords(tx, entryRows(type, entries));
  await writeRecords(tx, changeRows(type, entries));
  await writeRecords(tx, multiRows(type, entries));
  await writeRecords(tx, textRows(type, entries));
}

/** What values were before; the entries were last changed by the last of these. */
export async function insertChanges(tx: Tx, siteId: number, changes: readonly SampleChange[]): Promise<void> {
  await writeRecords(tx, {
    table: 'cell_log',
    columns: ['site_id', 'entry_id', 'field_id', 'at', 'type_id', 'old', 'new', 'user_id', 'cause'],
    rows: changes.map((change) => [
      siteId,
      change.entryId,
      change.fieldId,
      change.at,
      change.typeId,
      change.old,
      change.new,
      change.userId,
      0,
    ]),
  });
  await sql`
    update entry_change c set direct_at = l.at, any_at = l.at, modified_by = l.user_id
    from (select distinct on (entry_id) entry_id, at, user_id from cell_log
      where site_id = ${siteId} order by entry_id, at desc, seq desc) l
    where c.site_id = ${siteId} and c.entry_id = l.entry_id`.execute(tx);
}

/** New entries go on counting after these. */
export async function setCounter(tx: Tx, siteId: number, fieldId: number, next: number): Promise<void> {
  await tx
    .updateTable('field_counter')
    .set({ next })
    .where('site_id', '=', siteId)
    .where('field_id', '=', fieldId)
    .execute();
}

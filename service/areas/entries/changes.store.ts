import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';

const AT_ONCE = 10_000;

/** What changed: of one type or of all, with indirect changes and calculations or without (shapes 4). */
export interface Changed {
  siteId: number;
  typeId: number | undefined;
  since: Date;
  indirect: boolean;
}

/**
 * Entries that changed since a moment as ModifiedEntryVm, each a JSON text, in the order of their last change. One that
 * changes again while the answer is on its way moves behind what was answered and is told again: never left out.
 */
export async function* changedEntries(
  db: Db,
  { siteId, typeId, since, indirect }: Changed,
): AsyncGenerator<string[]> {
  const at = indirect ? sql.ref('any_at') : sql.ref('direct_at');
  const ofType = typeId === undefined ? sql`true` : sql`type_id = ${typeId}`;
  let last = { at: since, id: 0 };
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each piece begins where the one before it ended
    const { rows } = await sql<{ id: number; at: Date; item: string }>`
      select entry_id as id, ${at} as at, jsonb_strip_nulls(jsonb_build_object('id', entry_id, 'name', name,
          'entryListId', type_id, 'isDeleted', deleted_at is not null, 'mergedEntryId', merged_into))::text as item
      from entry_change
      where site_id = ${siteId} and ${ofType} and (${at}, entry_id) > (${last.at}::timestamptz, ${last.id}::int)
      order by ${at}, entry_id limit ${AT_ONCE}`.execute(db);
    if (rows.length > 0) yield rows.map((row) => row.item);
    const end = rows.at(-1);
    if (!end || rows.length < AT_ONCE) return;
    last = { at: end.at, id: end.id };
  }
}

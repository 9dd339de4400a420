import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';

const AT_ONCE = 10_000;

/** What changed: of a type, with indirect changes and calculations or without (shapes 4). */
export interface Changed {
  siteId: number;
  typeId: number;
  since: Date;
  indirect: boolean;
}

/**
 * Entries that changed since a moment as ModifiedEntryVm, JSON texts of many, in the order of their last change. One that
 * changes again while the answer is on its way moves behind what was answered and is told again: never left out.
 */
export async function* changedEntries(
  db: Db,
  { siteId, typeId, since, indirect }: Changed,
): AsyncGenerator<string[]> {
  const at = indirect ? sql.ref('any_at') : sql.ref('direct_at');
  let last = { at: since, id: 0 };
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each piece begins where the one before it ended
    const { rows } = await sql<Piece>`
      with piece as materialized (
        select entry_id, ${at} as at, name, type_id, deleted_at is not null as gone, merged_into from entry_change
        where site_id = ${siteId} and type_id = ${typeId} and (${at}, entry_id) > (${last.at}::timestamptz, ${last.id}::int)
        order by ${at}, entry_id limit ${AT_ONCE})
      select count(*)::int as count, string_agg('{"id":' || entry_id || ',"name":' || to_json(name) || ',"entryListId":' || type_id ||
          ',"isDeleted":' || gone || coalesce(',"mergedEntryId":' || merged_into, '') || '}', ',') as items,
        max(at) as at, (array_agg(entry_id))[count(*)::int] as id
      from piece`.execute(db);
    const [piece] = rows;
    if (!piece?.at || !piece.id || piece.items === null) return;
    yield [piece.items];
    if (piece.count < AT_ONCE) return;
    last = { at: piece.at, id: piece.id };
  }
}

/** Some entries in one text: the event loop passes it on, however many they are. */
interface Piece {
  count: number;
  items: string | null;
  at: Date | null;
  /** The last of them. */
  id: number | null;
}

/** Types that have or had entries, deleted types too; each is found by a step through the index. */
export async function typesWithHistory(db: Db, siteId: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    with recursive t(id) as (
      (select type_id from entry_change where site_id = ${siteId} order by type_id limit 1)
      union all
      select (select c.type_id from entry_change c where c.site_id = ${siteId} and c.type_id > t.id order by c.type_id limit 1)
      from t where t.id is not null)
    select id from t where id is not null`.execute(db);
  return rows.map(({ id }) => id);
}

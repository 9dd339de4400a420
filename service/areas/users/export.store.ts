import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';

/** Ids of all users of the site, in order. */
export async function listUserIds(db: Db, siteId: number): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] }>`
    select array(select user_id from membership where site_id = ${siteId} order by user_id) as ids`.execute(
    db,
  );
  return rows[0]?.ids ?? [];
}

/** Names of all groups of the site by id. */
export async function loadGroupNames(db: Db, siteId: number): Promise<Map<number, string>> {
  const rows = await db
    .selectFrom('user_group')
    .select(['group_id', 'name'])
    .where('site_id', '=', siteId)
    .execute();
  return new Map(rows.map(({ group_id: id, name }) => [id, name]));
}

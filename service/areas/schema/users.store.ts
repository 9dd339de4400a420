import { sql } from 'kysely';
import type { SchemaUserVm } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import { listPage, MEMBERS_BY_LICENSE, type Page } from '../../kernel/db/list-page.ts';

/** What heads users in lists (shapes 4). */
const USERS = -1;

/** Everybody on the site, or one page of them, in the order of ids: names and addresses alone, in one statement. */
export async function listUsersAsValues(
  db: Db,
  siteId: number,
  page: Page | undefined,
): Promise<SchemaUserVm[]> {
  const picked = page
    ? listPage(
        { siteId, list: MEMBERS_BY_LICENSE },
        page,
        (firstId, most) => sql`select user_id from membership
          where site_id = ${siteId} and user_id >= ${firstId} order by user_id limit ${most}`,
      )
    : sql`select user_id from membership where site_id = ${siteId}`;
  const { rows } = await sql<SchemaUserVm>`
    with picked as materialized (${picked})
    select a.user_id as id, trim(a.first_name || ' ' || a.last_name) as name, a.email, ${USERS}::int as "entryListId"
    from picked join account a using (user_id) order by a.user_id`.execute(db);
  return rows;
}

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
  // One text instead of a row for each: a site may have a hundred thousand of them.
  const { rows } = await sql<{ users: SchemaUserVm[] }>`
    with picked as materialized (${picked})
    select coalesce(json_agg(json_build_object('id', a.user_id, 'name', trim(a.first_name || ' ' || a.last_name),
      'email', a.email, 'entryListId', ${USERS}::int) order by a.user_id), '[]') as users
    from picked join account a using (user_id)`.execute(db);
  return rows[0]?.users ?? [];
}

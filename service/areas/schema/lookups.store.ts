import { sql } from 'kysely';
import type { SchemaUserVm } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import { buildListPage, MEMBERS_BY_LICENSE, type Page } from '../../kernel/db/list-page.ts';
import type { TimeZones } from './dates.ts';

/** `entryListId` of users (shapes 4). */
const USERS_LIST_ID = -1;

/** Members of the site as values of user fields (name and e-mail), ordered by id: all of them, or one page. */
export async function listUserValues(
  db: Db,
  siteId: number,
  page: Page | undefined,
): Promise<SchemaUserVm[]> {
  const memberIds = page
    ? buildListPage(
        { siteId, list: MEMBERS_BY_LICENSE },
        page,
        (firstId, maxRows) => sql`select user_id from membership
          where site_id = ${siteId} and user_id >= ${firstId} order by user_id limit ${maxRows}`,
      )
    : sql`select user_id from membership where site_id = ${siteId}`;
  // One JSON text instead of a row per user: a site may have 100,000 members.
  const { rows } = await sql<{ users: SchemaUserVm[] }>`
    with page as materialized (${memberIds})
    select coalesce(json_agg(json_build_object('id', a.user_id, 'name', trim(a.first_name || ' ' || a.last_name),
      'email', a.email, 'entryListId', ${USERS_LIST_ID}::int) order by a.user_id), '[]') as users
    from page join account a using (user_id)`.execute(db);
  return rows[0]?.users ?? [];
}

/** Time zones for dateTimeBehavior=1: the user's own, by default that of the site (spec 4.4). */
export async function loadTimeZones(db: Db, siteId: number, userId: number): Promise<TimeZones> {
  const row = await db
    .selectFrom('site as s')
    .leftJoin('membership as m', (join) =>
      join.onRef('m.site_id', '=', 's.site_id').on('m.user_id', '=', userId),
    )
    .select(['s.time_zone as site', 'm.time_zone as user'])
    .where('s.site_id', '=', siteId)
    .executeTakeFirstOrThrow();
  return { site: row.site, user: row.user ?? row.site };
}

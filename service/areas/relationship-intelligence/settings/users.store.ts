import { sql } from 'kysely';
import type {
  RelationshipUser,
  RelationshipUserPage,
  UserImportActivity,
} from '../../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { contains } from '../../../kernel/db/like.ts';
import type { Page } from '../../../kernel/db/list-page.ts';

/** Users with their last imports; users without any come first, then those whose last import is longest ago. */
export async function listUsers(
  db: Db,
  siteId: number,
  { isEnabled, search }: { isEnabled?: boolean; search?: string },
  page: Page,
): Promise<RelationshipUserPage> {
  const enabled = sql`coalesce(u.is_enabled, false)`;
  const { rows } = await sql<{ totalCount: number; users: RelationshipUser[] }>`
    with matching as (
      select m.user_id, a.first_name || ' ' || a.last_name as name, a.email, m.is_active, ${enabled} as is_enabled, u.history_completed_at,
        u.last_email_sync_at, u.last_meeting_sync_at, u.last_email_at, u.last_meeting_at
      from membership m join account a using (user_id) left join ri_user u on u.site_id = m.site_id and u.user_id = m.user_id
      where m.site_id = ${siteId} ${isEnabled === undefined ? sql`` : sql`and ${enabled} = ${isEnabled}`}
        ${search ? sql`and (${contains(sql`a.first_name || ' ' || a.last_name`, search)} or ${contains(sql`a.email`, search)})` : sql``}),
    page as (select * from matching order by least(last_email_sync_at, last_meeting_sync_at) nulls first, user_id
      limit ${page.limit} offset ${page.offset})
    select (select count(*)::int from matching) as "totalCount",
      coalesce(jsonb_agg(jsonb_build_object('userId', user_id, 'name', name, 'emailAddress', email, 'isActive', is_active,
        'isEnabled', is_enabled, 'historyCompletedDate', ${iso('history_completed_at')},
        'lastEmailSyncDate', ${iso('last_email_sync_at')}, 'lastMeetingSyncDate', ${iso('last_meeting_sync_at')},
        'lastEmailDate', ${iso('last_email_at')}, 'lastMeetingDate', ${iso('last_meeting_at')},
        'relationships', jsonb_build_object('contacts', contacts, 'sent', sent, 'received', received, 'meetings', meetings))
        order by least(last_email_sync_at, last_meeting_sync_at) nulls first, user_id), '[]') as users
    from page, lateral (select count(*) as contacts, coalesce(sum(sent), 0) as sent, coalesce(sum(received), 0) as received,
      coalesce(sum(meetings), 0) as meetings from ri_relation r where r.site_id = ${siteId} and r.user_id = page.user_id) as counts`.execute(
    db,
  );
  return rows[0] ?? { totalCount: 0, users: [] };
}

const iso = (column: string) =>
  sql`to_char(${sql.ref(column)} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

/** Items of users by day. */
export async function listActivity(
  db: Db,
  siteId: number,
  { userIds, days = 90, timeZone }: { userIds: readonly number[]; days?: number; timeZone: string },
): Promise<UserImportActivity[]> {
  const { rows } = await sql<UserImportActivity>`
    select user_id as "userId", jsonb_agg(jsonb_build_object('date', day, 'emails', emails, 'meetings', meetings) order by day) as days
    from (select user_id, (at at time zone ${timeZone})::date as day, count(*) filter (where kind = 1) as emails,
        count(*) filter (where kind = 2) as meetings
      from ri_item_user where site_id = ${siteId} and user_id = any(${[...userIds]}::int[])
        and at >= (((now() at time zone ${timeZone})::date - ${days - 1}::int)::timestamp at time zone ${timeZone})
      group by user_id, day) as x
    group by user_id order by user_id`.execute(db);
  return rows;
}

/**
 * Enables or disables users who are members of the site.
 * @returns for each user that is a member whether it changed
 */
export async function setEnabled(
  tx: Tx,
  siteId: number,
  userIds: readonly number[],
  isEnabled: boolean,
): Promise<ReadonlyMap<number, boolean>> {
  const { rows } = await sql<{ userId: number; changed: boolean }>`
    with member as (select m.user_id, coalesce(u.is_enabled, false) as was from membership m
      left join ri_user u on u.site_id = m.site_id and u.user_id = m.user_id
      where m.site_id = ${siteId} and m.user_id = any(${[...userIds]}::int[])),
    stored as (insert into ri_user (site_id, user_id, is_enabled)
      select ${siteId}, user_id, ${isEnabled} from member where was <> ${isEnabled} order by user_id
      on conflict (site_id, user_id) do update set is_enabled = excluded.is_enabled)
    select user_id as "userId", was <> ${isEnabled} as changed from member`.execute(tx);
  return new Map(rows.map(({ userId, changed }) => [userId, changed]));
}

/** Ends the historical upload of enabled users. @returns those for whom it was open */
export async function completeHistory(
  tx: Tx,
  siteId: number,
  userIds: readonly number[] | undefined,
): Promise<number[]> {
  const { rows } = await sql<{ userId: number }>`
    update ri_user set history_completed_at = now()
    where site_id = ${siteId} and is_enabled and history_completed_at is null
      ${userIds ? sql`and user_id = any(${[...userIds]}::int[])` : sql``}
    returning user_id as "userId"`.execute(tx);
  return rows.map(({ userId }) => userId);
}

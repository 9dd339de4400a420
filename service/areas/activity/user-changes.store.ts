import { type RawBuilder, sql } from 'kysely';
import type { UserChange } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';

interface StoredChange extends Omit<UserChange, 'date'> {
  date: Date;
}

/** Whether the user is a member of the site or occurs in its audit log as a former one. */
export async function isUserKnownToSite(db: Db, siteId: number, userId: number): Promise<boolean> {
  const { rows } = await sql<{ isKnown: boolean }>`
    select exists (select 1 from membership where site_id = ${siteId} and user_id = ${userId})
      or exists (select 1 from audit_log where site_id = ${siteId} and subject_type = 'user'
        and subject_id = ${String(userId)}) as "isKnown"`.execute(db);
  return rows[0]?.isKnown ?? false;
}

const selectMemberName = (id: RawBuilder<unknown>) => sql`(select a.first_name || ' ' || a.last_name
  from membership m join account a using (user_id) where m.site_id = l.site_id and m.user_id = ${id})`;

/** One page of the changes of a user, newest first. Authors are named only while they are members of the site. */
export async function listUserChanges(
  db: Db,
  siteId: number,
  userId: number,
  page: Page,
): Promise<StoredChange[]> {
  const { rows } = await sql<StoredChange>`
    select l.audit_id as id, l.at as date, l.action, l.changes, l.actor_id as "changedBy",
      ${selectMemberName(sql`l.actor_id`)} as "changedByName", l.proxy_id as "proxyUserId",
      ${selectMemberName(sql`l.proxy_id`)} as "proxyUserName", l.ip as "ipAddress"
    from audit_log l
    where l.site_id = ${siteId} and l.subject_type = 'user' and l.subject_id = ${String(userId)}
    order by l.at desc, l.audit_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/** When these members of the site were last active; null for one who never was. */
export async function readLastActivity(
  db: Db,
  siteId: number,
  userIds: readonly number[],
): Promise<{ userId: number; lastActivityDate: Date | null }[]> {
  const { rows } = await sql<{ userId: number; lastActivityDate: Date | null }>`
    select user_id as "userId", last_active_at as "lastActivityDate" from membership
    where site_id = ${siteId} and user_id = any(${[...userIds]}::int[])`.execute(db);
  return rows;
}

import { type RawBuilder, sql } from 'kysely';
import type { UserChange } from '../../../contract/generated/types.gen.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';

interface StoredChange extends Omit<UserChange, 'date'> {
  date: Date;
}

/** Whether the site knows the user: as a member, or from the time when they were one. */
export async function isKnown(db: Db, siteId: number, userId: number): Promise<boolean> {
  const { rows } = await sql<{ known: boolean }>`
    select exists (select 1 from membership where site_id = ${siteId} and user_id = ${userId})
      or exists (select 1 from audit_log where site_id = ${siteId} and subject_type = 'user'
        and subject_id = ${String(userId)}) as known`.execute(db);
  return rows[0]?.known ?? false;
}

const nameOf = (id: RawBuilder<unknown>) => sql`(select a.first_name || ' ' || a.last_name
  from membership m join account a using (user_id) where m.site_id = l.site_id and m.user_id = ${id})`;

/** A page of what was changed on a user, newest first. Whoever did it is named while a member of the site. */
export async function listChanges(
  db: Db,
  siteId: number,
  userId: number,
  page: Page,
): Promise<StoredChange[]> {
  const { rows } = await sql<StoredChange>`
    select l.audit_id as id, l.at as date, l.action, l.changes, l.actor_id as "changedBy",
      ${nameOf(sql`l.actor_id`)} as "changedByName", l.proxy_id as "proxyUserId",
      ${nameOf(sql`l.proxy_id`)} as "proxyUserName", l.ip as "ipAddress"
    from audit_log l
    where l.site_id = ${siteId} and l.subject_type = 'user' and l.subject_id = ${String(userId)}
    order by l.at desc, l.audit_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

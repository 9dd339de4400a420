import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import type { NotificationCategory } from '../../kernel/db/tables/notifications.ts';
import type { NotificationChannels } from '../../kernel/notifications.store.ts';

/** The user, on one site, whose notifications are read or changed. */
interface Owner {
  siteId: number;
  userId: number;
}

export interface StoredNotification {
  id: number;
  category: NotificationCategory;
  title: string;
  detail: string;
  path: string;
  createdDate: Date;
  readDate: Date | null;
}

/** A page of notifications, the newest first. */
export async function listNotifications(
  db: Db,
  { siteId, userId }: Owner,
  { isUnread }: { isUnread: boolean },
  page: Page,
): Promise<StoredNotification[]> {
  const { rows } = await sql<StoredNotification>`
    select notification_id as id, category, title, detail, path, created_at as "createdDate", read_at as "readDate"
    from notification where site_id = ${siteId} and user_id = ${userId} ${isUnread ? sql`and read_at is null` : sql``}
    order by notification_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/** Number of unread notifications, and the id of the newest unread one; null if there are none. */
export async function countUnread(
  db: Db,
  { siteId, userId }: Owner,
): Promise<{ unread: number; newestId: number | null }> {
  const { rows } = await sql<{ unread: number; newestId: number | null }>`
    select count(*)::int as unread, max(notification_id) as "newestId" from notification
    where site_id = ${siteId} and user_id = ${userId} and read_at is null`.execute(db);
  return rows[0] ?? { unread: 0, newestId: null };
}

/** Marks notifications as read: those with the ids, or all up to an id. */
export async function markRead(
  tx: Tx,
  { siteId, userId }: Owner,
  { ids, upToId }: { ids?: readonly number[] | undefined; upToId?: number | undefined },
): Promise<void> {
  await sql`
    update notification set read_at = now()
    where site_id = ${siteId} and user_id = ${userId} and read_at is null
      and (notification_id = any(${[...(ids ?? [])]}::int[]) or notification_id <= ${upToId ?? 0}::int)`.execute(
    tx,
  );
}

/** Where the user wants notifications, by category; absent for categories without a choice. */
export async function getChannels(
  db: Db,
  { siteId, userId }: Owner,
): Promise<ReadonlyMap<NotificationCategory, NotificationChannels>> {
  const rows = await db
    .selectFrom('notification_setting')
    .select(['category', 'in_console as inConsole', 'by_mail as byMail', 'in_browser as inBrowser'])
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .execute();
  return new Map(rows.map(({ category, ...channels }) => [category, channels]));
}

/** Stores where the user wants the notifications of a category. */
export async function setChannels(
  tx: Tx,
  { siteId, userId }: Owner,
  category: NotificationCategory,
  { inConsole, byMail, inBrowser }: NotificationChannels,
): Promise<void> {
  const values = { in_console: inConsole, by_mail: byMail, in_browser: inBrowser };
  await tx
    .insertInto('notification_setting')
    .values({ site_id: siteId, user_id: userId, category, ...values })
    .onConflict((conflict) => conflict.columns(['site_id', 'user_id', 'category']).doUpdateSet(values))
    .execute();
}

const ROWS_PER_STEP = 5_000;

/** Deletes notifications older than `days`. @returns whether there may be more */
export async function deleteOldNotifications(db: Db, days: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from notification where notification_id in (
    select notification_id from notification where created_at < now() - make_interval(days => ${days})
    order by created_at limit ${ROWS_PER_STEP})`.execute(db);
  return numAffectedRows === BigInt(ROWS_PER_STEP);
}

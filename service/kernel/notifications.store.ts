import { sql } from 'kysely';
import type { Capability } from '../../contract/generated/types.gen.ts';
import { CAN_ACT } from './auth/callers.store.ts';
import { type Db, type Tx, withTransaction } from './db/database.ts';
import type { NotificationCategory } from './db/tables/notifications.ts';
import { queueMail } from './mail/mail.store.ts';
import { composeNotificationMail, toSingleLine } from './mail/messages.ts';

/** Where a user wants the notifications of a category. */
export interface NotificationChannels {
  inConsole: boolean;
  byMail: boolean;
  inBrowser: boolean;
}

/** What applies to users who have not chosen. */
export const DEFAULT_CHANNELS: Readonly<Record<NotificationCategory, NotificationChannels>> = {
  jobFinished: { inConsole: true, byMail: false, inBrowser: false },
  jobFailed: { inConsole: true, byMail: true, inBrowser: false },
  alert: { inConsole: true, byMail: false, inBrowser: false },
};

const MAIL_TTL_HOURS = 24;
const MAX_TITLE_LENGTH = 300;
const MAX_DETAIL_LENGTH = 1_000;

export interface NewNotification {
  siteId: number;
  userIds: readonly number[];
  category: NotificationCategory;
  title: string;
  detail: string;
  /** Page of the console, such as `/jobs/12`. */
  path: string;
  /** Whether users who have not chosen get it by mail; by default what applies to the category. */
  isMailedByDefault?: boolean;
}

interface Recipient {
  userId: number;
  email: string;
  firstName: string;
  siteName: string;
  inConsole: boolean;
  byMail: boolean;
}

/**
 * Notifies users who may act on the site, each where the user wants it, in the transaction of what happened.
 * @param publicUrl start of the link in mails; undefined for what has a mail of its own
 */
export async function notify(
  tx: Tx,
  publicUrl: string | undefined,
  {
    siteId,
    userIds,
    category,
    title: givenTitle,
    detail: givenDetail,
    path,
    isMailedByDefault,
  }: NewNotification,
): Promise<void> {
  if (userIds.length === 0) return;
  const title = toSingleLine(givenTitle, MAX_TITLE_LENGTH);
  const detail = toSingleLine(givenDetail, MAX_DETAIL_LENGTH);
  const defaults = DEFAULT_CHANNELS[category];
  const { rows } = await sql<Recipient>`
    select m.user_id as "userId", a.email, a.first_name as "firstName", site.name as "siteName",
      coalesce(s.in_console, ${defaults.inConsole}) as "inConsole", coalesce(s.by_mail, ${isMailedByDefault ?? defaults.byMail}) as "byMail"
    from membership m
    join account a on a.user_id = m.user_id
    join site on site.site_id = m.site_id
    left join notification_setting s on s.site_id = m.site_id and s.user_id = m.user_id and s.category = ${category}
    where m.site_id = ${siteId} and m.user_id = any(${[...userIds]}::int[]) and ${CAN_ACT}
    order by m.user_id`.execute(tx);
  const shown = rows.filter(({ inConsole }) => inConsole);
  if (shown.length > 0)
    await tx
      .insertInto('notification')
      .values(
        shown.map(({ userId }) => ({ site_id: siteId, user_id: userId, category, title, detail, path })),
      )
      .execute();
  if (publicUrl === undefined) return;
  for (const { email, firstName, siteName } of rows.filter(({ byMail }) => byMail))
    await queueMail(tx, {
      siteId,
      to: email,
      ttlHours: MAIL_TTL_HOURS,
      ...composeNotificationMail({ firstName, siteName, title, detail, link: `${publicUrl}${path}` }),
    });
}

/** Users of a site who may act and hold a capability, at most 100: those who decide about an alert. */
export async function listCapabilityHolders(
  db: Db,
  siteId: number,
  capability: Capability,
): Promise<number[]> {
  const { rows } = await sql<{ userId: number }>`
    select m.user_id as "userId" from membership m
    where m.site_id = ${siteId} and ${CAN_ACT} and exists (
      select from group_member gm join user_group g on g.site_id = gm.site_id and g.group_id = gm.group_id
      where gm.site_id = m.site_id and gm.user_id = m.user_id and ${capability} = any(g.capabilities))
    order by m.user_id limit 100`.execute(db);
  return rows.map(({ userId }) => userId);
}

/** Tells those who manage the settings of a site that background work failed repeatedly and waits for them. */
export async function notifyAboutParkedWork(
  db: Db,
  publicUrl: string,
  { siteId, task, reason }: { siteId: number; task: string; reason: string },
): Promise<void> {
  await withTransaction(db, {}, async (tx) =>
    notify(tx, publicUrl, {
      siteId,
      userIds: await listCapabilityHolders(tx, siteId, 'Manage Settings'),
      category: 'alert',
      title: `Background work failed five times: ${task}`,
      detail: reason,
      path: '/settings',
    }),
  );
}

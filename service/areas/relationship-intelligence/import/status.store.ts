import { sql } from 'kysely';
import type { UserSyncStatus } from '../../../../contract/generated/types.gen.ts';
import type { Db } from '../../../kernel/db/database.ts';

/** Last imports of enabled users by user id; of all, or of the named ones. */
export async function listSyncStatus(
  db: Db,
  siteId: number,
  userIds: readonly number[] | undefined,
): Promise<UserSyncStatus[]> {
  const { rows } = await sql<{
    userId: number;
    emailAddress: string;
    lastEmailSyncDate: Date | null;
    lastMeetingSyncDate: Date | null;
  }>`
    select u.user_id as "userId", a.email as "emailAddress", u.last_email_sync_at as "lastEmailSyncDate",
      u.last_meeting_sync_at as "lastMeetingSyncDate"
    from ri_user u join account a using (user_id)
    where u.site_id = ${siteId} and u.is_enabled ${userIds ? sql`and u.user_id = any(${[...userIds]}::int[])` : sql``}
    order by u.user_id`.execute(db);
  return rows.map(({ lastEmailSyncDate, lastMeetingSyncDate, ...user }) => ({
    ...user,
    lastEmailSyncDate: lastEmailSyncDate?.toISOString() ?? null,
    lastMeetingSyncDate: lastMeetingSyncDate?.toISOString() ?? null,
  }));
}

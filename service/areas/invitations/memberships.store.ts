import { type RawBuilder, sql } from 'kysely';
import { MAX_DURATION_DAYS, EXPIRY_REMINDER_DAYS } from '../../../contract/rules/people/invitations.ts';
import { NO_LICENSE, STANDARD_LICENSE } from '../../../contract/rules/people/licenses.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** The current time in milliseconds, the precision of the columns compared with it. */
const NOW = sql`now()::timestamptz(3)`;
const daysInterval = (count: number) => sql`make_interval(hours => 24 * ${count}::int)`;
/** Condition: the end is within the reminder period. */
const isWithinReminderPeriod = (end: RawBuilder<unknown>) =>
  sql`${end} <= ${NOW} + ${daysInterval(EXPIRY_REMINDER_DAYS)}`;

export interface NewMembership {
  siteId: number;
  userId: number;
  userEntryId: number | null;
  by: number | null;
  invitationId: number | null;
  /** Days until the membership ends; null for no end. */
  duration: number | null;
}

/**
 * Makes a user a member with the license of new users. Returns the end of the membership, or undefined if the user is a
 * member already. A membership that ends within the reminder period gets no reminder.
 */
export async function insertMembership(
  tx: Tx,
  member: NewMembership,
): Promise<{ endsAt: Date | null } | undefined> {
  const { rows } = await sql<{ endsAt: Date | null }>`
    insert into membership (site_id, user_id, license_type_id, user_entry_id, created_by, modified_by, invitation_id, expires_at)
    values (${member.siteId}, ${member.userId}, ${STANDARD_LICENSE}, ${member.userEntryId}, ${member.by}, ${member.by},
      ${member.invitationId}, now() + make_interval(hours => 24 * ${member.duration}::int))
    on conflict (site_id, user_id) do nothing returning expires_at as "endsAt"`.execute(tx);
  if (member.invitationId !== null)
    await sql`update invitation i set reminded_at = now() from membership m
      where m.site_id = ${member.siteId} and m.invitation_id = ${member.invitationId}
        and i.site_id = m.site_id and i.invitation_id = m.invitation_id and ${isWithinReminderPeriod(sql`m.expires_at`)}`.execute(
      tx,
    );
  return rows[0];
}

/**
 * Moves the end of the membership that came from the invitation, or reopens it, counting from its end or from now,
 * whichever is later. Returns the new end, or undefined if it would be too far in the future.
 */
export async function extendMembership(
  tx: Tx,
  siteId: number,
  invitationId: number,
  days: number,
): Promise<Date | undefined> {
  const { rows } = await sql<{ endsAt: Date }>`
    update membership m set expires_at = greatest(m.expires_at, ${NOW}) + ${daysInterval(days)},
      is_active = m.is_active or i.ended_at is not null,
      license_type_id = case when i.ended_at is null then m.license_type_id else coalesce(i.ended_license_type_id, ${STANDARD_LICENSE}) end
    from invitation i
    where m.site_id = ${siteId} and m.invitation_id = ${invitationId}
      and i.site_id = m.site_id and i.invitation_id = m.invitation_id
      and greatest(m.expires_at, ${NOW}) + ${daysInterval(days)} <= ${NOW} + ${daysInterval(MAX_DURATION_DAYS)}
    returning m.expires_at as "endsAt"`.execute(tx);
  const [row] = rows;
  if (row)
    await sql`update invitation set ended_at = null, ended_license_type_id = null,
        reminded_at = case when ${isWithinReminderPeriod(sql`${row.endsAt}::timestamptz`)} then now() end
      where site_id = ${siteId} and invitation_id = ${invitationId}`.execute(tx);
  return row?.endsAt;
}

/** Sites with memberships that have ended, or that end soon and have no reminder yet. */
export async function listSitesWithDueMemberships(db: Db): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    select distinct m.site_id from membership m left join invitation i using (site_id, invitation_id)
    where ${isWithinReminderPeriod(sql`m.expires_at`)}
      and (m.expires_at <= ${NOW} or m.is_active and i.invitation_id is not null and i.reminded_at is null)
    order by m.site_id`.execute(db);
  return rows.map((row) => row.site_id);
}

export interface EndedMembership {
  userId: number;
  endedAt: Date;
}

/**
 * Locks a batch of memberships that have ended; other processes skip the locked ones. Their invitations are locked
 * first, in the same order as an extension does, to avoid deadlocks.
 */
export async function lockEndedMemberships(
  tx: Tx,
  siteId: number,
  limit: number,
): Promise<EndedMembership[]> {
  const { rows: invitations } = await sql<{ id: number }>`
    select i.invitation_id as id from membership m join invitation i using (site_id, invitation_id)
    where m.site_id = ${siteId} and m.expires_at <= ${NOW} order by m.user_id limit ${limit} for update of i skip locked`.execute(
    tx,
  );
  const { rows } = await sql<EndedMembership>`
    select user_id as "userId", expires_at as "endedAt" from membership
    where site_id = ${siteId} and expires_at <= ${NOW}
      and (invitation_id is null or invitation_id = any(${invitations.map(({ id }) => id)}::int[]))
    order by user_id limit ${limit} for update skip locked`.execute(tx);
  return rows;
}

/**
 * Makes memberships inactive, without license and without end date, so that they do not end again when activated. The
 * invitation keeps the end and the license to restore.
 */
export async function endMemberships(tx: Tx, siteId: number, userIds: readonly number[]): Promise<void> {
  const isSelected = sql`m.site_id = ${siteId} and m.user_id = any(${[...userIds]}::int[])`;
  await sql`update invitation i set ended_at = m.expires_at, ended_license_type_id = m.license_type_id
    from membership m where ${isSelected} and i.site_id = m.site_id and i.invitation_id = m.invitation_id`.execute(
    tx,
  );
  await sql`update membership m set is_active = false, license_type_id = ${NO_LICENSE}, expires_at = null
    where ${isSelected}`.execute(tx);
}

export interface EndingMembership {
  userId: number;
  email: string;
  firstName: string;
  lastName: string;
  inviter: { email: string; firstName: string } | null;
  endsAt: Date;
}

/** Marks a batch of memberships that end soon as reminded, so that concurrent processes send each reminder once. */
export async function claimReminders(tx: Tx, siteId: number, limit: number): Promise<EndingMembership[]> {
  const { rows: claimed } = await sql<{ userId: number; endsAt: Date; invitedBy: number | null }>`
    with due as materialized (
      select i.invitation_id, m.user_id, m.expires_at from membership m join invitation i using (site_id, invitation_id)
      where m.site_id = ${siteId} and m.is_active and m.expires_at > ${NOW} and ${isWithinReminderPeriod(sql`m.expires_at`)}
        and i.reminded_at is null
      order by m.expires_at limit ${limit} for update of i skip locked)
    update invitation i set reminded_at = now() from due
    where i.site_id = ${siteId} and i.invitation_id = due.invitation_id
    returning due.user_id as "userId", due.expires_at as "endsAt", i.invited_by as "invitedBy"`.execute(tx);
  if (claimed.length === 0) return [];
  const { rows } = await sql<EndingMembership>`
    select a.user_id as "userId", a.email, a.first_name as "firstName", a.last_name as "lastName",
      case when ia.user_id is not null then json_build_object('email', ia.email, 'firstName', ia.first_name) end as inviter,
      claimed.ends_at as "endsAt"
    from unnest(${claimed.map(({ userId }) => userId)}::int[], ${claimed.map(({ endsAt }) => endsAt.toISOString())}::timestamptz[],
      ${claimed.map(({ invitedBy }) => invitedBy)}::int[]) as claimed(user_id, ends_at, invited_by)
    join account a on a.user_id = claimed.user_id
    left join membership im on im.site_id = ${siteId} and im.user_id = claimed.invited_by and im.is_active
    left join account ia on ia.user_id = im.user_id
    order by a.user_id`.execute(tx);
  return rows;
}

import { type RawBuilder, sql } from 'kysely';
import { MOST_DAYS, REMINDER_DAYS } from '../../../contract/rules/invitations.ts';
import { NO_LICENSE, STANDARD_LICENSE } from '../../../contract/rules/licenses.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Columns of time round to milliseconds, and so does what they are held against (store.ts). */
const NOW = sql`now()::timestamptz(3)`;
const days = (count: number) => sql`make_interval(hours => 24 * ${count}::int)`;
/** Who has an end that is no further away than the reminder is reminded now or never. */
const isNear = (end: RawBuilder<unknown>) => sql`${end} <= ${NOW} + ${days(REMINDER_DAYS)}`;

export interface NewMember {
  siteId: number;
  userId: number;
  userEntryId: number | null;
  by: number | null;
  invitationId: number | null;
  /** Days until the membership ends by itself, from now; null: never. */
  duration: number | null;
}

/**
 * Makes somebody with an account a member of the site, with the license that a new user has. Returns when the
 * membership ends; undefined when they are a member already.
 */
export async function insertMember(tx: Tx, member: NewMember): Promise<{ endsAt: Date | null } | undefined> {
  const { rows } = await sql<{ endsAt: Date | null }>`
    insert into membership (site_id, user_id, license_type_id, user_entry_id, created_by, modified_by, invitation_id, expires_at)
    values (${member.siteId}, ${member.userId}, ${STANDARD_LICENSE}, ${member.userEntryId}, ${member.by}, ${member.by},
      ${member.invitationId}, now() + make_interval(hours => 24 * ${member.duration}::int))
    on conflict (site_id, user_id) do nothing returning expires_at as "endsAt"`.execute(tx);
  if (member.invitationId !== null)
    await sql`update invitation i set reminded_at = now() from membership m
      where m.site_id = ${member.siteId} and m.invitation_id = ${member.invitationId}
        and i.site_id = m.site_id and i.invitation_id = m.invitation_id and ${isNear(sql`m.expires_at`)}`.execute(
      tx,
    );
  return rows[0];
}

/**
 * Moves the end of the membership that came of an invitation, or opens it again, so many days from the end that it has
 * or had, whichever is later than now. Returns the new end; undefined when it would be too far away.
 */
export async function extendMember(
  tx: Tx,
  siteId: number,
  invitationId: number,
  more: number,
): Promise<Date | undefined> {
  const { rows } = await sql<{ endsAt: Date }>`
    update membership m set expires_at = greatest(m.expires_at, ${NOW}) + ${days(more)},
      is_active = m.is_active or i.ended_at is not null,
      license_type_id = case when i.ended_at is null then m.license_type_id else coalesce(i.ended_license_type_id, ${STANDARD_LICENSE}) end
    from invitation i
    where m.site_id = ${siteId} and m.invitation_id = ${invitationId}
      and i.site_id = m.site_id and i.invitation_id = m.invitation_id
      and greatest(m.expires_at, ${NOW}) + ${days(more)} <= ${NOW} + ${days(MOST_DAYS)}
    returning m.expires_at as "endsAt"`.execute(tx);
  const [row] = rows;
  if (row)
    await sql`update invitation set ended_at = null, ended_license_type_id = null,
        reminded_at = case when ${isNear(sql`${row.endsAt}::timestamptz`)} then now() end
      where site_id = ${siteId} and invitation_id = ${invitationId}`.execute(tx);
  return row?.endsAt;
}

/** Sites on which memberships are over, or nearly over and nobody has been told. */
export async function sitesWithEnds(db: Db): Promise<number[]> {
  const { rows } = await sql<{ site_id: number }>`
    select distinct m.site_id from membership m left join invitation i using (site_id, invitation_id)
    where ${isNear(sql`m.expires_at`)}
      and (m.expires_at <= ${NOW} or m.is_active and i.invitation_id is not null and i.reminded_at is null)
    order by m.site_id`.execute(db);
  return rows.map((row) => row.site_id);
}

export interface Ended {
  userId: number;
  endedAt: Date;
}

/**
 * Some memberships whose end has come, held until the transaction ends; another process takes others. Their invitations
 * first, as whoever gives more days holds them: nobody waits crosswise.
 */
export async function lockEnded(tx: Tx, siteId: number, most: number): Promise<Ended[]> {
  const { rows: held } = await sql<{ id: number }>`
    select i.invitation_id as id from membership m join invitation i using (site_id, invitation_id)
    where m.site_id = ${siteId} and m.expires_at <= ${NOW} order by m.user_id limit ${most} for update of i skip locked`.execute(
    tx,
  );
  const { rows } = await sql<Ended>`
    select user_id as "userId", expires_at as "endedAt" from membership
    where site_id = ${siteId} and expires_at <= ${NOW}
      and (invitation_id is null or invitation_id = any(${held.map(({ id }) => id)}::int[]))
    order by user_id limit ${most} for update skip locked`.execute(tx);
  return rows;
}

/**
 * Makes these memberships ordinary inactive ones without a license: no end is left on them that would end them again
 * once somebody activates them. The invitation remembers when it was and what to give back.
 */
export async function endMembers(tx: Tx, siteId: number, userIds: readonly number[]): Promise<void> {
  const theirs = sql`m.site_id = ${siteId} and m.user_id = any(${[...userIds]}::int[])`;
  await sql`update invitation i set ended_at = m.expires_at, ended_license_type_id = m.license_type_id
    from membership m where ${theirs} and i.site_id = m.site_id and i.invitation_id = m.invitation_id`.execute(
    tx,
  );
  await sql`update membership m set is_active = false, license_type_id = ${NO_LICENSE}, expires_at = null
    where ${theirs}`.execute(tx);
}

export interface Ending {
  userId: number;
  email: string;
  firstName: string;
  lastName: string;
  inviter: { email: string; firstName: string } | null;
  endsAt: Date;
}

/** Claims some memberships that end soon and of which nobody has been told: of two processes one tells. */
export async function claimEnding(tx: Tx, siteId: number, most: number): Promise<Ending[]> {
  const { rows } = await sql<Ending>`
    with due as materialized (
      select i.invitation_id, m.user_id, m.expires_at from membership m join invitation i using (site_id, invitation_id)
      where m.site_id = ${siteId} and m.is_active and m.expires_at > ${NOW} and ${isNear(sql`m.expires_at`)}
        and i.reminded_at is null
      order by m.expires_at limit ${most} for update of i skip locked),
    claimed as (
      update invitation i set reminded_at = now() from due
      where i.site_id = ${siteId} and i.invitation_id = due.invitation_id
      returning due.user_id, due.expires_at, i.invited_by)
    select a.user_id as "userId", a.email, a.first_name as "firstName", a.last_name as "lastName",
      case when ia.user_id is not null then json_build_object('email', ia.email, 'firstName', ia.first_name) end as inviter,
      claimed.expires_at as "endsAt"
    from claimed join account a on a.user_id = claimed.user_id
    left join membership im on im.site_id = ${siteId} and im.user_id = claimed.invited_by and im.is_active
    left join account ia on ia.user_id = im.user_id
    order by a.user_id`.execute(tx);
  return rows;
}

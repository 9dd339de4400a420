import { type RawBuilder, sql } from 'kysely';
import type { InvitationStatus } from '../../../contract/generated/types.gen.ts';
import { LINK_DAYS, MOST_DAYS } from '../../../contract/rules/invitations.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';

/** Columns of time round to milliseconds: what they are held against is rounded alike, so that an end is over at once. */
const NOW = sql`now()::timestamptz(3)`;
const OPEN = sql<boolean>`i.accepted_at is null and i.revoked_at is null`;
/** Neither accepted nor revoked nor over; `i` is the invitation. */
export const PENDING = sql<boolean>`${OPEN} and i.expires_at > ${NOW}`;
/** The moment so many days after another; days of 24 hours, whatever zone somebody lives in. */
const after = (moment: RawBuilder<unknown>, days: number) =>
  sql<Date>`${moment} + make_interval(hours => 24 * ${days}::int)`;

/** What each state asks of the times; one of them holds for every invitation. */
const STATES: Readonly<Record<InvitationStatus, RawBuilder<unknown>>> = {
  pending: PENDING,
  expired: sql`${OPEN} and i.expires_at <= ${NOW}`,
  accepted: sql`i.accepted_at is not null`,
  revoked: sql`i.revoked_at is not null`,
};
const STATUS = sql<InvitationStatus>`case when i.accepted_at is not null then 'accepted'
  when i.revoked_at is not null then 'revoked' when i.expires_at > ${NOW} then 'pending' else 'expired' end`;

/** An invitation as the site sees it. */
export interface StoredInvitation {
  id: number;
  /** The person's account; the site learns it from the acceptance. */
  accountId: number;
  email: string;
  type: number;
  duration: number | null;
  groups: number[];
  status: InvitationStatus;
  invitedBy: number | null;
  invitedByName: string | null;
  createdDate: Date;
  expiresDate: Date;
  acceptedDate: Date | null;
  revokedDate: Date | null;
  /** The end of the membership that came of it; of one that has ended, when it did; null once somebody activated it. */
  membershipExpiresDate: Date | null;
  /** Whether that membership still is there, whether or not it has ended. */
  isMember: boolean;
}

/** Whoever invited is named while a member of the site. */
const INVITER = sql`left join membership im on im.site_id = i.site_id and im.user_id = i.invited_by
  left join account ia on ia.user_id = im.user_id`;
const INVITER_NAME = sql<string | null>`ia.first_name || ' ' || ia.last_name`;

const readPicked = (siteId: number, picked: RawBuilder<unknown>) => sql<StoredInvitation>`
  with picked as materialized (${picked})
  select i.invitation_id as id, i.user_id as "accountId", i.email, i.type, i.duration_days as duration,
    i.group_ids as groups, ${STATUS} as status, i.invited_by as "invitedBy", ${INVITER_NAME} as "invitedByName",
    i.created_at as "createdDate", i.expires_at as "expiresDate", i.accepted_at as "acceptedDate",
    i.revoked_at as "revokedDate", coalesce(m.expires_at, case when m.is_active is not true then i.ended_at end) as "membershipExpiresDate",
    m.user_id is not null as "isMember"
  from picked join invitation i on i.site_id = ${siteId} and i.invitation_id = picked.invitation_id
  left join membership m on m.site_id = i.site_id and m.invitation_id = i.invitation_id ${INVITER}
  order by i.invitation_id desc`;

/** A page of invitations, newest first. All of a state are found for every page, so that none costs more than another. */
export async function listInvitations(
  db: Db,
  siteId: number,
  status: InvitationStatus | undefined,
  page: Page,
): Promise<StoredInvitation[]> {
  const picked = sql`with found as materialized (select i.invitation_id from invitation i
      where i.site_id = ${siteId} ${status ? sql`and ${STATES[status]}` : sql``})
    select invitation_id from found order by invitation_id desc limit ${page.limit} offset ${page.offset}`;
  return (await readPicked(siteId, picked).execute(db)).rows;
}

export async function getInvitation(
  db: Db,
  siteId: number,
  id: number,
): Promise<StoredInvitation | undefined> {
  return (await readPicked(siteId, sql`select ${id}::int as invitation_id`).execute(db)).rows[0];
}

/**
 * The invitation, held until the transaction ends, and its person's account before it, as by everybody who invites or
 * adds that person: of two who do so at once the second sees what the first did.
 */
export async function lockInvitation(
  tx: Tx,
  siteId: number,
  id: number,
): Promise<StoredInvitation | undefined> {
  const found = await getInvitation(tx, siteId, id);
  if (!found) return undefined;
  await lockAccount(tx, found.accountId);
  await sql`select 1 from invitation where site_id = ${siteId} and invitation_id = ${id} for update`.execute(
    tx,
  );
  return getInvitation(tx, siteId, id);
}

/** Holds the account until the transaction ends. */
export async function lockAccount(tx: Tx, userId: number): Promise<void> {
  await sql`select 1 from account where user_id = ${userId} for no key update`.execute(tx);
}

export interface Person {
  userId: number;
  email: string;
  firstName: string;
  lastName: string;
}

/** Who has this address on the platform, held until the transaction ends. */
export async function lockPerson(tx: Tx, emailKey: string): Promise<Person | undefined> {
  const { rows } = await sql<Person>`
    select user_id as "userId", email, first_name as "firstName", last_name as "lastName" from account
    where email_key = ${emailKey} for no key update`.execute(tx);
  return rows[0];
}

export async function getPerson(tx: Tx, userId: number): Promise<Person> {
  const { rows } = await sql<Person>`
    select user_id as "userId", email, first_name as "firstName", last_name as "lastName" from account
    where user_id = ${userId}`.execute(tx);
  const [person] = rows;
  if (!person) throw new Error('An invited person has an account');
  return person;
}

/** What the person is to the site: a member, active or not, or somebody whose invitation waits. */
export async function standingOf(
  tx: Tx,
  siteId: number,
  userId: number,
): Promise<{ isActive: boolean | null; pendingId: number | null }> {
  const { rows } = await sql<{ isActive: boolean | null; pendingId: number | null }>`
    select (select is_active from membership where site_id = ${siteId} and user_id = ${userId}) as "isActive",
      (select max(i.invitation_id) from invitation i where i.site_id = ${siteId} and i.user_id = ${userId} and ${PENDING}) as "pendingId"`.execute(
    tx,
  );
  return rows[0] ?? { isActive: null, pendingId: null };
}

export interface NewInvitation {
  siteId: number;
  userId: number;
  email: string;
  emailKey: string;
  type: number;
  duration: number | null;
  groups: readonly number[];
  userEntryId: number | null;
  invitedBy: number;
  tokenHash: Buffer;
}

export async function insertInvitation(tx: Tx, made: NewInvitation): Promise<number> {
  const row = await tx
    .insertInto('invitation')
    .values({
      site_id: made.siteId,
      user_id: made.userId,
      email: made.email,
      email_key: made.emailKey,
      type: made.type,
      duration_days: made.duration,
      group_ids: [...made.groups],
      user_entry_id: made.userEntryId,
      invited_by: made.invitedBy,
      token_hash: made.tokenHash,
      expires_at: after(sql`now()`, LINK_DAYS),
    })
    .returning('invitation_id')
    .executeTakeFirstOrThrow();
  return row.invitation_id;
}

/**
 * Gives an open invitation a new link, which holds from now on; it goes to the address that the account has now, and
 * whoever sends it is who invites.
 */
export async function renewLink(
  tx: Tx,
  { siteId, id, by, tokenHash }: { siteId: number; id: number; by: number; tokenHash: Buffer },
): Promise<void> {
  await sql`update invitation i set token_hash = ${tokenHash}, expires_at = ${after(sql`now()`, LINK_DAYS)},
      email_key = a.email_key, invited_by = ${by}
    from account a where i.site_id = ${siteId} and i.invitation_id = ${id} and a.user_id = i.user_id`.execute(
    tx,
  );
}

/** Ends a pending invitation; false when it was none any more. */
export async function revoke(tx: Tx, siteId: number, id: number): Promise<boolean> {
  const { rows } = await sql`update invitation i set revoked_at = now()
    where i.site_id = ${siteId} and i.invitation_id = ${id} and ${PENDING} returning 1`.execute(tx);
  return rows.length > 0;
}

/** Lets the link of a pending invitation hold so many days longer; false when it would hold for too long. */
export async function extendLink(tx: Tx, siteId: number, id: number, days: number): Promise<boolean> {
  const { rows } = await sql`update invitation i set expires_at = ${after(sql`i.expires_at`, days)}
    where i.site_id = ${siteId} and i.invitation_id = ${id}
      and ${after(sql`i.expires_at`, days)} <= ${after(NOW, MOST_DAYS)} returning 1`.execute(tx);
  return rows.length > 0;
}

/** What the link of an invitation opens. */
export interface Received extends Person {
  id: number;
  siteId: number;
  type: number;
  duration: number | null;
  groups: number[];
  userEntryId: number | null;
  invitedBy: number | null;
  inviter: { email: string; firstName: string; name: string } | null;
  expiresDate: Date;
}

/** The pending invitation of this link, while the person still has the address that it was sent to. */
export async function findReceived(db: Db, tokenHash: Buffer, lock = false): Promise<Received | undefined> {
  const { rows } = await sql<Received>`
    select i.invitation_id as id, i.site_id as "siteId", i.type, i.duration_days as duration, i.group_ids as groups,
      i.user_entry_id as "userEntryId", i.invited_by as "invitedBy", i.expires_at as "expiresDate",
      a.user_id as "userId", a.email, a.first_name as "firstName", a.last_name as "lastName",
      case when ia.user_id is not null
        then json_build_object('email', ia.email, 'firstName', ia.first_name, 'name', ${INVITER_NAME}) end as inviter
    from invitation i join account a on a.user_id = i.user_id and a.email_key = i.email_key ${INVITER}
    where i.token_hash = ${tokenHash} and ${PENDING} ${lock ? sql`for update of i` : sql``}`.execute(db);
  return rows[0];
}

/** Marks an invitation as accepted. */
export async function markAccepted(tx: Tx, siteId: number, id: number): Promise<void> {
  await sql`update invitation set accepted_at = now() where site_id = ${siteId} and invitation_id = ${id}`.execute(
    tx,
  );
}

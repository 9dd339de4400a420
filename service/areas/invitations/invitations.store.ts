import { type RawBuilder, sql } from 'kysely';
import type { InvitationStatus } from '../../../contract/generated/types.gen.ts';
import { INVITATION_TTL_DAYS, MAX_DURATION_DAYS } from '../../../contract/rules/people/invitations.ts';
import { buildCanAct } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import type { ItemLabels } from '../../kernel/jobs/item-labels.store.ts';
import { lockAccounts } from '../members/index.ts';

/**
 * The current time in milliseconds, the precision of the columns compared with it, so that an end takes effect at once.
 */
const NOW = sql`now()::timestamptz(3)`;
const IS_OPEN = sql<boolean>`i.accepted_at is null and i.revoked_at is null`;
/** Condition: the invitation `i` is neither accepted, revoked nor expired. */
const IS_PENDING = sql<boolean>`${IS_OPEN} and i.expires_at > ${NOW}`;
/** The moment a number of days later. A day has 24 hours, independent of time zones. */
const addDays = (moment: RawBuilder<unknown>, days: number) =>
  sql<Date>`${moment} + make_interval(hours => 24 * ${days}::int)`;

/** Condition of each status; exactly one is true for every invitation. */
const STATUS_CONDITIONS: Readonly<Record<InvitationStatus, RawBuilder<unknown>>> = {
  pending: IS_PENDING,
  expired: sql`${IS_OPEN} and i.expires_at <= ${NOW}`,
  accepted: sql`i.accepted_at is not null`,
  revoked: sql`i.revoked_at is not null`,
};
const STATUS = sql<InvitationStatus>`case when i.accepted_at is not null then 'accepted'
  when i.revoked_at is not null then 'revoked' when i.expires_at > ${NOW} then 'pending' else 'expired' end`;

/** An invitation with its status and the membership that came from it. */
export interface StoredInvitation {
  id: number;
  /** Account of the invited user; disclosed to the site only after acceptance. */
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
  /**
   * End of the membership that came from the invitation, also after it has ended; null if it has no end or was
   * activated again.
   */
  membershipExpiresDate: Date | null;
  /** Whether that membership exists, active or not. */
  isMember: boolean;
}

/** The inviter is named only while a member of the site. */
const INVITER = sql`left join membership im on im.site_id = i.site_id and im.user_id = i.invited_by
  left join account ia on ia.user_id = im.user_id`;
const INVITER_NAME = sql<string | null>`ia.first_name || ' ' || ia.last_name`;

const selectInvitations = (siteId: number, invitationIds: RawBuilder<unknown>) => sql<StoredInvitation>`
  with picked as materialized (${invitationIds})
  select i.invitation_id as id, i.user_id as "accountId", i.email, i.type, i.duration_days as duration,
    i.group_ids as groups, ${STATUS} as status, i.invited_by as "invitedBy", ${INVITER_NAME} as "invitedByName",
    i.created_at as "createdDate", i.expires_at as "expiresDate", i.accepted_at as "acceptedDate",
    i.revoked_at as "revokedDate", coalesce(m.expires_at, case when m.is_active is not true then i.ended_at end) as "membershipExpiresDate",
    m.user_id is not null as "isMember"
  from picked join invitation i on i.site_id = ${siteId} and i.invitation_id = picked.invitation_id
  left join membership m on m.site_id = i.site_id and m.invitation_id = i.invitation_id ${INVITER}
  order by i.invitation_id desc`;

export interface InvitationFilter {
  status?: InvitationStatus | undefined;
  /** Only invitations whose temporary membership lasts now and ends within this many days. */
  endingWithinDays?: number | undefined;
}

/** Condition: the temporary membership that came from the invitation `i` ends within a number of days. */
const endsWithin = (days: number) => sql`exists (select from membership e where e.site_id = i.site_id
  and e.invitation_id = i.invitation_id and e.expires_at > ${NOW} and e.expires_at <= ${addDays(NOW, days)})`;

/**
 * A page of invitations, newest first. All invitations of the filter are found for every page, so that all pages cost
 * the same.
 */
export async function listInvitations(
  db: Db,
  siteId: number,
  { status, endingWithinDays }: InvitationFilter,
  page: Page,
): Promise<StoredInvitation[]> {
  const invitationIds = sql`with found as materialized (select i.invitation_id from invitation i
      where i.site_id = ${siteId} ${status ? sql`and ${STATUS_CONDITIONS[status]}` : sql``}
        ${endingWithinDays === undefined ? sql`` : sql`and ${endsWithin(endingWithinDays)}`})
    select invitation_id from found order by invitation_id desc limit ${page.limit} offset ${page.offset}`;
  return (await selectInvitations(siteId, invitationIds).execute(db)).rows;
}

export async function getInvitation(
  db: Db,
  siteId: number,
  id: number,
): Promise<StoredInvitation | undefined> {
  return (await selectInvitations(siteId, sql`select ${id}::int as invitation_id`).execute(db)).rows[0];
}

/**
 * Locks an invitation until the transaction ends, after the account of the invited user, in the same order as inviting
 * and adding do. Of concurrent transactions the second sees the result of the first.
 */
export async function lockInvitation(
  tx: Tx,
  siteId: number,
  id: number,
): Promise<StoredInvitation | undefined> {
  const found = await getInvitation(tx, siteId, id);
  if (!found) return undefined;
  await lockAccounts(tx, [found.accountId]);
  await tx
    .selectFrom('invitation')
    .select('invitation_id')
    .where('site_id', '=', siteId)
    .where('invitation_id', '=', id)
    .forUpdate()
    .execute();
  return getInvitation(tx, siteId, id);
}

/**
 * Locks the accounts of these addresses and invitations until the transaction ends, in one order for all transactions. A
 * batch locks them before it changes them one by one.
 */
export async function lockInvitees(
  tx: Tx,
  siteId: number,
  { emails, invitationIds }: { emails: readonly string[]; invitationIds: readonly number[] },
): Promise<void> {
  const keys = emails.map((email) => normalizeEmail(email).key);
  await sql`select 1 from account where email_key = any(${keys}::text[]) or user_id in (
      select user_id from invitation where site_id = ${siteId} and invitation_id = any(${[...invitationIds]}::int[]))
    order by user_id for no key update`.execute(tx);
}

/** Items of a job that invites people: the address and what is requested for it. */
export const INVITEE_LABELS: ItemLabels = {
  label: sql`coalesce(item.value ->> 'email', i.email)`,
  detail: sql`case item.value ->> 'action' when 'invite' then 'Invite' when 'add' then 'Add without confirmation' else 'Send again' end`,
  join: (siteId) => sql`left join invitation i on i.site_id = ${siteId}
    and i.invitation_id = (item.value ->> 'invitationId')::int`,
};

/** Items of a job that changes invitations: the address and, after acceptance, the name of the user. */
export const INVITATION_LABELS: ItemLabels = {
  label: sql`i.email`,
  detail: sql`a.first_name || ' ' || a.last_name`,
  join: (siteId) => sql`left join invitation i on i.site_id = ${siteId}
      and i.invitation_id = (item.value ->> 'invitationId')::int
    left join membership m on m.site_id = i.site_id and m.invitation_id = i.invitation_id
    left join account a on a.user_id = m.user_id`,
};

export interface Account {
  userId: number;
  email: string;
  firstName: string;
  lastName: string;
}

const ACCOUNT_COLUMNS = [
  'user_id as userId',
  'email',
  'first_name as firstName',
  'last_name as lastName',
] as const;

/** Finds an account by e-mail address and locks it until the transaction ends. */
export async function lockAccountByEmail(tx: Tx, emailKey: string): Promise<Account | undefined> {
  return tx
    .selectFrom('account')
    .select(ACCOUNT_COLUMNS)
    .where('email_key', '=', emailKey)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

export async function getAccount(tx: Tx, userId: number): Promise<Account> {
  return tx
    .selectFrom('account')
    .select(ACCOUNT_COLUMNS)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow();
}

/** The relation of an account to the site: membership (active, inactive or none) and pending invitation. */
export async function getMembershipState(
  tx: Tx,
  siteId: number,
  userId: number,
): Promise<{ isActive: boolean | null; pendingId: number | null }> {
  const { rows } = await sql<{ isActive: boolean | null; pendingId: number | null }>`
    select (select is_active from membership where site_id = ${siteId} and user_id = ${userId}) as "isActive",
      (select max(i.invitation_id) from invitation i where i.site_id = ${siteId} and i.user_id = ${userId} and ${IS_PENDING}) as "pendingId"`.execute(
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

export async function insertInvitation(tx: Tx, invitation: NewInvitation): Promise<number> {
  const row = await tx
    .insertInto('invitation')
    .values({
      site_id: invitation.siteId,
      user_id: invitation.userId,
      email: invitation.email,
      email_key: invitation.emailKey,
      type: invitation.type,
      duration_days: invitation.duration,
      group_ids: [...invitation.groups],
      user_entry_id: invitation.userEntryId,
      invited_by: invitation.invitedBy,
      token_hash: invitation.tokenHash,
      expires_at: addDays(sql`now()`, INVITATION_TTL_DAYS),
    })
    .returning('invitation_id')
    .executeTakeFirstOrThrow();
  return row.invitation_id;
}

/**
 * Gives an open invitation a new link, valid from now on and bound to the account's present e-mail address. The sender
 * becomes the inviter.
 */
export async function renewLink(
  tx: Tx,
  { siteId, id, by, tokenHash }: { siteId: number; id: number; by: number; tokenHash: Buffer },
): Promise<void> {
  await sql`update invitation i set token_hash = ${tokenHash}, expires_at = ${addDays(sql`now()`, INVITATION_TTL_DAYS)},
      email_key = a.email_key, invited_by = ${by}
    from account a where i.site_id = ${siteId} and i.invitation_id = ${id} and a.user_id = i.user_id`.execute(
    tx,
  );
}

/** Revokes a pending invitation. Returns false if it was not pending. */
export async function revokeInvitation(tx: Tx, siteId: number, id: number): Promise<boolean> {
  const { rows } = await sql`update invitation i set revoked_at = now()
    where i.site_id = ${siteId} and i.invitation_id = ${id} and ${IS_PENDING} returning 1`.execute(tx);
  return rows.length > 0;
}

/** Deletes an invitation; the membership that came from it stays. */
export async function deleteInvitation(tx: Tx, siteId: number, id: number): Promise<void> {
  await tx
    .updateTable('membership')
    .set({ invitation_id: null })
    .where('site_id', '=', siteId)
    .where('invitation_id', '=', id)
    .execute();
  await tx.deleteFrom('invitation').where('site_id', '=', siteId).where('invitation_id', '=', id).execute();
}

/** Extends the validity of the link of a pending invitation. Returns false if it would end too far in the future. */
export async function extendLink(tx: Tx, siteId: number, id: number, days: number): Promise<boolean> {
  const { rows } = await sql`update invitation i set expires_at = ${addDays(sql`i.expires_at`, days)}
    where i.site_id = ${siteId} and i.invitation_id = ${id}
      and ${addDays(sql`i.expires_at`, days)} <= ${addDays(NOW, MAX_DURATION_DAYS)} returning 1`.execute(tx);
  return rows.length > 0;
}

/** A pending invitation with its recipient, found by the token of its link. */
export interface PendingInvitation extends Account {
  id: number;
  siteId: number;
  type: number;
  duration: number | null;
  groups: number[];
  userEntryId: number | null;
  invitedBy: number | null;
  inviter: { email: string; firstName: string; name: string } | null;
  inviterMayAct: boolean;
  expiresDate: Date;
}

/** Finds the pending invitation of a link, provided that the account still has the address to which it was sent. */
export async function findPendingInvitation(
  db: Db,
  tokenHash: Buffer,
  lock = false,
): Promise<PendingInvitation | undefined> {
  const { rows } = await sql<PendingInvitation>`
    select i.invitation_id as id, i.site_id as "siteId", i.type, i.duration_days as duration, i.group_ids as groups,
      i.user_entry_id as "userEntryId", i.invited_by as "invitedBy", i.expires_at as "expiresDate",
      a.user_id as "userId", a.email, a.first_name as "firstName", a.last_name as "lastName",
      case when ia.user_id is not null
        then json_build_object('email', ia.email, 'firstName', ia.first_name, 'name', ${INVITER_NAME}) end as inviter,
      im.user_id is not null and ${buildCanAct('im')} as "inviterMayAct"
    from invitation i join account a on a.user_id = i.user_id and a.email_key = i.email_key ${INVITER}
    where i.token_hash = ${tokenHash} and ${IS_PENDING} ${lock ? sql`for update of i` : sql``}`.execute(db);
  return rows[0];
}

export async function markAccepted(tx: Tx, siteId: number, id: number): Promise<void> {
  await tx
    .updateTable('invitation')
    .set({ accepted_at: sql<Date>`now()` })
    .where('site_id', '=', siteId)
    .where('invitation_id', '=', id)
    .execute();
}

/** An account as a site sees it before inviting. */
export interface Invitee {
  userId: number;
  /** Whether the membership on this site is active; null if there is none. */
  isActive: boolean | null;
  pendingId: number | null;
}

/** Finds the accounts with these addresses in one statement; addresses without an account are absent. */
export async function findInvitees(
  db: Db,
  siteId: number,
  keys: readonly string[],
): Promise<Map<string, Invitee>> {
  const { rows } = await sql<Invitee & { key: string }>`
    select a.email_key as key, a.user_id as "userId", m.is_active as "isActive",
      (select max(i.invitation_id) from invitation i where i.site_id = ${siteId} and i.user_id = a.user_id
        and ${IS_PENDING}) as "pendingId"
    from account a left join membership m on m.site_id = ${siteId} and m.user_id = a.user_id
    where a.email_key = any(${[...keys]}::text[])`.execute(db);
  return new Map(rows.map(({ key, ...invitee }) => [key, invitee]));
}

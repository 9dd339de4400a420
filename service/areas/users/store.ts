import { sql } from 'kysely';
import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { dbErrorOf } from '../../kernel/db/errors.ts';
import type { Owner } from './rules.ts';

/** A user as the interface shows it, with the version that its entity tag and If-Match name. */
export interface StoredUser extends UserInfoResponse {
  version: number;
  homeSiteId: number;
}

interface UserRow {
  id: number;
  email: string;
  first_name: string;
  last_name: string;
  is_active: boolean;
  is_locked: boolean;
  groups: number[];
  created_at: Date;
  modified_at: Date;
  created_by: number | null;
  modified_by: number | null;
  federation_id: string | null;
  two_factor_enabled: boolean;
  ip_restrictions_enabled: boolean;
  user_entry_id: number | null;
  version: number;
  home_site_id: number;
}

const toUser = (row: UserRow): StoredUser => ({
  id: row.id,
  email: row.email,
  firstName: row.first_name,
  lastName: row.last_name,
  isActive: row.is_active,
  isLocked: row.is_locked,
  groups: row.groups,
  createdDate: row.created_at.toISOString(),
  modifiedDate: row.modified_at.toISOString(),
  createdBy: row.created_by,
  modifiedBy: row.modified_by,
  federationId: row.federation_id,
  twoFactorEnabled: row.two_factor_enabled,
  ipRestrictionsEnabled: row.ip_restrictions_enabled,
  userEntryId: row.user_entry_id,
  version: row.version,
  homeSiteId: row.home_site_id,
});

/** One select for every way of reading users: `picked` is a list of (site_id, user_id) in the order of the answer. */
const readPicked = (picked: ReturnType<typeof sql>) => sql<UserRow>`
  with picked as materialized (${picked})
  select m.user_id as id, a.email, a.first_name, a.last_name, m.is_active,
         coalesce(a.locked_until > now(), false) as is_locked,
         coalesce((select array_agg(gm.group_id order by gm.group_id) from group_member gm
                   where gm.site_id = m.site_id and gm.user_id = m.user_id), '{}') as groups,
         m.created_at, m.modified_at, m.created_by, m.modified_by, a.federation_id, m.two_factor_enabled,
         m.ip_restrictions_enabled, m.user_entry_id, m.version, a.home_site_id
  from picked join membership m using (site_id, user_id) join account a on a.user_id = m.user_id
  order by m.user_id`;

export interface UserFilter {
  modifiedSince: Date | undefined;
  emailKey: string | undefined;
  groupId: number | undefined;
  offset: number;
  limit: number;
}

/** A page of users in the order of their ids; the page is picked on the index alone, its rows joined afterwards. */
export async function listUsers(db: Db, siteId: number, filter: UserFilter): Promise<StoredUser[]> {
  const { modifiedSince, emailKey, groupId } = filter;
  const picked = sql`
    select m.site_id, m.user_id from membership m
    where m.site_id = ${siteId}
      ${modifiedSince ? sql`and m.modified_at >= ${modifiedSince}` : sql``}
      ${emailKey === undefined ? sql`` : sql`and m.user_id = (select user_id from account where email_key = ${emailKey})`}
      ${groupId === undefined ? sql`` : sql`and exists (select 1 from group_member gm where gm.site_id = m.site_id and gm.group_id = ${groupId} and gm.user_id = m.user_id)`}
    order by m.user_id limit ${filter.limit} offset ${filter.offset}`;
  const { rows } = await readPicked(picked).execute(db);
  return rows.map(toUser);
}

/** The users with these ids; ids of nobody on this site are left out, repeated ones count once. */
export async function getUsers(db: Db, siteId: number, ids: readonly number[]): Promise<StoredUser[]> {
  const picked = sql`select site_id, user_id from membership where site_id = ${siteId} and user_id = any(${[...ids]}::int[])`;
  const { rows } = await readPicked(picked).execute(db);
  return rows.map(toUser);
}

/** One user, its membership row locked until the transaction ends: two edits of one user wait for each other. */
export async function lockUser(tx: Tx, siteId: number, userId: number): Promise<StoredUser | undefined> {
  await sql`select 1 from membership where site_id = ${siteId} and user_id = ${userId} for update`.execute(
    tx,
  );
  const [user] = await getUsers(tx, siteId, [userId]);
  return user;
}

export interface NewAccount {
  email: string;
  emailKey: string;
  firstName: string;
  lastName: string;
  passwordHash: string | null;
  federationId: string | null;
}

/** Makes the account; undefined when the platform knows the address. */
export async function insertAccount(
  tx: Tx,
  siteId: number,
  account: NewAccount,
): Promise<number | undefined> {
  const row = await tx
    .insertInto('account')
    .values({
      email: account.email,
      email_key: account.emailKey,
      first_name: account.firstName,
      last_name: account.lastName,
      password_hash: account.passwordHash,
      federation_id: account.federationId,
      home_site_id: siteId,
    })
    .onConflict((on) => on.column('email_key').doNothing())
    .returning('user_id')
    .executeTakeFirst();
  return row?.user_id;
}

/** Whose the address is, seen from this site; undefined when nobody has it. */
export async function findOwner(db: Db, siteId: number, emailKey: string): Promise<Owner | undefined> {
  const { rows } = await sql<Owner>`
    select a.user_id as "userId",
      exists (select 1 from membership m where m.user_id = a.user_id and m.site_id = ${siteId}) as "isHere",
      exists (select 1 from membership m where m.user_id = a.user_id and m.site_id <> ${siteId}) as "isElsewhere"
    from account a where a.email_key = ${emailKey}`.execute(db);
  return rows[0];
}

/** Whether the account opens with a password; without one its owner has yet to choose the first. */
export async function hasPassword(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('account')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('password_hash', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

export interface MembershipFields {
  isActive?: boolean | undefined;
  twoFactorEnabled?: boolean | undefined;
  ipRestrictionsEnabled?: boolean | undefined;
}

/** Makes the user a member of the site, with the license that a new user has. */
export async function insertMembership(
  tx: Tx,
  siteId: number,
  userId: number,
  by: number | null,
  licenseTypeId: number,
  fields: MembershipFields,
): Promise<void> {
  await tx
    .insertInto('membership')
    .values({
      site_id: siteId,
      user_id: userId,
      license_type_id: licenseTypeId,
      is_active: fields.isActive ?? true,
      two_factor_enabled: fields.twoFactorEnabled ?? false,
      ip_restrictions_enabled: fields.ipRestrictionsEnabled ?? false,
      user_entry_id: null,
      created_by: by,
      modified_by: by,
    })
    .execute();
}

/** Whether the user is a member of another site too. */
export async function belongsElsewhere(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('membership')
    .select('site_id')
    .where('user_id', '=', userId)
    .where('site_id', '!=', siteId)
    .executeTakeFirst();
  return row !== undefined;
}

export interface AccountFields {
  email?: string | undefined;
  emailKey?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  federationId?: string | null | undefined;
}

/** Changes the account; undefined values keep. False when another account has the address. */
export async function updateAccount(tx: Tx, userId: number, fields: AccountFields): Promise<boolean> {
  try {
    await tx
      .updateTable('account')
      .set({
        email: fields.email,
        email_key: fields.emailKey,
        first_name: fields.firstName,
        last_name: fields.lastName,
        federation_id: fields.federationId,
        modified_at: sql<Date>`now()`,
      })
      .where('user_id', '=', userId)
      .execute();
    return true;
  } catch (error) {
    if (dbErrorOf(error)?.code === '23505') return false;
    throw error;
  }
}

/** Changes the membership; undefined values keep. */
export async function updateMembership(
  tx: Tx,
  siteId: number,
  userId: number,
  fields: MembershipFields,
): Promise<void> {
  const values = {
    is_active: fields.isActive,
    two_factor_enabled: fields.twoFactorEnabled,
    ip_restrictions_enabled: fields.ipRestrictionsEnabled,
  };
  if (Object.values(values).every((value) => value === undefined)) return;
  await tx
    .updateTable('membership')
    .set(values)
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .execute();
}

/** Ends the membership; groups, sessions, keys and tokens of this site go with it (cascade). False: was none. */
export async function deleteMembership(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  const result = await tx
    .deleteFrom('membership')
    .where('site_id', '=', siteId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

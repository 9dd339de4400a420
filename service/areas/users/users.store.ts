import { sql } from 'kysely';
import { STANDARD_LICENSE } from '../../../contract/rules/people/licenses.ts';
import { type Db, executeLater, type Tx } from '../../kernel/db/database.ts';
import { dbErrorCodes, getDbError } from '../../kernel/db/driver/errors.ts';
import { equalsAny } from '../../kernel/db/ids.ts';
import { USER_LABELS, type ItemLabels } from '../../kernel/jobs/item-labels.store.ts';
import { type MembershipFields, setHomeSite } from '../members/index.ts';
import type { AddressOwner } from './rules.ts';

/** Rows of an import: the name that the user gets, and the row with the e-mail address. */
export const IMPORT_LABELS: ItemLabels = {
  label: sql`concat_ws(' ', coalesce(item.value #>> '{set,firstName}', a.first_name),
    coalesce(item.value #>> '{set,lastName}', a.last_name))`,
  detail: sql`concat_ws(' · ', 'Row ' || (item.value ->> 'row'), coalesce(item.value #>> '{set,email}', a.email))`,
  join: (siteId) => USER_LABELS.join(siteId),
};

export interface NewAccount {
  email: string;
  emailKey: string;
  firstName: string;
  lastName: string;
  passwordHash: string | null;
  federationId: string | null;
}

/** Inserts an account and returns its id, or undefined if the e-mail address is registered already. */
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

/** The account with this address and its memberships as seen from this site; undefined if there is none. */
export async function findOwner(db: Db, siteId: number, emailKey: string): Promise<AddressOwner | undefined> {
  const { rows } = await sql<AddressOwner>`
    select a.user_id as "userId",
      exists (select 1 from membership m where m.user_id = a.user_id and m.site_id = ${siteId}) as "isHere",
      exists (select 1 from membership m where m.user_id = a.user_id and m.site_id <> ${siteId}) as "isElsewhere"
    from account a where a.email_key = ${emailKey}`.execute(db);
  return rows[0];
}

/** Whether the account has a password; without one the user has yet to set it. */
export async function hasPassword(tx: Tx, userId: number): Promise<boolean> {
  const row = await tx
    .selectFrom('account')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('password_hash', 'is not', null)
    .executeTakeFirst();
  return row !== undefined;
}

/** Makes the user a member of the site with the license of new users. */
export async function insertMembership(
  tx: Tx,
  siteId: number,
  userId: number,
  by: number | null,
  fields: MembershipFields,
): Promise<void> {
  await tx
    .insertInto('membership')
    .values({
      site_id: siteId,
      user_id: userId,
      license_type_id: STANDARD_LICENSE,
      is_active: fields.isActive ?? true,
      two_factor_enabled: fields.twoFactorEnabled ?? false,
      ip_restrictions_enabled: fields.ipRestrictionsEnabled ?? false,
      user_entry_id: null,
      time_zone: fields.timeZone ?? null,
      created_by: by,
      modified_by: by,
    })
    .execute();
}

export interface AccountFields {
  email?: string | undefined;
  emailKey?: string | undefined;
  firstName?: string | undefined;
  lastName?: string | undefined;
  federationId?: string | null | undefined;
}

/** Updates the defined fields of the account. Returns false if another account has the address. */
export async function updateAccount(tx: Tx, userId: number, fields: AccountFields): Promise<boolean> {
  const values = {
    email: fields.email,
    email_key: fields.emailKey,
    first_name: fields.firstName,
    last_name: fields.lastName,
    federation_id: fields.federationId,
  };
  const assignments = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [sql`${sql.id(name)} = ${value}`],
  );
  const update = sql`update account set ${sql.join([...assignments, sql`modified_at = now()`])} where user_id = ${userId}`;
  if (fields.email === undefined && fields.federationId === undefined) {
    executeLater(update, tx);
    return true;
  }
  try {
    await update.execute(tx);
    return true;
  } catch (error) {
    if (getDbError(error)?.code === dbErrorCodes.uniqueViolation) return false;
    throw error;
  }
}

/** Queues an update of the defined fields of memberships. Raises no version and records nothing; the caller does both. */
export function setMembershipFields(
  tx: Tx,
  siteId: number,
  userIds: readonly number[],
  fields: MembershipFields,
): void {
  const values = {
    is_active: fields.isActive,
    two_factor_enabled: fields.twoFactorEnabled,
    ip_restrictions_enabled: fields.ipRestrictionsEnabled,
    time_zone: fields.timeZone,
  };
  if (Object.values(values).every((value) => value === undefined)) return;
  const update = tx
    .updateTable('membership')
    .set(values)
    .where('site_id', '=', siteId)
    .where(sql<boolean>`user_id ${equalsAny(userIds)}`);
  executeLater(update, tx);
}

/** Deletes the membership and, by cascade, its group memberships, sessions, keys and tokens on this site. */
export async function deleteMembership(tx: Tx, siteId: number, userId: number): Promise<void> {
  await tx.deleteFrom('membership').where('site_id', '=', siteId).where('user_id', '=', userId).execute();
}

/**
 * Moves the account to the site of its oldest remaining membership and returns that site. Without a home site nobody
 * could change its name or address again.
 */
export async function moveHomeSite(tx: Tx, siteId: number, userId: number): Promise<number | undefined> {
  const { rows } = await sql<{ siteId: number }>`
    select m.site_id as "siteId" from membership m join account a using (user_id)
    where m.user_id = ${userId} and a.home_site_id = ${siteId} order by m.created_at, m.site_id limit 1`.execute(
    tx,
  );
  const [oldest] = rows;
  if (!oldest) return undefined;
  await setHomeSite(tx, oldest.siteId, userId);
  return oldest.siteId;
}

import { sql } from 'kysely';
import { ACTIVITY_TYPE } from '../kernel/audit/activity.store.ts';
import { MEMBER_CAPABILITIES, CAN_ACT, isAddressRefused, toInet } from '../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../kernel/db/database.ts';

export interface Account {
  userId: number;
  email: string;
  firstName: string;
  lastName: string;
  passwordHash: string | null;
  homeSiteId: number;
  lockedSeconds: number;
}

interface AccountRow {
  user_id: number;
  email: string;
  first_name: string;
  last_name: string;
  password_hash: string | null;
  home_site_id: number;
  locked: number | null;
}

const toAccount = (row: AccountRow): Account => ({
  userId: row.user_id,
  email: row.email,
  firstName: row.first_name,
  lastName: row.last_name,
  passwordHash: row.password_hash,
  homeSiteId: row.home_site_id,
  lockedSeconds: Math.max(0, row.locked ?? 0),
});

/** Account with this normalized e-mail address or id. */
export async function findAccount(
  db: Db,
  by: { emailKey: string } | { userId: number },
): Promise<Account | undefined> {
  const { rows } = await sql<AccountRow>`
    select user_id, email, first_name, last_name, password_hash, home_site_id,
           extract(epoch from locked_until - now())::float8 as locked
    from account where ${'emailKey' in by ? sql`email_key = ${by.emailKey}` : sql`user_id = ${by.userId}`}`.execute(
    db,
  );
  return rows[0] && toAccount(rows[0]);
}

/**
 * Counts a wrong password. The fifth locks the account for 30 seconds, each further one for twice as long, up to 15
 * minutes; after an hour without failures the count starts again.
 */
export async function countFailure(db: Db, userId: number): Promise<void> {
  // Citus, which has accounts on each server, takes only immutable functions in the assignments.
  await sql`update account set
      failed_count = case when locked_until < c.hour_ago then 1 else failed_count + 1 end,
      locked_until = case
        when locked_until < c.hour_ago then null
        when failed_count + 1 >= 5 then to_timestamp(c.seconds + least(900, 30 * (2 ^ least(failed_count - 4, 10)))) end
    from (select now() - interval '1 hour' as hour_ago, extract(epoch from now())::float8 as seconds) c
    where user_id = ${userId}`.execute(db);
}

/**
 * Whether the user has signed in from this address within 90 days. A locked account still opens from there, so that an
 * attacker who guesses elsewhere cannot lock its owner out (T13).
 */
export async function isKnownAddress(db: Db, userId: number, ip: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from activity a join membership m on m.site_id = a.site_id and m.user_id = a.user_id
    where m.user_id = ${userId} and a.activity_type_id = ${ACTIVITY_TYPE.signedIn} and a.ip_address = ${toInet(ip)}::inet
      and a.at > now() - interval '90 days' limit 1`.execute(db);
  return rows.length > 0;
}

export async function clearFailures(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('account')
    .set({ failed_count: 0, locked_until: null })
    .where('user_id', '=', userId)
    .execute();
}

export interface AccessibleSite {
  siteId: number;
  slug: string;
  name: string;
  identityMode: 'password' | 'identity-manager';
  timeZone: string;
  /** Time zone that the user has set on the site; null when that of the site applies. */
  userTimeZone: string | null;
  schemaVersion: number;
  /** Whether a proxy must give a reason to act for a user in the console. */
  requiresActingReason: boolean;
  /** End of a temporary membership; null for a permanent one. */
  expiresAt: Date | null;
  isAddressRefused: boolean;
  /** Whether the site requires a second factor of this user (spec 2.1). */
  requiresSecondFactor: boolean;
  /** Whether the user has Manage Users and Manage Groups on the site. */
  isAdministrator: boolean;
}

/**
 * Locks the account until the transaction ends, so that a concurrent password change or factor reset happens before
 * this session starts, or ends it too. @returns the current password hash and the count of wrong passwords; undefined without an account
 */
export async function lockAccount(
  tx: Tx,
  userId: number,
): Promise<(Pick<Account, 'passwordHash'> & { failedCount: number }) | undefined> {
  return tx
    .selectFrom('account')
    .select(['password_hash as passwordHash', 'failed_count as failedCount'])
    .where('user_id', '=', userId)
    .forNoKeyUpdate()
    .executeTakeFirst();
}

/** Sites on which the user may act, the one used last first; `isAddressRefused`: not from this address (spec 5.4). */
export async function listAccessibleSites(db: Db, userId: number, ip: string): Promise<AccessibleSite[]> {
  const { rows } = await sql<AccessibleSite>`
    select s.site_id as "siteId", s.slug, s.name, s.identity_mode as "identityMode", s.time_zone as "timeZone",
           m.time_zone as "userTimeZone", s.schema_version as "schemaVersion",
           s.requires_acting_reason as "requiresActingReason", m.expires_at as "expiresAt", ${isAddressRefused(ip)} as "isAddressRefused",
           m.two_factor_enabled as "requiresSecondFactor",
           ${MEMBER_CAPABILITIES} @> '{Manage Users,Manage Groups}' as "isAdministrator"
    from membership m join site s using (site_id)
    where m.user_id = ${userId} and ${CAN_ACT}
    order by m.last_active_at desc nulls last, s.site_id`.execute(db);
  return rows;
}

/** Sets the password and unlocks the account. */
export async function setPasswordHash(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx
    .updateTable('account')
    .set({ password_hash: passwordHash, failed_count: 0, locked_until: null })
    .where('user_id', '=', userId)
    .execute();
}

/** Time of the database, so that a countdown in the browser does not depend on the computer's clock. */
export async function loadServerTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

import { sql } from 'kysely';
import { ACTIVITY } from '../kernel/audit/activity.store.ts';
import { CAPABILITIES, MAY_ACT, addressRefused, inet } from '../kernel/auth/store.ts';
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

/** The account with this address, or with this id. */
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
 * One more wrong password. From the fifth on the account rests, twice as long each time, a quarter of an hour at most;
 * after an hour of quiet the count begins anew.
 */
export async function countFailure(db: Db, userId: number): Promise<void> {
  await sql`update account set
      failed_count = case when locked_until < now() - interval '1 hour' then 1 else failed_count + 1 end,
      locked_until = case
        when locked_until < now() - interval '1 hour' then null
        when failed_count + 1 >= 5
          then now() + least(interval '15 minutes', interval '30 seconds' * (2 ^ least(failed_count - 4, 10))) end
    where user_id = ${userId}`.execute(db);
}

/**
 * Whether the person has signed in from this address within 90 days. A resting account still opens from there: a
 * stranger who guesses elsewhere cannot shut its owner out (T13).
 */
export async function isKnownAddress(db: Db, userId: number, ip: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from activity a join membership m on m.site_id = a.site_id and m.user_id = a.user_id
    where m.user_id = ${userId} and a.activity_type_id = ${ACTIVITY.signedIn} and a.ip_address = ${inet(ip)}::inet
      and a.at > now() - interval '90 days' limit 1`.execute(db);
  return rows.length > 0;
}

export async function clearFailures(tx: Tx, userId: number): Promise<void> {
  await sql`update account set failed_count = 0, locked_until = null where user_id = ${userId} and failed_count > 0`.execute(
    tx,
  );
}

export interface OwnSite {
  siteId: number;
  slug: string;
  name: string;
  identityMode: 'password' | 'identity-manager';
  timeZone: string;
  schemaVersion: number;
  /** When the membership ends by itself; null when it does not. */
  expiresAt: Date | null;
  refused: boolean;
  /** Whether the site asks this person for a second factor (spec 2.1). */
  asksFactor: boolean;
  /** Whether they hold Manage Users and Manage Groups there. */
  isAdministrator: boolean;
}

/**
 * Holds the account until the transaction ends: a password that is changed, or a factor that is reset, at the same moment
 * does so before this session begins or ends it too. The password as it is then; undefined without the account.
 */
export async function lockAccount(
  tx: Tx,
  userId: number,
): Promise<Pick<Account, 'passwordHash'> | undefined> {
  const { rows } = await sql<Pick<Account, 'passwordHash'>>`
    select password_hash as "passwordHash" from account where user_id = ${userId} for no key update`.execute(
    tx,
  );
  return rows[0];
}

/** The sites on which the person may act, the one used last first; `refused`: not from this address (spec 5.4). */
export async function sitesOf(db: Db, userId: number, ip: string): Promise<OwnSite[]> {
  const { rows } = await sql<OwnSite>`
    select s.site_id as "siteId", s.slug, s.name, s.identity_mode as "identityMode", s.time_zone as "timeZone",
           s.schema_version as "schemaVersion", m.expires_at as "expiresAt", ${addressRefused(ip)} as refused,
           m.two_factor_enabled as "asksFactor",
           ${CAPABILITIES} @> '{Manage Users,Manage Groups}' as "isAdministrator"
    from membership m join site s using (site_id)
    where m.user_id = ${userId} and ${MAY_ACT}
    order by m.last_active_at desc nulls last, s.site_id`.execute(db);
  return rows;
}

/** Sets the password and lifts a lock. */
export async function setPasswordHash(tx: Tx, userId: number, passwordHash: string): Promise<void> {
  await tx
    .updateTable('account')
    .set({ password_hash: passwordHash, failed_count: 0, locked_until: null })
    .where('user_id', '=', userId)
    .execute();
}

/** The database's clock, so that a countdown in the browser does not depend on the computer's. */
export async function serverTime(db: Db): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(db);
  return rows[0]?.now ?? new Date();
}

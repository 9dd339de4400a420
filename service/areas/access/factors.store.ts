import { sql } from 'kysely';
import type { PersonWithoutFactor, TwoFactorCoverage } from '../../../contract/generated/types.gen.ts';
import { CAN_ACT, IS_ACTIVE } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Everything a user has set up for signing in besides the password. */
export interface Factors {
  /** Whether a site on which the user can act requires a second factor (spec 2.1). */
  isRequired: boolean;
  authenticatorAt: Date | null;
  passkeys: number;
  recoveryCodes: number;
}

/** Whether the user has a second factor. Recovery codes alone do not count: they only replace one. */
export const hasFactor = ({ authenticatorAt, passkeys }: Factors): boolean =>
  authenticatorAt !== null || passkeys > 0;

export async function readFactors(db: Db, userId: number): Promise<Factors> {
  const { rows } = await sql<Factors>`
    select exists (select 1 from membership m where m.user_id = ${userId} and m.two_factor_enabled and ${CAN_ACT}) as "isRequired",
      (select set_up_at from authenticator where user_id = ${userId}) as "authenticatorAt",
      (select count(*)::int from passkey where user_id = ${userId}) as passkeys,
      (select count(*)::int from recovery_code where user_id = ${userId}) as "recoveryCodes"`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The count query returned no row');
  return row;
}

/** Returns the encrypted seed of the active or of the pending app, and the time of the database in seconds. */
export async function readSeed(
  db: Db,
  userId: number,
  column: 'seed' | 'next_seed',
): Promise<{ seed: Buffer; seconds: number } | undefined> {
  const { rows } = await sql<{ seed: Buffer | null; seconds: number }>`
    select ${sql.id(column)} as seed, floor(extract(epoch from clock_timestamp()))::int8 as seconds
    from authenticator where user_id = ${userId}`.execute(db);
  const [row] = rows;
  return row?.seed ? { seed: Buffer.from(row.seed), seconds: row.seconds } : undefined;
}

/** Saves the encrypted seed of an app that is being set up; the active seed stays valid. */
export async function savePendingSeed(db: Db, userId: number, seed: Buffer): Promise<void> {
  await db
    .insertInto('authenticator')
    .values({ user_id: userId, seed: null, next_seed: seed })
    .onConflict((on) => on.column('user_id').doUpdateSet({ next_seed: seed }))
    .execute();
}

/**
 * Marks a time step as used. The update itself is the acceptance: of several requests with the same code, on any number
 * of processes, exactly one succeeds. Steps before a used one are rejected as well (T14).
 */
export async function consumeTimeStep(tx: Tx, userId: number, step: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('authenticator')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where('last_step', '<', step)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/**
 * Makes the pending seed the active one and marks its first time step as used. Returns false if another request did so
 * first.
 */
export async function activatePendingSeed(
  tx: Tx,
  userId: number,
  seed: Buffer,
  step: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('authenticator')
    .set({ seed, next_seed: null, set_up_at: sql<Date>`now()`, last_step: step })
    .where('user_id', '=', userId)
    .where('next_seed', '=', seed)
    .executeTakeFirst();
  return numUpdatedRows === 1n;
}

/** Replaces the recovery codes of the user. */
export async function replaceRecoveryCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
    .execute();
}

/** Deletes a recovery code. Returns false if it does not exist or was used before. */
export async function deleteRecoveryCode(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Updates `account.second_factor`, the flag shown in user lists. */
export async function updateSecondFactorFlag(tx: Tx, userId: number): Promise<void> {
  const { rows } = await sql<{ hasFactor: boolean }>`
    select exists (select 1 from authenticator where user_id = ${userId} and seed is not null)
      or exists (select 1 from passkey where user_id = ${userId}) as "hasFactor"`.execute(tx);
  await sql`update account set second_factor = ${rows[0]?.hasFactor ?? false} where user_id = ${userId}`.execute(
    tx,
  );
}

/** Deletes all second factors of the user. */
export async function deleteFactors(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('authenticator').where('user_id', '=', userId).execute();
  await tx.deleteFrom('passkey').where('user_id', '=', userId).execute();
  await tx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
}

const MAX_LISTED_USERS = 500;
/** A user with one of these capabilities can take control of the site. */
const ADMINISTRATIVE_CAPABILITIES = ['Manage Users', 'Manage Groups', 'Manage Settings', 'Manage Backups'];

const selectAdministrators = (siteId: number) => sql`
  select distinct gm.user_id from user_group g join group_member gm using (site_id, group_id)
  where g.site_id = ${siteId} and g.capabilities && ${ADMINISTRATIVE_CAPABILITIES}::text[]`;

type CoverageCounts = Omit<TwoFactorCoverage, 'people'>;

/** Counts active users by whether the site requires a second factor of them and whether they have one. */
export async function countTwoFactorCoverage(db: Db, siteId: number): Promise<CoverageCounts> {
  const { rows } = await sql<CoverageCounts>`
    with administrators as (${selectAdministrators(siteId)})
    select count(*) filter (where m.two_factor_enabled and a.second_factor)::int as "requiredSetUp",
      count(*) filter (where m.two_factor_enabled and not a.second_factor)::int as "requiredNotSetUp",
      count(*) filter (where not m.two_factor_enabled and a.second_factor)::int as "optionalSetUp",
      count(*) filter (where not m.two_factor_enabled and not a.second_factor)::int as "optionalNotSetUp",
      count(*) filter (where not a.second_factor and r.user_id is not null)::int as "administratorsNotSetUp"
    from membership m join account a on a.user_id = m.user_id
    left join administrators r on r.user_id = m.user_id
    where m.site_id = ${siteId} and ${IS_ACTIVE}`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('The count query returned no row');
  return row;
}

/** Active users without a second factor: first those of whom one is required, then the other administrators. */
export async function listUsersWithoutFactor(db: Db, siteId: number): Promise<PersonWithoutFactor[]> {
  const { rows } = await sql<PersonWithoutFactor>`
    with administrators as (${selectAdministrators(siteId)})
    select m.user_id as "userId", a.email as "userName", trim(a.first_name || ' ' || a.last_name) as "fullName",
      m.two_factor_enabled as "twoFactorEnabled", r.user_id is not null as "isAdministrator"
    from membership m join account a on a.user_id = m.user_id
    left join administrators r on r.user_id = m.user_id
    where m.site_id = ${siteId} and ${IS_ACTIVE} and not a.second_factor
      and (m.two_factor_enabled or r.user_id is not null)
    order by m.two_factor_enabled desc, "isAdministrator" desc, lower(a.last_name), lower(a.first_name), m.user_id
    limit ${MAX_LISTED_USERS}`.execute(db);
  return rows;
}

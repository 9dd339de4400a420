import { sql } from 'kysely';
import { MAY_ACT } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** What a person has set up to prove who they are besides a password. */
export interface Factors {
  /** Whether a site on which they may act asks for a second factor (spec 2.1). */
  isRequired: boolean;
  authenticatorAt: Date | null;
  passkeys: number;
  recoveryCodes: number;
}

/** Whether the person has a second factor at all: recovery codes only stand in for one. */
export const hasFactor = ({ authenticatorAt, passkeys }: Factors): boolean =>
  authenticatorAt !== null || passkeys > 0;

export async function readFactors(db: Db, userId: number): Promise<Factors> {
  const { rows } = await sql<Factors>`
    select exists (select 1 from membership m where m.user_id = ${userId} and m.two_factor_enabled and ${MAY_ACT}) as "isRequired",
      (select set_up_at from authenticator where user_id = ${userId}) as "authenticatorAt",
      (select count(*)::int from passkey where user_id = ${userId}) as passkeys,
      (select count(*)::int from recovery_code where user_id = ${userId}) as "recoveryCodes"`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A row of counts is there');
  return row;
}

/** The sealed seed of the person's app, or of the one that is being set up, with the database's clock in seconds. */
export async function readSeed(
  db: Db,
  userId: number,
  which: 'seed' | 'next_seed',
): Promise<{ seed: Buffer; seconds: number } | undefined> {
  const { rows } = await sql<{ seed: Buffer | null; seconds: number }>`
    select ${sql.id(which)} as seed, floor(extract(epoch from clock_timestamp()))::int8 as seconds
    from authenticator where user_id = ${userId}`.execute(db);
  const [row] = rows;
  return row?.seed ? { seed: Buffer.from(row.seed), seconds: row.seconds } : undefined;
}

/** Keeps the sealed seed of an app that is being set up, beside the one that counts. */
export async function writeNextSeed(db: Db, userId: number, seed: Buffer): Promise<void> {
  await sql`insert into authenticator (user_id, next_seed) values (${userId}, ${seed})
    on conflict (user_id) do update set next_seed = excluded.next_seed`.execute(db);
}

/**
 * Takes a time step of the app, once: this update is the acceptance, so that of many requests with one code, on however
 * many processes, one gets through. A step before one that was taken is refused as well (T14).
 */
export async function takeStep(tx: Tx, userId: number, step: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update authenticator set last_step = ${step} where user_id = ${userId} and last_step < ${step}`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** The app that was being set up counts from now on, its first code taken; false when another request did it. */
export async function keepNextSeed(tx: Tx, userId: number, seed: Buffer, step: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update authenticator set seed = next_seed, next_seed = null, set_up_at = now(), last_step = ${step}
    where user_id = ${userId} and next_seed = ${seed}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Replaces the recovery codes of the person. */
export async function writeRecoveryCodes(tx: Tx, userId: number, hashes: readonly Buffer[]): Promise<void> {
  await tx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
  await tx
    .insertInto('recovery_code')
    .values(hashes.map((hash) => ({ user_id: userId, code_hash: hash })))
    .execute();
}

/** Takes a recovery code; false where it is none, or was taken. */
export async function takeRecoveryCode(tx: Tx, userId: number, hash: Buffer): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return numDeletedRows === 1n;
}

/** Holds the account until the transaction ends, before its memberships are: nobody waits crosswise. */
export async function lockAccount(tx: Tx, userId: number): Promise<void> {
  await sql`select 1 from account where user_id = ${userId} for no key update`.execute(tx);
}

/** Whether the person is a user of another site too. */
export async function isElsewhere(tx: Tx, siteId: number, userId: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from membership where user_id = ${userId} and site_id <> ${siteId} limit 1`.execute(tx);
  return rows.length > 0;
}

/** Notes with the account whether it has a second factor: what lists of users tell. */
export async function noteFactor(tx: Tx, userId: number): Promise<void> {
  await sql`update account set second_factor =
      exists (select 1 from authenticator where user_id = ${userId} and seed is not null)
      or exists (select 1 from passkey where user_id = ${userId})
    where user_id = ${userId}`.execute(tx);
}

/** Forgets every second factor of the person. */
export async function deleteFactors(tx: Tx, userId: number): Promise<void> {
  await tx.deleteFrom('authenticator').where('user_id', '=', userId).execute();
  await tx.deleteFrom('passkey').where('user_id', '=', userId).execute();
  await tx.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
}

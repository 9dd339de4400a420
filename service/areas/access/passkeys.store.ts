import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** Ceremony for which a challenge was created; a response is valid for no other one. */
export type ChallengePurpose = 'register' | 'prove' | 'sign-in';

const CHALLENGE_TTL_MINUTES = 5;

export interface StoredPasskey {
  id: number;
  userId: number;
  credentialId: string;
  publicKey: Buffer;
  counter: number;
  transports: string[];
  name: string;
  isSynced: boolean;
  createdAt: Date;
  lastUsedAt: Date | null;
}

const COLUMNS = [
  'passkey_id as id',
  'user_id as userId',
  'credential_id as credentialId',
  'public_key as publicKey',
  'counter',
  'transports',
  'name',
  'is_synced as isSynced',
  'created_at as createdAt',
  'last_used_at as lastUsedAt',
] as const;

/** The passkeys of a user, oldest first. */
export async function listPasskeys(db: Db, userId: number): Promise<StoredPasskey[]> {
  return db
    .selectFrom('passkey')
    .select(COLUMNS)
    .where('user_id', '=', userId)
    .orderBy('passkey_id')
    .execute();
}

/** Finds a passkey, of any user, by its credential id. */
export async function findPasskey(db: Db, credentialId: string): Promise<StoredPasskey | undefined> {
  return db
    .selectFrom('passkey')
    .select(COLUMNS)
    .where('credential_id', '=', credentialId)
    .executeTakeFirst();
}

/** Saves a challenge and deletes some of the expired ones. */
export async function saveChallenge(
  db: Db,
  challenge: string,
  purpose: ChallengePurpose,
  userId: number | null,
): Promise<void> {
  await sql`with expired as (delete from passkey_challenge where challenge in (
      select challenge from passkey_challenge where expires_at < now()
      order by expires_at limit 100 for update skip locked))
    insert into passkey_challenge (challenge, purpose, user_id, expires_at)
    values (${challenge}, ${purpose}, ${userId}, now() + make_interval(mins => ${CHALLENGE_TTL_MINUTES}))`.execute(
    db,
  );
}

/**
 * Deletes a challenge. Returns false if it was not issued for this purpose and user, has expired or was used before.
 */
export async function consumeChallenge(
  db: Db,
  challenge: string,
  purpose: ChallengePurpose,
  userId: number | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from passkey_challenge where challenge = ${challenge} and purpose = ${purpose}
      and user_id is not distinct from ${userId}::int and expires_at > now()`.execute(db);
  return numAffectedRows === 1n;
}

/** Inserts a passkey. Returns undefined if the credential is registered already. */
export async function insertPasskey(
  tx: Tx,
  passkey: Omit<StoredPasskey, 'id' | 'createdAt' | 'lastUsedAt'>,
): Promise<StoredPasskey | undefined> {
  return tx
    .insertInto('passkey')
    .values({
      user_id: passkey.userId,
      credential_id: passkey.credentialId,
      public_key: passkey.publicKey,
      counter: passkey.counter,
      transports: passkey.transports,
      name: passkey.name,
      is_synced: passkey.isSynced,
    })
    .onConflict((on) => on.column('credential_id').doNothing())
    .returning(COLUMNS)
    .executeTakeFirst();
}

/**
 * Records a use of the passkey. Returns false if the signature counter did not increase, which indicates a cloned
 * authenticator.
 */
export async function recordPasskeyUse(tx: Tx, id: number, counter: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update passkey set counter = ${counter}, last_used_at = now()
    where passkey_id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** Deletes a passkey of the user and returns its name, or undefined if the user has no passkey with this id. */
export async function deletePasskey(tx: Tx, userId: number, id: number): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('passkey')
    .where('user_id', '=', userId)
    .where('passkey_id', '=', id)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** What a challenge was made for: an answer to it counts for nothing else. */
export type Purpose = 'register' | 'prove' | 'sign-in';

const CHALLENGE_MINUTES = 5;

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

const COLUMNS = sql`passkey_id as id, user_id as "userId", credential_id as "credentialId", public_key as "publicKey",
  counter, transports, name, is_synced as "isSynced", created_at as "createdAt", last_used_at as "lastUsedAt"`;

/** The passkeys of a person, the oldest first. */
export async function listPasskeys(db: Db, userId: number): Promise<StoredPasskey[]> {
  const { rows } = await sql<StoredPasskey>`
    select ${COLUMNS} from passkey where user_id = ${userId} order by passkey_id`.execute(db);
  return rows;
}

/** Whose credential this is. */
export async function findPasskey(db: Db, credentialId: string): Promise<StoredPasskey | undefined> {
  const { rows } = await sql<StoredPasskey>`
    select ${COLUMNS} from passkey where credential_id = ${credentialId}`.execute(db);
  return rows[0];
}

/** Keeps a challenge until it is answered; who makes one clears away those that nobody answered. */
export async function keepChallenge(
  db: Db,
  challenge: string,
  purpose: Purpose,
  userId: number | null,
): Promise<void> {
  await sql`with over as (delete from passkey_challenge where expires_at < now())
    insert into passkey_challenge (challenge, purpose, user_id, expires_at)
    values (${challenge}, ${purpose}, ${userId}, now() + make_interval(mins => ${CHALLENGE_MINUTES}))`.execute(
    db,
  );
}

/** Takes a challenge, once: false where it is none of this purpose and person, or was answered already. */
export async function takeChallenge(
  db: Db,
  challenge: string,
  purpose: Purpose,
  userId: number | null,
): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from passkey_challenge where challenge = ${challenge} and purpose = ${purpose}
      and user_id is not distinct from ${userId}::int and expires_at > now()`.execute(db);
  return numAffectedRows === 1n;
}

/** Keeps a new passkey; undefined when somebody has this credential already. */
export async function insertPasskey(
  tx: Tx,
  passkey: Omit<StoredPasskey, 'id' | 'createdAt' | 'lastUsedAt'>,
): Promise<StoredPasskey | undefined> {
  const { rows } = await sql<StoredPasskey>`
    insert into passkey (user_id, credential_id, public_key, counter, transports, name, is_synced)
    values (${passkey.userId}, ${passkey.credentialId}, ${passkey.publicKey}, ${passkey.counter},
      ${passkey.transports}::text[], ${passkey.name}, ${passkey.isSynced})
    on conflict (credential_id) do nothing
    returning ${COLUMNS}`.execute(tx);
  return rows[0];
}

/** Notes a use; false when the counter went back, as that of a copied authenticator does. */
export async function notePasskeyUse(tx: Tx, id: number, counter: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    update passkey set counter = ${counter}, last_used_at = now()
    where passkey_id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0))`.execute(
    tx,
  );
  return numAffectedRows === 1n;
}

/** Removes one of the person's passkeys; its name, or undefined where they have none with this id. */
export async function deletePasskey(tx: Tx, userId: number, id: number): Promise<string | undefined> {
  const row = await tx
    .deleteFrom('passkey')
    .where('user_id', '=', userId)
    .where('passkey_id', '=', id)
    .returning('name')
    .executeTakeFirst();
  return row?.name;
}

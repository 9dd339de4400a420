import { sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** A sign-in that has gone to a provider; each counts once. */
export interface Attempt {
  siteId: number;
  nonce: string;
  verifier: string;
}

const MINUTES = 10;

export async function keepAttempt(db: Db, stateHash: Buffer, attempt: Attempt): Promise<void> {
  await sql`
    with gone as (delete from identity_attempt where expires_at < now())
    insert into identity_attempt (state_hash, site_id, nonce, verifier, expires_at)
    values (${stateHash}, ${attempt.siteId}, ${attempt.nonce}, ${attempt.verifier},
      now() + make_interval(mins => ${MINUTES}))`.execute(db);
}

/** Takes the attempt: whoever comes second with the same state finds none. */
export async function takeAttempt(db: Db, stateHash: Buffer): Promise<Attempt | undefined> {
  const { rows } = await sql<Attempt & { open: boolean }>`
    delete from identity_attempt where state_hash = ${stateHash}
    returning site_id as "siteId", nonce, verifier, expires_at > now() as open`.execute(db);
  const [row] = rows;
  return row?.open ? { siteId: row.siteId, nonce: row.nonce, verifier: row.verifier } : undefined;
}

export interface Named {
  userId: number;
  federationId: string | null;
}

/** The members of the site with this federation id. */
export async function findNamed(db: Db, siteId: number, federationId: string): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select a.user_id as "userId", a.federation_id as "federationId"
    from account a join membership m on m.user_id = a.user_id and m.site_id = ${siteId}
    where a.federation_id = ${federationId} limit 2`.execute(db);
  return rows;
}

/** The member of the site with this address, held until the transaction ends. */
export async function lockMemberByEmail(
  tx: Tx,
  siteId: number,
  emailKey: string,
): Promise<Named | undefined> {
  const { rows } = await sql<Named>`
    select a.user_id as "userId", a.federation_id as "federationId"
    from account a join membership m on m.user_id = a.user_id and m.site_id = ${siteId}
    where a.email_key = ${emailKey} for no key update of a`.execute(tx);
  return rows[0];
}

export async function setFederationId(tx: Tx, userId: number, federationId: string): Promise<void> {
  await sql`update account set federation_id = ${federationId}, modified_at = now() where user_id = ${userId}`.execute(
    tx,
  );
}

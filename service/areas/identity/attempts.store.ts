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

/**
 * By what the provider of the site knows a member: the federation id of the account where it began here, and one of this
 * site's own for everybody else. What another site or its provider says of them counts for nothing here.
 */
export const namedHere = (siteId: number) => sql<
  string | null
>`(case when a.home_site_id = ${siteId} then a.federation_id
  else (select l.federation_id from identity_link l where l.site_id = ${siteId} and l.user_id = a.user_id) end)`;

/** The members of the site with this federation id. */
export async function findNamed(db: Db, siteId: number, federationId: string): Promise<Named[]> {
  const { rows } = await sql<Named>`
    select a.user_id as "userId", ${federationId}::text as "federationId"
    from account a join membership m on m.user_id = a.user_id and m.site_id = ${siteId}
    where a.home_site_id = ${siteId} and a.federation_id = ${federationId}
    union
    select l.user_id, l.federation_id from identity_link l join account a using (user_id)
    where l.site_id = ${siteId} and l.federation_id = ${federationId} and a.home_site_id <> ${siteId} limit 2`.execute(
    db,
  );
  return rows;
}

/** The member of the site with this address, held until the transaction ends. */
export async function lockMemberByEmail(
  tx: Tx,
  siteId: number,
  emailKey: string,
): Promise<Named | undefined> {
  const { rows } = await sql<Named>`
    select a.user_id as "userId", ${namedHere(siteId)} as "federationId"
    from account a join membership m on m.user_id = a.user_id and m.site_id = ${siteId}
    where a.email_key = ${emailKey} for no key update of a`.execute(tx);
  return rows[0];
}

/**
 * From now on the provider of the site knows them by this: with the account where it began here, else beside it. False
 * when somebody else became known by it at the same moment.
 */
export async function setFederationId(
  tx: Tx,
  siteId: number,
  { userId, federationId }: { userId: number; federationId: string },
): Promise<boolean> {
  const { rows } = await sql`
    with home as (
      update account set federation_id = ${federationId}, modified_at = now()
      where user_id = ${userId} and home_site_id = ${siteId} returning 1),
    guest as (
      insert into identity_link (site_id, user_id, federation_id)
      select ${siteId}::int, user_id, ${federationId} from account where user_id = ${userId} and home_site_id <> ${siteId}
      on conflict do nothing returning 1)
    select 1 from home union all select 1 from guest`.execute(tx);
  return rows.length > 0;
}

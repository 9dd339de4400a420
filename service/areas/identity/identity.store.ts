import { sql } from 'kysely';
import { IS_ACTIVE } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

/** The sign-in settings of a site. */
export interface StoredProvider {
  siteId: number;
  slug: string;
  mode: 'password' | 'identity-manager';
  issuer: string | null;
  clientId: string | null;
  /** Encrypted. */
  clientSecret: Buffer | null;
  claim: string;
}

const PROVIDER = sql<StoredProvider>`
  select s.site_id as "siteId", s.slug, s.identity_mode as mode, p.issuer, p.client_id as "clientId",
    p.client_secret as "clientSecret", coalesce(p.claim, 'sub') as claim
  from site s left join identity_provider p using (site_id)`;

export async function readProvider(
  db: Db,
  site: { siteId: number } | { slug: string },
): Promise<StoredProvider | undefined> {
  const condition = 'slug' in site ? sql`s.slug = ${site.slug}` : sql`s.site_id = ${site.siteId}`;
  const { rows } = await sql<StoredProvider>`${PROVIDER} where ${condition}`.execute(db);
  return rows[0];
}

/** The sign-in settings of a site, which do not change before the transaction ends. */
export async function lockProvider(tx: Tx, siteId: number): Promise<StoredProvider | undefined> {
  await sql`select from site where site_id = ${siteId} for no key update`.execute(tx);
  return readProvider(tx, { siteId });
}

/** Saves the mode and, if an issuer and a client id are given, the provider; deletes the provider otherwise. */
export async function writeProvider(
  tx: Tx,
  { siteId, mode, issuer, clientId, clientSecret, claim }: Omit<StoredProvider, 'slug'>,
): Promise<void> {
  await tx.updateTable('site').set({ identity_mode: mode }).where('site_id', '=', siteId).execute();
  // Identifiers of another provider or another claim say nothing about the users of this one.
  if (issuer === null || clientId === null) {
    await tx.deleteFrom('identity_link').where('site_id', '=', siteId).execute();
    await tx.deleteFrom('identity_provider').where('site_id', '=', siteId).execute();
    return;
  }
  await sql`
    delete from identity_link l using identity_provider p
    where l.site_id = ${siteId} and p.site_id = l.site_id and (p.issuer <> ${issuer} or p.claim <> ${claim})`.execute(
    tx,
  );
  const provider = { issuer, client_id: clientId, client_secret: clientSecret, claim };
  await tx
    .insertInto('identity_provider')
    .values({ site_id: siteId, ...provider })
    .onConflict((conflict) => conflict.column('site_id').doUpdateSet(provider))
    .execute();
}

/** Hash of the identity settings; it changes with them. `lock` locks the site until the transaction ends. */
export async function providerVersion(db: Db, siteId: number, { lock = false } = {}): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select hashtext(concat_ws(chr(10), s.identity_mode, p.issuer, p.client_id, encode(p.client_secret, 'hex'), p.claim))
      as version
    from site s left join identity_provider p using (site_id) where s.site_id = ${siteId}
    ${lock ? sql`for no key update of s` : sql``}`.execute(db);
  return rows[0]?.version ?? 0;
}

/** Counts the active users of the site, and how many of them have a federation id. */
export async function countFederatedMembers(
  db: Db,
  siteId: number,
): Promise<{ members: number; mapped: number }> {
  const { rows } = await sql<{ members: number; mapped: number }>`
    select count(*)::int as members, count(${selectFederationId(siteId)})::int as mapped
    from membership m join account a using (user_id) where m.site_id = ${siteId} and ${IS_ACTIVE}`.execute(
    db,
  );
  return rows[0] ?? { members: 0, mapped: 0 };
}

/** A sign-in that was sent to a provider and has not returned yet. */
interface SignInAttempt {
  siteId: number;
  nonce: string;
  verifier: string;
}

const ATTEMPT_TTL_MINUTES = 10;

/** Saves an attempt and deletes some of the expired ones. */
export async function saveAttempt(db: Db, stateHash: Buffer, attempt: SignInAttempt): Promise<void> {
  await sql`
    with expired as (delete from identity_attempt where state_hash in (
      select state_hash from identity_attempt where expires_at < now()
      order by expires_at limit 100 for update skip locked))
    insert into identity_attempt (state_hash, site_id, nonce, verifier, expires_at)
    values (${stateHash}, ${attempt.siteId}, ${attempt.nonce}, ${attempt.verifier},
      now() + make_interval(mins => ${ATTEMPT_TTL_MINUTES}))`.execute(db);
}

/** Deletes and returns the attempt: each state can be used only once. */
export async function consumeAttempt(db: Db, stateHash: Buffer): Promise<SignInAttempt | undefined> {
  const { rows } = await sql<SignInAttempt & { open: boolean }>`
    delete from identity_attempt where state_hash = ${stateHash}
    returning site_id as "siteId", nonce, verifier, expires_at > now() as open`.execute(db);
  const [row] = rows;
  return row?.open ? { siteId: row.siteId, nonce: row.nonce, verifier: row.verifier } : undefined;
}

interface FederatedMember {
  userId: number;
  federationId: string | null;
}

/**
 * SQL expression: the federation id by which the provider of this site knows the account `a`. For accounts created on
 * this site it is stored with the account, for others in a link of this site. Identifiers of other sites are ignored.
 */
export const selectFederationId = (siteId: number) => sql<
  string | null
>`(case when a.home_site_id = ${siteId} then a.federation_id
  else (select l.federation_id from identity_link l where l.site_id = ${siteId} and l.user_id = a.user_id) end)`;

/** The members of the site with this federation id; at most two rows, which is enough to detect ambiguity. */
export async function findMembersByFederationId(
  db: Db,
  siteId: number,
  federationId: string,
): Promise<FederatedMember[]> {
  const { rows } = await sql<FederatedMember>`
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

/** The member of the site with this e-mail address; locks the account until the transaction ends. */
export async function lockMemberByEmail(
  tx: Tx,
  siteId: number,
  emailKey: string,
): Promise<FederatedMember | undefined> {
  const { rows } = await sql<FederatedMember>`
    select a.user_id as "userId", ${selectFederationId(siteId)} as "federationId"
    from account a join membership m on m.user_id = a.user_id and m.site_id = ${siteId}
    where a.email_key = ${emailKey} for no key update of a`.execute(tx);
  return rows[0];
}

/**
 * Sets the federation id of a user on this site: in the account if the site created it, otherwise in a link. Returns
 * false if another user received the same id concurrently.
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

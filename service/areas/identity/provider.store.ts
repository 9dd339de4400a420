import { sql } from 'kysely';
import { MAY_ACT } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { namedHere } from './attempts.store.ts';

/** How a site signs people in. */
export interface StoredProvider {
  siteId: number;
  slug: string;
  mode: 'password' | 'identity-manager';
  issuer: string | null;
  clientId: string | null;
  /** Sealed. */
  clientSecret: Buffer | null;
  claim: string;
}

const PROVIDER = sql<StoredProvider>`
  select s.site_id as "siteId", s.slug, s.identity_mode as mode, p.issuer, p.client_id as "clientId",
    p.client_secret as "clientSecret", coalesce(p.claim, 'sub') as claim
  from site s left join identity_provider p using (site_id)`;

export async function readProvider(
  db: Db,
  by: { siteId: number } | { slug: string },
): Promise<StoredProvider | undefined> {
  const which = 'slug' in by ? sql`s.slug = ${by.slug}` : sql`s.site_id = ${by.siteId}`;
  const { rows } = await sql<StoredProvider>`${PROVIDER} where ${which}`.execute(db);
  return rows[0];
}

/** Changes the mode, and the provider where one is given. */
export async function writeProvider(
  tx: Tx,
  { siteId, mode, issuer, clientId, clientSecret, claim }: Omit<StoredProvider, 'slug'>,
): Promise<void> {
  await tx.updateTable('site').set({ identity_mode: mode }).where('site_id', '=', siteId).execute();
  if (issuer === null || clientId === null) {
    await tx.deleteFrom('identity_provider').where('site_id', '=', siteId).execute();
    return;
  }
  // By what another provider, or another claim of it, knew people says nothing of whom this one means.
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

/** Changes with the identity manager of the site; `lock` holds the site until the transaction ends. */
export async function providerVersion(db: Db, siteId: number, { lock = false } = {}): Promise<number> {
  const { rows } = await sql<{ version: number }>`
    select hashtext(concat_ws(chr(10), s.identity_mode, p.issuer, p.client_id, encode(p.client_secret, 'hex'), p.claim))
      as version
    from site s left join identity_provider p using (site_id) where s.site_id = ${siteId}
    ${lock ? sql`for no key update of s` : sql``}`.execute(db);
  return rows[0]?.version ?? 0;
}

/** Active users of the site, and how many of them a provider can name. */
export async function countMapped(db: Db, siteId: number): Promise<{ members: number; mapped: number }> {
  const { rows } = await sql<{ members: number; mapped: number }>`
    select count(*)::int as members, count(${namedHere(siteId)})::int as mapped
    from membership m join account a using (user_id) where m.site_id = ${siteId} and ${MAY_ACT}`.execute(db);
  return rows[0] ?? { members: 0, mapped: 0 };
}

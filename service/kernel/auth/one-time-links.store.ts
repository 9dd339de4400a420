import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import { hashSecret, createSecret } from '../secret.ts';

/** Validity of a mailed link, which works once (spec 4.2 rule 1). */
export const LINK_TTL_HOURS = 24;

export interface OneTimeLink {
  purpose: 'set-password' | 'first-administrator';
  siteId: number;
  userId: number | null;
  expiresAt: Date;
}

/**
 * Creates a one-time link and returns its token, of which only the hash is stored. An earlier link of the same purpose for the same
 * user becomes invalid. The link for a first administrator has no user: there is one a site, which ends when the site has an
 * administrator.
 */
export async function createLink(tx: Tx, link: Omit<OneTimeLink, 'expiresAt'>): Promise<string> {
  const secret = createSecret();
  const earlier = tx.deleteFrom('one_time_link').where('purpose', '=', link.purpose);
  await (
    link.userId === null
      ? earlier.where('site_id', '=', link.siteId).where('user_id', 'is', null)
      : earlier.where('user_id', '=', link.userId)
  ).execute();
  // Each new link also deletes some links that expired long ago.
  await sql`delete from one_time_link where token_hash in (
    select token_hash from one_time_link where expires_at < now() - interval '30 days'
    order by expires_at limit 100 for update skip locked)`.execute(tx);
  await tx
    .insertInto('one_time_link')
    .values({
      token_hash: secret.hash,
      purpose: link.purpose,
      site_id: link.siteId,
      user_id: link.userId,
      expires_at: sql<Date>`now() + make_interval(hours => ${LINK_TTL_HOURS})`,
    })
    .execute();
  return secret.plain;
}

/** The link if it is valid and unused; with `lock` its row is locked for the transaction that consumes it. */
export async function findLink(db: Db, token: string, lock = false): Promise<OneTimeLink | undefined> {
  const query = db
    .selectFrom('one_time_link')
    .select(['purpose', 'site_id', 'user_id', 'expires_at'])
    .where('token_hash', '=', hashSecret(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`);
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst();
  return row && { purpose: row.purpose, siteId: row.site_id, userId: row.user_id, expiresAt: row.expires_at };
}

/** Marks the link as used, so that it cannot be used again. */
export async function consumeLink(tx: Tx, token: string): Promise<void> {
  await tx
    .updateTable('one_time_link')
    .set({ used_at: sql<Date>`now()` })
    .where('token_hash', '=', hashSecret(token))
    .execute();
}

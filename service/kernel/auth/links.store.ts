import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';
import { hashSecret, newSecret } from '../secret.ts';

/** A mailed link holds this long and works once (spec 4.2 rule 1). */
export const LINK_HOURS = 24;

export interface Link {
  purpose: 'set-password' | 'first-administrator';
  siteId: number;
  userId: number | null;
  expiresAt: Date;
}

/**
 * Makes a one-time link and returns its secret, which stands nowhere else. An earlier one for the same person ends;
 * links for a first administrator have no person, and all of them end when the site has one.
 */
export async function createLink(tx: Tx, link: Omit<Link, 'expiresAt'>): Promise<string> {
  const secret = newSecret();
  if (link.userId !== null) {
    await tx
      .deleteFrom('one_time_link')
      .where('purpose', '=', link.purpose)
      .where('user_id', '=', link.userId)
      .execute();
  }
  // Whoever makes a link clears away those that nobody can use any more.
  await tx
    .deleteFrom('one_time_link')
    .where('expires_at', '<', sql<Date>`now() - interval '30 days'`)
    .execute();
  await tx
    .insertInto('one_time_link')
    .values({
      token_hash: secret.hash,
      purpose: link.purpose,
      site_id: link.siteId,
      user_id: link.userId,
      expires_at: sql<Date>`now() + make_interval(hours => ${LINK_HOURS})`,
    })
    .execute();
  return secret.plain;
}

/** The link while it holds; its row is locked in a transaction that goes on to use it. */
export async function findLink(db: Db, token: string, lock = false): Promise<Link | undefined> {
  const query = db
    .selectFrom('one_time_link')
    .select(['purpose', 'site_id', 'user_id', 'expires_at'])
    .where('token_hash', '=', hashSecret(token))
    .where('used_at', 'is', null)
    .where('expires_at', '>', sql<Date>`now()`);
  const row = await (lock ? query.forUpdate() : query).executeTakeFirst();
  return row && { purpose: row.purpose, siteId: row.site_id, userId: row.user_id, expiresAt: row.expires_at };
}

/** Marks the link as used: it opens nothing again. */
export async function useLink(tx: Tx, token: string): Promise<void> {
  await tx
    .updateTable('one_time_link')
    .set({ used_at: sql<Date>`now()` })
    .where('token_hash', '=', hashSecret(token))
    .execute();
}

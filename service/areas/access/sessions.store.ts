import { sql } from 'kysely';
import type { SessionInfo } from '../../../contract/generated/types.gen.ts';
import { SESSION_IDLE_MINUTES } from '../../kernel/auth/callers.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

interface SessionRow extends Omit<SessionInfo, 'site' | 'createdDate' | 'lastSeenDate' | 'expiresDate'> {
  siteId: number;
  slug: string;
  name: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

const toSessionInfo = ({
  siteId,
  slug,
  name,
  createdAt,
  lastSeenAt,
  expiresAt,
  ...row
}: SessionRow): SessionInfo => ({
  ...row,
  site: { id: siteId, slug, name },
  createdDate: createdAt.toISOString(),
  lastSeenDate: lastSeenAt.toISOString(),
  expiresDate: expiresAt.toISOString(),
});

/** The valid, fully signed-in sessions of a user on one site or on all sites, most recently used first. */
export async function listSessions(
  db: Db,
  userId: number,
  { siteId, currentTokenHash }: { siteId?: number | undefined; currentTokenHash: Buffer },
): Promise<SessionInfo[]> {
  const { rows } = await sql<SessionRow>`
    select s.session_id as id, s.site_id as "siteId", t.slug, t.name, s.created_at as "createdAt",
      s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt", s.ip as "ipAddress",
      s.user_agent as "userAgent", s.token_hash = ${currentTokenHash} as "isCurrent", s.verified_by as "verifiedBy"
    from session s join site t on t.site_id = s.site_id
    where s.user_id = ${userId} and s.pending is null and s.expires_at > now()
      and s.last_seen_at > now() - make_interval(mins => ${SESSION_IDLE_MINUTES})
      ${siteId === undefined ? sql`` : sql`and s.site_id = ${siteId}`}
    order by s.last_seen_at desc, s.session_id`.execute(db);
  return rows.map(toSessionInfo);
}

/** Ends sessions of a user, half-completed sign-ins included, except the one of the caller. Returns their number. */
export async function endSessions(
  tx: Tx,
  userId: number,
  filter: { siteId?: number | undefined; sessionId?: string | undefined; exceptTokenHash: Buffer },
): Promise<number> {
  let query = tx
    .deleteFrom('session')
    .where('user_id', '=', userId)
    .where('token_hash', '<>', filter.exceptTokenHash);
  if (filter.siteId !== undefined) query = query.where('site_id', '=', filter.siteId);
  if (filter.sessionId !== undefined) query = query.where('session_id', '=', filter.sessionId);
  const { numDeletedRows } = await query.executeTakeFirst();
  return Number(numDeletedRows);
}

/** Whether the session id belongs to the session with this token. */
export async function isOwnSession(db: Db, tokenHash: Buffer, sessionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('session')
    .select('session_id')
    .where('token_hash', '=', tokenHash)
    .where('session_id', '=', sessionId)
    .executeTakeFirst();
  return row !== undefined;
}

/** End of validity of the session's last proof of presence; undefined if there is none that is still valid. */
export async function getProofExpiry(db: Db, tokenHash: Buffer, minutes: number): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select proven_at + make_interval(mins => ${minutes}) as until from session
    where token_hash = ${tokenHash} and proven_at > now() - make_interval(mins => ${minutes})`.execute(db);
  return rows[0]?.until;
}

/** The part of an account needed to describe its sign-in methods and to send mail. */
export async function readAccount(
  db: Db,
  userId: number,
): Promise<{ hasPassword: boolean; homeSiteId: number; firstName: string; email: string } | undefined> {
  return db
    .selectFrom('account')
    .select(['home_site_id as homeSiteId', 'first_name as firstName', 'email'])
    .select((eb) => eb('password_hash', 'is not', null).$castTo<boolean>().as('hasPassword'))
    .where('user_id', '=', userId)
    .executeTakeFirst();
}

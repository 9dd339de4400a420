import { sql } from 'kysely';
import type { SessionInfo } from '../../../contract/generated/types.gen.ts';
import { IDLE_MINUTES } from '../../kernel/auth/store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';

interface SessionRow extends Omit<SessionInfo, 'site' | 'createdDate' | 'lastSeenDate' | 'expiresDate'> {
  siteId: number;
  slug: string;
  name: string;
  createdAt: Date;
  lastSeenAt: Date;
  expiresAt: Date;
}

const toInfo = ({
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

/** The whole sessions of a person that hold, the one used last first: on one site, or on all. */
export async function listSessions(
  db: Db,
  userId: number,
  { siteId, current }: { siteId?: number | undefined; current: Buffer },
): Promise<SessionInfo[]> {
  const { rows } = await sql<SessionRow>`
    select s.session_id as id, s.site_id as "siteId", t.slug, t.name, s.created_at as "createdAt",
      s.last_seen_at as "lastSeenAt", s.expires_at as "expiresAt", s.ip as "ipAddress",
      s.user_agent as "userAgent", s.token_hash = ${current} as "isCurrent", s.verified_by as "verifiedBy"
    from session s join site t on t.site_id = s.site_id
    where s.user_id = ${userId} and s.pending is null and s.expires_at > now()
      and s.last_seen_at > now() - make_interval(mins => ${IDLE_MINUTES})
      ${siteId === undefined ? sql`` : sql`and s.site_id = ${siteId}`}
    order by s.last_seen_at desc, s.session_id`.execute(db);
  return rows.map(toInfo);
}

/** Ends sessions of a person, halves of sign-ins too, never the one of the caller; answers how many. */
export async function endSessions(
  tx: Tx,
  userId: number,
  which: { siteId?: number | undefined; sessionId?: string | undefined; butFor: Buffer },
): Promise<number> {
  const { numAffectedRows } = await sql`
    delete from session where user_id = ${userId} and token_hash <> ${which.butFor}
      ${which.siteId === undefined ? sql`` : sql`and site_id = ${which.siteId}`}
      ${which.sessionId === undefined ? sql`` : sql`and session_id = ${which.sessionId}::uuid`}`.execute(tx);
  return Number(numAffectedRows ?? 0n);
}

/** Whether this is the session of the caller. */
export async function isOwnSession(db: Db, tokenHash: Buffer, sessionId: string): Promise<boolean> {
  const { rows } = await sql`
    select 1 from session where token_hash = ${tokenHash} and session_id = ${sessionId}::uuid`.execute(db);
  return rows.length > 0;
}

/** Until when the last proof of a session holds; undefined when it holds no longer. */
export async function proofHolds(db: Db, tokenHash: Buffer, minutes: number): Promise<Date | undefined> {
  const { rows } = await sql<{ until: Date }>`
    select proven_at + make_interval(mins => ${minutes}) as until from session
    where token_hash = ${tokenHash} and proven_at > now() - make_interval(mins => ${minutes})`.execute(db);
  return rows[0]?.until;
}

/** What is told of an account besides its factors. */
export async function readAccount(
  db: Db,
  userId: number,
): Promise<{ hasPassword: boolean; homeSiteId: number; firstName: string; email: string } | undefined> {
  const { rows } = await sql<{ hasPassword: boolean; homeSiteId: number; firstName: string; email: string }>`
    select password_hash is not null as "hasPassword", home_site_id as "homeSiteId", first_name as "firstName", email
    from account where user_id = ${userId}`.execute(db);
  return rows[0];
}

import { sql, type RawBuilder } from 'kysely';
import { SESSION_IDLE_MINUTES, toInet } from '../auth/callers.store.ts';
import { type Db, executeLater, type Tx } from '../db/database.ts';

/** Activity types that the service writes (shapes 2, UserActivityQuery); names in contract/rules/activity.ts. */
export const ACTIVITY_TYPE = {
  signedIn: 1,
  failed: 2,
  signedOut: 3,
  expired: 4,
  lockedOut: 5,
  unverified: 6,
  forbidden: 7,
  exported: 8,
  switched: 9,
  backup: 10,
} as const;

/** Sources of activity that the service writes (shapes 2). */
export const ACTIVITY_SOURCE = { web: 1, api: 3 } as const;

export interface ActivityRow {
  siteId: number;
  /** The user who acted; the proxy when one acts for a principal. */
  userId: number;
  kind: number;
  ip: string;
  /** Id of the session, or the hash of the session or access token. */
  session?: string | Buffer | undefined;
  /** The principal when a proxy acts. */
  principalUserId?: number | undefined;
  /** One of ACTIVITY_SOURCE; default: web. */
  source?: number;
  /** Only for exports. */
  exportDataType?: number;
  /** What an export contained: subject, filter, fields, rows, format. */
  exportDetail?: object;
}

const buildSessionId = (session: ActivityRow['session']) =>
  typeof session === 'string'
    ? sql`${session}::uuid`
    : sql`coalesce((select session_id from session where token_hash = ${session ?? null}),
        (select session_id from access_token where token_hash = ${session ?? null}))`;

/**
 * Inserts one row of the activity report (spec 2.3) with the time of the insert, so that the report only grows at its newest end.
 * Call it as late in a transaction as possible: the triggers lock rollup rows, which all writers share, until the commit.
 */
export async function insertActivity(db: Db, row: ActivityRow): Promise<void> {
  await buildInsert(row).execute(db);
}

/** Like `insertActivity`, with the commit of the transaction. */
export const insertActivityLater = (tx: Tx, row: ActivityRow): void => executeLater(buildInsert(row), tx);

const buildInsert = (row: ActivityRow) =>
  sql`insert into activity
      (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id, principal_user_id, export_data_type,
       export_detail)
    values (${row.siteId}, clock_timestamp(), ${row.userId}, ${row.kind}, ${row.source ?? ACTIVITY_SOURCE.web}, ${toInet(row.ip)}::inet,
      ${buildSessionId(row.session)}, ${row.principalUserId ?? null}, ${row.exportDataType ?? null},
      ${row.exportDetail ? JSON.stringify(row.exportDetail) : null}::jsonb)`;

/** Sessions of each kind, expired and idle ones, that are ended by one statement. */
const SESSION_BATCH_ROWS = 1_000;

/**
 * Deletes a batch of sessions that have expired or been idle too long and records their expiry. Several processes may do this at the
 * same time: each session is deleted and recorded once.
 * @returns whether there may be more
 */
export async function deleteExpiredSessions(db: Db, limit = SESSION_BATCH_ROWS): Promise<boolean> {
  const hasExpired = sql`expires_at < now()`;
  const isIdle = sql`last_seen_at < now() - make_interval(mins => ${SESSION_IDLE_MINUTES})`;
  // Each condition is checked again once the row is locked: a request may have used the session in the meantime.
  const count = await deleteSessions(
    db,
    sql`token_hash = any(array(select token_hash from session where ${hasExpired} order by expires_at limit ${limit})
        || array(select token_hash from session where ${isIdle} order by last_seen_at limit ${limit}))
      and (${hasExpired} or ${isIdle}) for update skip locked`,
  );
  return count >= limit;
}

/**
 * Deletes the least recently used sessions of a user, on all sites, beyond `maxSessions`; the session with `tokenHash`, which has
 * just started, stays. Sessions opened by the identity manager of a site are counted separately, because that manager must not be
 * able to end sessions elsewhere (ASVS 6.8.1). The account must be locked: two parallel calls would each count the other's session.
 * @returns the number of deleted sessions
 */
export async function deleteOldestSessions(
  tx: Tx,
  { userId, tokenHash, maxSessions }: { userId: number; tokenHash: Buffer; maxSessions: number },
): Promise<number> {
  const condition = sql`user_id = ${userId} and pending is null and token_hash <> ${tokenHash}
    and ${MANAGER_SITE} is not distinct from (select ${MANAGER_SITE} from session where token_hash = ${tokenHash})
    order by last_seen_at desc, created_at desc offset ${sql.lit(maxSessions - 1)}`;
  // An insert without rows runs the triggers that count activity, a tenth of a sign-in's time in the database.
  const { rows } = await sql`select from session where ${condition} limit 1`.execute(tx);
  return rows.length === 0 ? 0 : deleteSessions(tx, sql`${condition} for update`);
}

/** The site whose identity manager opened a session; null for other sign-ins. */
const MANAGER_SITE = sql`case when is_federated then site_id end`;

/** Deletes sessions and records their expiry; half-completed sign-ins are recorded as failed for lack of verification. */
async function deleteSessions(db: Db, condition: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with expired as materialized (select token_hash from session where ${condition}),
    deleted as (delete from session using expired where session.token_hash = expired.token_hash
      returning site_id, user_id, ip, session_id, pending)
    insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id)
    select site_id, clock_timestamp(), user_id,
      case when pending is null then ${ACTIVITY_TYPE.expired}::int else ${ACTIVITY_TYPE.unverified}::int end, ${ACTIVITY_SOURCE.web}, ip::inet, session_id from deleted`.execute(
    db,
  );
  return Number(numAffectedRows);
}

/** Rows deleted by one statement; sign-ins wait for one such statement at most. */
const DELETE_BATCH_ROWS = 5_000;

/** Ids of the sites with activity older than `days`; one index lookup for each site. */
export async function listSitesWithOldActivity(db: Db, days: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select site_id as id from site s where exists (
      select from activity a where a.site_id = s.site_id and a.at < now() - make_interval(days => ${days}::int))
    order by site_id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Deletes a batch of activity of a site older than `days`. @returns whether there may be more */
export async function deleteOldActivity(db: Db, siteId: number, days: number): Promise<boolean> {
  const { numAffectedRows } = await sql`delete from activity where activity_id in (
    select activity_id from activity where site_id = ${siteId} and at < now() - make_interval(days => ${days}::int)
    order by at limit ${DELETE_BATCH_ROWS} for update skip locked)
    and at < now() - make_interval(days => ${days}::int)`.execute(db);
  return Number(numAffectedRows ?? 0n) === DELETE_BATCH_ROWS;
}

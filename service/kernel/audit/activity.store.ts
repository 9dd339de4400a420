import { sql, type RawBuilder } from 'kysely';
import { IDLE_MINUTES, inet } from '../auth/store.ts';
import type { Db, Tx } from '../db/database.ts';

/** Kinds of activity that the service writes (shapes 2, UserActivityQuery). */
export const ACTIVITY = {
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

/** Through what a user did it (shapes 2). */
export const SOURCE = { web: 1, api: 3 } as const;

export interface ActivityRow {
  siteId: number;
  /** Who really did it. */
  userId: number;
  kind: number;
  ip: string;
  /** The session in which they did it, or the hash of its token. */
  session?: string | Buffer | undefined;
  /** For whom, where a proxy did it. */
  principalUserId?: number | undefined;
  /** By default the console. */
  source?: number;
  /** Of an export alone. */
  exportDataType?: number;
}

const sessionOf = (session: ActivityRow['session']) =>
  typeof session === 'string'
    ? sql`${session}::uuid`
    : sql`coalesce((select session_id from session where token_hash = ${session ?? null}),
        (select session_id from access_token where token_hash = ${session ?? null}))`;

/**
 * One row of the activity report (spec 2.3): what, who, for whom, from where. Its moment is that of writing, so that
 * the report only grows at its newest end. It is a transaction's last statement where it can be: what counts the
 * report is held until the end by everybody who writes into it.
 */
export async function writeActivity(db: Db, row: ActivityRow): Promise<void> {
  await sql`insert into activity
      (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id, principal_user_id, export_data_type)
    values (${row.siteId}, clock_timestamp(), ${row.userId}, ${row.kind}, ${row.source ?? SOURCE.web}, ${inet(row.ip)}::inet,
      ${sessionOf(row.session)}, ${row.principalUserId ?? null}, ${row.exportDataType ?? null})`.execute(db);
}

/**
 * Ends every session that has run out, by silence or at its end: once, however many processes do this at the same
 * moment, for each session is deleted by one of them.
 */
export async function expireSessions(db: Db): Promise<void> {
  await endSessions(
    db,
    sql`expires_at < now() or last_seen_at < now() - make_interval(mins => ${IDLE_MINUTES}) for update skip locked`,
  );
}

/**
 * Ends what the person used longest ago of more than `most` sessions, on all sites together; the one of this hash has
 * just begun and stays. Those that the identity manager of a site opened are counted by themselves: it may say who comes
 * in there, and must not be able to sign anybody out elsewhere (ASVS 6.8.1). Tells how many. Call it with the account
 * locked: of two at once each counts the other.
 */
export const endOldestSessions = (
  tx: Tx,
  { userId, tokenHash, most }: { userId: number; tokenHash: Buffer; most: number },
): Promise<number> =>
  endSessions(
    tx,
    sql`user_id = ${userId} and pending is null and token_hash <> ${tokenHash}
      and ${MANAGER} is not distinct from (select ${MANAGER} from session where token_hash = ${tokenHash})
      order by last_seen_at desc, created_at desc offset ${most - 1} for update`,
  );

/** The site whose identity manager opened a session; null: the person did, by their own means. */
const MANAGER = sql`case when is_federated then site_id end`;

/** Ends sessions and writes it into the report; a sign-in that never became whole as one that lacked its verification. */
async function endSessions(db: Db, which: RawBuilder<unknown>): Promise<number> {
  const { numAffectedRows = 0n } = await sql`
    with over as materialized (select token_hash from session where ${which}),
    gone as (delete from session using over where session.token_hash = over.token_hash
      returning site_id, user_id, ip, session_id, pending)
    insert into activity (site_id, at, user_id, activity_type_id, source_type_id, ip_address, session_id)
    select site_id, clock_timestamp(), user_id,
      case when pending is null then ${ACTIVITY.expired}::int else ${ACTIVITY.unverified}::int end, ${SOURCE.web}, ip::inet, session_id from gone`.execute(
    db,
  );
  return Number(numAffectedRows);
}

/** Rows deleted by one statement: those who sign in meanwhile wait for no more than that. */
const PIECE = 5_000;

/** Deletes what is older than so many days, site by site and a piece at a time; answers how many rows that were. */
export async function forgetActivity(db: Db, days: number): Promise<number> {
  let forgotten = 0;
  const { rows: sites } = await sql<{ id: number }>`select site_id as id from site order by 1`.execute(db);
  for (const { id } of sites) {
    for (let n = PIECE; n === PIECE; forgotten += n) {
      // oxlint-disable-next-line no-await-in-loop -- small pieces are the point
      const { numAffectedRows } = await sql`delete from activity where activity_id in (
        select activity_id from activity where site_id = ${id} and at < now() - make_interval(days => ${days}::int)
        order by at limit ${PIECE} for update skip locked)`.execute(db);
      n = Number(numAffectedRows ?? 0n);
    }
  }
  return forgotten;
}

import { sql } from 'kysely';
import { type Db, executeLater, type Tx, withTransaction } from '../../../kernel/db/database.ts';
import { getDbError } from '../../../kernel/db/driver/errors.ts';
import { createLeases } from '../../../kernel/tasks/leases.store.ts';

/** Requests of a site in a minute (spec 8). */
export const REQUESTS_PER_WINDOW = 5;
export const WINDOW_SECONDS = 60;
/** Time after which an import whose process does not answer no longer excludes others. */
const LEASE_SECONDS = 30;
export const LEASE_RENEWAL_MS = 10_000;
const leases = createLeases();
/** An import that is just ending locks the gate until its commit; a request that would wait longer is told that it runs. */
const LOCK_TIMEOUT = sql`set local lock_timeout = '2s'`;
const LOCK_NOT_AVAILABLE = '55P03';

/** The answer to a request. */
export interface Admission {
  /** Whether an import of the site runs. */
  isBusy: boolean;
  /** Whether the site has used its requests of the last minute. */
  isLimited: boolean;
  /** Requests of the last minute, this one included if it was admitted. */
  used: number;
  /** Seconds until the oldest of them no longer counts. */
  resetSeconds: number;
  /** Number of the lease; later leases have greater ones. */
  fence: number;
  /** Time of the database. */
  now: Date;
}

/** The lease of an import. */
export interface LeaseKey {
  siteId: number;
  fence: number;
}

const BUSY = { isBusy: true, isLimited: false, used: 0, resetSeconds: 0, fence: 0 } as const;

interface AdmissionRequest {
  siteId: number;
  userId: number;
  /** Set for an import, which excludes others until `releaseLease` or the end of its lease. */
  takesLease: boolean;
}

/**
 * Admits a request or not, in one statement on the clock of the database, so that the limits hold for all processes. Only admitted
 * requests count. The lease is committed, so that everybody sees it: the store takes no open transaction.
 */
export async function admit(db: Db, request: AdmissionRequest): Promise<Admission> {
  try {
    return await withTransaction(db, {}, (tx) => admitOrWait(tx, request));
  } catch (error) {
    if (getDbError(error)?.code !== LOCK_NOT_AVAILABLE) throw error;
    return { ...BUSY, now: new Date() };
  }
}

async function admitOrWait(tx: Tx, { siteId, userId, takesLease }: AdmissionRequest): Promise<Admission> {
  executeLater(LOCK_TIMEOUT, tx);
  executeLater(sql`insert into ri_gate (site_id) values (${siteId}) on conflict do nothing`, tx);
  const { rows } = await sql<Admission>`
    with gate as (select *, clock_timestamp() as now_at from ri_gate where site_id = ${siteId} for update),
    counted as (select gate.*, array(select hit from unnest(hits) as hit
      where hit > now_at - make_interval(secs => ${WINDOW_SECONDS}) order by hit) as live from gate),
    decided as (select counted.*, ${leases.isHeld()} as busy,
      cardinality(live) >= ${REQUESTS_PER_WINDOW} as limited from counted),
    chosen as (select decided.*, not (busy or limited) as admitted, not (busy or limited) and ${takesLease}::boolean as takes
      from decided)
    update ri_gate g set
      hits = case when c.admitted then c.live || c.now_at else c.live end,
      holder_user_id = case when c.takes then ${userId}::int else g.holder_user_id end,
      ${leases.claim(LEASE_SECONDS, 'g', sql<boolean>`c.takes`)}
    from chosen c where g.site_id = c.site_id
    returning c.busy as "isBusy", c.limited as "isLimited", cardinality(g.hits) as used, g.fence, c.now_at as now,
      coalesce(extract(epoch from g.hits[1] + make_interval(secs => ${WINDOW_SECONDS}) - c.now_at), 0)::float8 as "resetSeconds"`.execute(
    tx,
  );
  const [admission] = rows;
  if (!admission) throw new Error('The gate of the site does not exist');
  return admission;
}

/** Prolongs a lease that has not been ended; a renewal may arrive after the end. */
export async function renewLease(db: Db, { siteId, fence }: LeaseKey): Promise<void> {
  await sql`update ri_gate set ${leases.renew(LEASE_SECONDS)}
    where site_id = ${siteId} and ${leases.isUnclaimedSince(fence)} and lease_until is not null`.execute(db);
}

/** Ends a lease. @returns false if another import has taken it meanwhile */
export async function releaseLease(db: Db | Tx, { siteId, fence }: LeaseKey): Promise<boolean> {
  const { numAffectedRows } = await sql`update ri_gate set holder_user_id = null, ${leases.end}
    where site_id = ${siteId} and ${leases.isUnclaimedSince(fence)}`.execute(db);
  return numAffectedRows === 1n;
}

/** The use of the budget at this moment. */
export async function readBudget(
  db: Db,
  siteId: number,
): Promise<{
  used: number;
  resetSeconds: number;
  holderId: number | null;
  holderName: string | null;
  isImporting: boolean;
}> {
  const { rows } = await sql<Awaited<ReturnType<typeof readBudget>>>`
    select live.used, live."resetSeconds", coalesce(g.lease_until > clock_timestamp(), false) as "isImporting",
      case when g.lease_until > clock_timestamp() then g.holder_user_id end as "holderId",
      case when g.lease_until > clock_timestamp() and m.user_id is not null
        then a.first_name || ' ' || a.last_name end as "holderName"
    from ri_gate g left join account a on a.user_id = g.holder_user_id
    left join membership m on m.site_id = g.site_id and m.user_id = g.holder_user_id,
    lateral (select count(*)::int as used,
      coalesce(ceil(extract(epoch from min(hit) + make_interval(secs => ${WINDOW_SECONDS}) - clock_timestamp())), 0)::int as "resetSeconds"
      from unnest(g.hits) as hit where hit > clock_timestamp() - make_interval(secs => ${WINDOW_SECONDS})) as live
    where g.site_id = ${siteId}`.execute(db);
  return rows[0] ?? { used: 0, resetSeconds: 0, isImporting: false, holderId: null, holderName: null };
}

import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';

/** Number of days for which usage is stored and reported. */
const USAGE_RETENTION_DAYS = 30;
/** Maximum number of rows per kind; the total includes the others. */
const MAX_ROWS_PER_KIND = 50;

/** Number of identical calls counted by one process. */
export interface KeyUsage {
  clientId: number;
  operationId: string;
  ip: string;
  agent: string;
  calls: number;
}

/** Adds the counts in one statement. Counts of deleted keys are ignored. */
export async function addKeyUsage(db: Db, usages: readonly KeyUsage[]): Promise<void> {
  const column = <K extends keyof KeyUsage>(key: K): KeyUsage[K][] => usages.map((usage) => usage[key]);
  await sql`
    with counted as (
      select u.* from unnest(${column('clientId')}::int[], ${column('operationId')}::text[], ${column('ip')}::text[],
        ${column('agent')}::text[], ${column('calls')}::int[]) as u (client_id, operation_id, ip, agent, calls)
      join api_key k on k.client_id = u.client_id order by 1, 2, 3, 4),
    used as (update api_key k set last_used_at = now() where k.client_id in (select client_id from counted))
    insert into api_key_use as t (client_id, day, operation_id, ip, agent, calls)
    select client_id, (now() at time zone 'UTC')::date, operation_id, ip, agent, calls from counted
    on conflict (client_id, day, operation_id, ip, agent) do update set calls = t.calls + excluded.calls`.execute(
    db,
  );
}

export interface CallCount {
  name: string;
  calls: number;
  lastDate: string;
}

/** Usage of a key in total and by operation, address and agent, most calls first. */
export async function readKeyUsage(
  db: Db,
  clientId: number,
): Promise<{ since: Date; calls: number; by: Record<'operation_id' | 'ip' | 'agent', CallCount[]> }> {
  const since = sql`(now() at time zone 'UTC')::date - ${USAGE_RETENTION_DAYS}::int`;
  const { rows } = await sql<{ since: Date; calls: number }>`
    select (${since})::timestamp at time zone 'UTC' as since,
      (select coalesce(sum(calls), 0)::int8 from api_key_use where client_id = ${clientId} and day >= ${since}) as calls`.execute(
    db,
  );
  const countBy = async (column: 'operation_id' | 'ip' | 'agent') =>
    (
      await sql<CallCount>`
        select ${sql.id(column)} as name, sum(calls)::int8 as calls, to_char(max(day), 'YYYY-MM-DD') as "lastDate"
        from api_key_use where client_id = ${clientId} and day >= ${since}
        group by 1 order by 2 desc, 1 limit ${MAX_ROWS_PER_KIND}`.execute(db)
    ).rows;
  return {
    since: rows[0]?.since ?? new Date(),
    calls: rows[0]?.calls ?? 0,
    by: {
      operation_id: await countBy('operation_id'),
      ip: await countBy('ip'),
      agent: await countBy('agent'),
    },
  };
}

const DELETE_BATCH_ROWS = 5_000;

/** Deletes a batch of counts older than the retention period. @returns whether there may be more */
export async function deleteOldKeyUsage(db: Db): Promise<boolean> {
  const { numAffectedRows } =
    await sql`delete from api_key_use where (client_id, day, operation_id, ip, agent) in (
    select client_id, day, operation_id, ip, agent from api_key_use
    where day < (now() at time zone 'UTC')::date - ${USAGE_RETENTION_DAYS + 1}::int
    order by day limit ${DELETE_BATCH_ROWS} for update skip locked)`.execute(db);
  return numAffectedRows === BigInt(DELETE_BATCH_ROWS);
}

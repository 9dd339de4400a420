import { sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';

/** The use of keys is kept and told for so many days. */
const USE_DAYS = 30;
/** More than anybody reads; what is beyond is in the sum. */
const SHOWN = 50;

/** Calls of one kind that a process has counted. */
export interface Use {
  clientId: number;
  operationId: string;
  ip: string;
  agent: string;
  calls: number;
}

/** Adds what was counted, in one statement; keys that are gone are left out. */
export async function addUse(db: Db, uses: readonly Use[]): Promise<void> {
  const column = <K extends keyof Use>(key: K): Use[K][] => uses.map((use) => use[key]);
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

export interface CallsOf {
  name: string;
  calls: number;
  lastDate: string;
}

/** What a key was called for, from where and by what; the first of each kind. */
export async function readUse(
  db: Db,
  clientId: number,
): Promise<{ since: Date; calls: number; by: Record<'operation_id' | 'ip' | 'agent', CallsOf[]> }> {
  const since = sql`(now() at time zone 'UTC')::date - ${USE_DAYS}::int`;
  const { rows } = await sql<{ since: Date; calls: number }>`
    select (${since})::timestamp at time zone 'UTC' as since,
      (select coalesce(sum(calls), 0)::int8 from api_key_use where client_id = ${clientId} and day >= ${since}) as calls`.execute(
    db,
  );
  const by = async (column: 'operation_id' | 'ip' | 'agent') =>
    (
      await sql<CallsOf>`
        select ${sql.id(column)} as name, sum(calls)::int8 as calls, to_char(max(day), 'YYYY-MM-DD') as "lastDate"
        from api_key_use where client_id = ${clientId} and day >= ${since}
        group by 1 order by 2 desc, 1 limit ${SHOWN}`.execute(db)
    ).rows;
  return {
    since: rows[0]?.since ?? new Date(),
    calls: rows[0]?.calls ?? 0,
    by: { operation_id: await by('operation_id'), ip: await by('ip'), agent: await by('agent') },
  };
}

/** Forgets what is older than is told. */
export async function forgetUse(db: Db): Promise<void> {
  await sql`delete from api_key_use where day < (now() at time zone 'UTC')::date - ${USE_DAYS + 1}::int`.execute(
    db,
  );
}

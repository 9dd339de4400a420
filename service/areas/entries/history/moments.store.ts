import { sql } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';

/** Entries whose logs are looked through, those that changed first. Where more have, a step may pass over a change of others. */
const MOST = 20_000;

interface Moments {
  before: Date | null;
  after: Date | null;
}

/** When entries of the type changed last before a moment, and first after it. */
export async function momentsAround(db: Db, siteId: number, typeId: number, at: Date): Promise<Moments> {
  const moment = sql`${at}::timestamptz(3)`;
  const { rows } = await sql<Moments>`
    with later as materialized (
      select entry_id, created_at, any_at from entry_change
      where site_id = ${siteId} and type_id = ${typeId} and any_at >= ${moment} order by any_at limit ${MOST}),
    logged as (
      select max(l.before) as before, min(l.after) as after from later cross join lateral (
        select max(at) filter (where at < ${moment}) as before, min(at) filter (where at > ${moment}) as after
        from cell_log where site_id = ${siteId} and entry_id = later.entry_id) l),
    made as (
      select max(created_at) filter (where created_at < ${moment}) as before,
        least(min(created_at) filter (where created_at > ${moment}), min(any_at) filter (where any_at > ${moment})) as after from later)
    select greatest(logged.before, made.before, (select max(any_at) from entry_change
        where site_id = ${siteId} and type_id = ${typeId} and any_at < ${moment})) as before,
      least(logged.after, made.after) as after
    from logged, made`.execute(db);
  return rows[0] ?? { before: null, after: null };
}

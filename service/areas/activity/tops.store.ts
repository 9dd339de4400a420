import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '../../kernel/db/database.ts';
import { everybodyAxis, everywhereAxis, rowsByTime, type Axis } from './cells.store.ts';
import type { Filter } from './rules.ts';
import { cut } from './segments.ts';

/** The ten parts of an axis with the most rows: from its whole weeks, and at the edges from the rows. */
async function tops(
  tx: Tx,
  siteId: number,
  filter: Filter,
  axis: Pick<Axis, 'widthMs' | 'condition' | 'cells'>,
  part: RawBuilder<unknown>,
  text = sql`part::text`,
) {
  const { whole, edges } = cut(filter, axis.widthMs);
  const parts = [
    ...(whole ? [sql`select part, n from (${axis.cells(whole)}) c`] : []),
    ...edges.map((edge) => sql`select ${part}, 1 from ${rowsByTime(siteId, filter, edge, axis.condition)} r`),
  ];
  const { rows } = await sql<{ of: string; n: number }>`
    select ${text} as of, sum(n)::bigint as n from (${sql.join(parts, sql` union all `)}) p (part, n)
    group by part order by n desc, part limit 10`.execute(tx);
  return rows;
}

/** Who and which addresses are most in the report of the whole site. */
export async function topsOfSite(tx: Tx, siteId: number, filter: Filter) {
  const users = await tops(tx, siteId, filter, everybodyAxis(siteId, filter), sql`user_id`);
  const addresses = await tops(
    tx,
    siteId,
    filter,
    everywhereAxis(siteId, filter),
    sql`ip_address`,
    sql`host(part)`,
  );
  return { users: users.map(({ of, n }) => ({ of: Number(of), n })), addresses };
}

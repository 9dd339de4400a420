import { sql, type RawBuilder } from 'kysely';
import type { ExclusionTrial } from '../../../../contract/generated/types.gen.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { listRelations } from './relations.store.ts';

/** Whether the column is the address, or an address of the domain or its subdomains. */
const matchesValue = (column: RawBuilder<unknown>, value: string): RawBuilder<unknown> =>
  value.includes('@')
    ? sql`${column} = ${value}`
    : sql`(right(${column}, ${value.length + 1}) in (${`@${value}`}, ${`.${value}`}))`;

const TRIAL_DAYS = 90;
const MAX_STRONGEST = 10;

/** Items of the last 90 days that an exclusion would have skipped; without `readsNames` in numbers only. */
export async function tryExclusion(
  db: Db,
  siteId: number,
  value: string,
  readsNames: boolean,
): Promise<ExclusionTrial> {
  const { rows } = await sql<Omit<ExclusionTrial, 'strongest'>>`
    with item as (select kind, item_key, exists (select from unnest(addresses) as address
        where ${matchesValue(sql`address`, value)}) as is_hit, addresses
      from ri_item where site_id = ${siteId} and at >= now() - make_interval(days => ${TRIAL_DAYS}))
    select count(*) filter (where kind = 1 and is_hit)::int as emails, count(*) filter (where kind = 2 and is_hit)::int as meetings,
      count(*) filter (where kind = 1)::int as "totalEmails", count(*) filter (where kind = 2)::int as "totalMeetings",
      (select count(distinct l.user_id)::int from ri_item_user l join item i using (kind, item_key)
        where l.site_id = ${siteId} and i.is_hit) as users,
      (select count(distinct address)::int from item i, unnest(i.addresses) as address
        where i.is_hit and ${matchesValue(sql`address`, value)}) as addresses
    from item`.execute(db);
  const [counts] = rows;
  if (!counts) throw new Error('The trial returned nothing');
  if (!readsNames) return { ...counts, strongest: [] };
  const { relationships } = await listRelations(
    db,
    siteId,
    value.includes('@') ? { address: value } : { domain: value },
    { limit: MAX_STRONGEST, offset: 0 },
  );
  return { ...counts, strongest: relationships };
}

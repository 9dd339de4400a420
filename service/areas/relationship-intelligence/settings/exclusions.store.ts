import { sql, type RawBuilder } from 'kysely';
import type { ExclusionTrial } from '../../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { listRelations } from '../relations/relations.store.ts';

export interface StoredExclusion {
  id: number;
  value: string;
  note: string | null;
  createdDate: Date;
  createdById: number;
  createdByName: string | null;
}

export async function listExclusions(db: Db | Tx, siteId: number): Promise<StoredExclusion[]> {
  const { rows } = await sql<StoredExclusion>`
    select e.exclusion_id as id, e.value, e.note, e.created_at as "createdDate", e.created_by as "createdById",
      case when m.user_id is not null then a.first_name || ' ' || a.last_name end as "createdByName"
    from ri_exclusion e left join account a on a.user_id = e.created_by
    left join membership m on m.site_id = e.site_id and m.user_id = e.created_by
    where e.site_id = ${siteId} order by e.value`.execute(db);
  return rows;
}

/** @returns the id; undefined if the value is excluded already */
export async function insertExclusion(
  tx: Tx,
  exclusion: { siteId: number; userId: number; value: string; note: string | null },
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into ri_exclusion (site_id, value, note, created_by)
    values (${exclusion.siteId}, ${exclusion.value}, ${exclusion.note}, ${exclusion.userId})
    on conflict do nothing returning exclusion_id as id`.execute(tx);
  return rows[0]?.id;
}

export async function deleteExclusion(tx: Tx, siteId: number, exclusionId: number): Promise<boolean> {
  const { numAffectedRows } = await sql`
    delete from ri_exclusion where site_id = ${siteId} and exclusion_id = ${exclusionId}`.execute(tx);
  return numAffectedRows === 1n;
}

/** Whether the column is the address, or an address of the domain or its subdomains. */
export const matchesValue = (column: RawBuilder<unknown>, value: string): RawBuilder<unknown> =>
  value.includes('@')
    ? sql`${column} = ${value}`
    : sql`(right(${column}, ${value.length + 1}) in (${`@${value}`}, ${`.${value}`}))`;

const TRIAL_DAYS = 90;
const MAX_STRONGEST = 10;

/** What an exclusion would have skipped of the items of the last 90 days. */
export async function tryExclusion(db: Db, siteId: number, value: string): Promise<ExclusionTrial> {
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
  const { relationships } = await listRelations(
    db,
    siteId,
    value.includes('@') ? { address: value } : { domain: value },
    { limit: MAX_STRONGEST, offset: 0 },
  );
  return { ...counts, strongest: relationships };
}

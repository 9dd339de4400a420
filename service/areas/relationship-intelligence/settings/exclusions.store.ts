import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';

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

import { sql } from 'kysely';
import type { Tx } from '../../../kernel/db/database.ts';
import type { Vals } from '../../schema/index.ts';

/** How an entry went, and what it held at the end. */
export interface Deleted {
  name: string;
  vals: Vals;
  deletedAt: Date;
  deletedBy: number | null;
  mergedInto: number | null;
}

/** Deleted entries of a type, kept from being restored twice at once. */
export async function lockDeleted(
  tx: Tx,
  siteId: number,
  typeId: number,
  ids: readonly number[],
): Promise<Map<number, Deleted>> {
  const { rows } = await sql<Deleted & { id: number }>`
    select entry_id as id, name, last_vals as vals, deleted_at as "deletedAt", modified_by as "deletedBy", merged_into as "mergedInto"
    from entry_change
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and type_id = ${typeId} and deleted_at is not null
    order by entry_id for update`.execute(tx);
  return new Map(rows.map(({ id, ...deleted }) => [id, deleted]));
}

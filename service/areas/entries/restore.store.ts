import { sql } from 'kysely';
import type { Tx } from '../../kernel/db/database.ts';
import type { Vals } from '../schema/index.ts';

/** Deleted entries of a type with what they held at the end, kept from being restored twice at once. */
export async function lockDeleted(
  tx: Tx,
  siteId: number,
  typeId: number,
  ids: readonly number[],
): Promise<Map<number, Vals>> {
  const { rows } = await sql<{ entry_id: number; last_vals: Vals }>`
    select entry_id, last_vals from entry_change
    where site_id = ${siteId} and entry_id = any(${[...ids]}::int[]) and type_id = ${typeId} and deleted_at is not null
    order by entry_id for update`.execute(tx);
  return new Map(rows.map((row) => [row.entry_id, row.last_vals]));
}

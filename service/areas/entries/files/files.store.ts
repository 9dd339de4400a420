import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { Vals } from '../../schema/index.ts';

/** A content that the site has; the same bytes are one, however often they are sent. */
export async function fileIdOf(
  tx: Tx,
  siteId: number,
  content: { hash: Buffer; size: number; type: string },
): Promise<number> {
  const { rows } = await sql<{ file_id: number }>`
    insert into stored_file (site_id, hash, size, media_type)
    values (${siteId}, ${content.hash}, ${content.size}, ${content.type})
    on conflict (site_id, hash) do update set size = excluded.size returning file_id`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('An inserted file is there');
  return row.file_id;
}

export async function findEntry(
  db: Db,
  siteId: number,
  entryId: number,
): Promise<{ typeId: number; vals: Vals } | undefined> {
  const { rows } = await sql<{ typeId: number; vals: Vals }>`
    select type_id as "typeId", vals from entry where site_id = ${siteId} and entry_id = ${entryId}`.execute(
    db,
  );
  return rows[0];
}

export async function hashOf(db: Db, siteId: number, fileId: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from stored_file where site_id = ${siteId} and file_id = ${fileId}`.execute(db);
  return rows[0]?.hash;
}

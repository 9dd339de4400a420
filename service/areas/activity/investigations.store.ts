import { sql } from 'kysely';
import type { UserActivityQuery } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';

/** A saved investigation, without its rows. */
export interface StoredInvestigation {
  id: number;
  name: string;
  notes: string;
  query: UserActivityQuery;
  createdBy: number;
  createdByName: string | null;
  createdDate: Date;
  modifiedDate: Date;
  totalRecords: number;
  frozenRows: number;
  sha256: string;
}

// The author's name is known only while they are a member of the site.
const COLUMNS = sql`i.investigation_id as id, i.name, i.notes, i.query, i.created_by as "createdBy",
  (select a.first_name || ' ' || a.last_name from membership m join account a using (user_id)
    where m.site_id = i.site_id and m.user_id = i.created_by) as "createdByName",
  i.created_at as "createdDate", i.modified_at as "modifiedDate", i.total_records as "totalRecords",
  i.frozen_rows as "frozenRows", i.sha256`;

/** A page of investigations, newest first. */
export async function listInvestigations(db: Db, siteId: number, page: Page): Promise<StoredInvestigation[]> {
  const { rows } = await sql<StoredInvestigation>`
    select ${COLUMNS} from investigation i where site_id = ${siteId}
    order by investigation_id desc limit ${page.limit} offset ${page.offset}`.execute(db);
  return rows;
}

/** One investigation; `lock` locks it until the transaction ends. */
export async function getInvestigation(
  db: Db,
  siteId: number,
  id: number,
  { lock = false } = {},
): Promise<StoredInvestigation | undefined> {
  const { rows } = await sql<StoredInvestigation>`
    select ${COLUMNS} from investigation i where site_id = ${siteId} and investigation_id = ${id}
    ${lock ? sql`for update of i` : sql``}`.execute(db);
  return rows[0];
}

/** Saved rows as the JSON text that `sha256` was computed from. */
export async function getFrozenRows(db: Db, siteId: number, id: number): Promise<string> {
  const row = await db
    .selectFrom('investigation')
    .select('rows')
    .where('site_id', '=', siteId)
    .where('investigation_id', '=', id)
    .executeTakeFirst();
  return row?.rows ?? '[]';
}

interface NewInvestigation {
  name: string;
  notes: string;
  query: UserActivityQuery;
  createdBy: number;
  totalRecords: number;
  frozenRows: number;
  sha256: string;
  rows: string;
}

export async function insertInvestigation(tx: Tx, siteId: number, row: NewInvestigation): Promise<number> {
  const { id } = await tx
    .insertInto('investigation')
    .values({
      site_id: siteId,
      name: row.name,
      notes: row.notes,
      query: JSON.stringify(row.query),
      created_by: row.createdBy,
      total_records: row.totalRecords,
      frozen_rows: row.frozenRows,
      sha256: row.sha256,
      rows: row.rows,
    })
    .returning('investigation_id as id')
    .executeTakeFirstOrThrow();
  return id;
}

export async function updateInvestigation(
  tx: Tx,
  siteId: number,
  { id, name, notes }: Pick<StoredInvestigation, 'id' | 'name' | 'notes'>,
): Promise<void> {
  await tx
    .updateTable('investigation')
    .set({ name, notes, modified_at: sql`greatest(now(), modified_at + interval '1 millisecond')` })
    .where('site_id', '=', siteId)
    .where('investigation_id', '=', id)
    .execute();
}

export async function deleteInvestigation(tx: Tx, siteId: number, id: number): Promise<void> {
  await tx
    .deleteFrom('investigation')
    .where('site_id', '=', siteId)
    .where('investigation_id', '=', id)
    .execute();
}

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

// Whoever made it is named while a member of the site.
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

/** One investigation; in a transaction it stays as it is until that ends. */
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

/** The rows as they were frozen: the JSON text that the hash is of. */
export async function getFrozen(db: Db, siteId: number, id: number): Promise<string> {
  const { rows } = await sql<{ rows: string }>`
    select rows from investigation where site_id = ${siteId} and investigation_id = ${id}`.execute(db);
  return rows[0]?.rows ?? '[]';
}

interface NewRow {
  name: string;
  notes: string;
  query: UserActivityQuery;
  createdBy: number;
  totalRecords: number;
  frozenRows: number;
  sha256: string;
  rows: string;
}

export async function insertInvestigation(tx: Tx, siteId: number, row: NewRow): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into investigation (site_id, name, notes, query, created_by, total_records, frozen_rows, sha256, rows)
    values (${siteId}, ${row.name}, ${row.notes}, ${JSON.stringify(row.query)}::jsonb, ${row.createdBy},
      ${row.totalRecords}, ${row.frozenRows}, ${row.sha256}, ${row.rows})
    returning investigation_id as id`.execute(tx);
  const [inserted] = rows;
  if (!inserted) throw new Error('An inserted investigation is there');
  return inserted.id;
}

export async function setInvestigation(
  tx: Tx,
  siteId: number,
  { id, name, notes }: Pick<StoredInvestigation, 'id' | 'name' | 'notes'>,
): Promise<void> {
  await sql`update investigation set name = ${name}, notes = ${notes}, modified_at = now()
    where site_id = ${siteId} and investigation_id = ${id}`.execute(tx);
}

export async function deleteInvestigation(tx: Tx, siteId: number, id: number): Promise<void> {
  await sql`delete from investigation where site_id = ${siteId} and investigation_id = ${id}`.execute(tx);
}

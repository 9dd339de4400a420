import { sql } from 'kysely';
import type { ViewColumns } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { dbErrorOf } from '../../kernel/db/errors.ts';

/** What of a view its owner chooses. */
export interface ViewContent {
  name: string;
  isShared: boolean;
  search: string;
  query: string;
  sort: string;
  columns: ViewColumns;
}

export interface StoredView extends ViewContent {
  id: number;
  typeId: number;
  ownerId: number;
  /** Null when the owner is no longer a member of the site. */
  ownerName: string | null;
  version: number;
  createdDate: Date;
  modifiedDate: Date;
}

/** A view of this type; somebody's own, or one that is shared. */
interface Place {
  siteId: number;
  typeId: number;
  userId: number;
}

const COLUMNS = sql`v.view_id as id, v.type_id as "typeId", v.owner_id as "ownerId",
  (select a.first_name || ' ' || a.last_name from membership m join account a using (user_id)
    where m.site_id = v.site_id and m.user_id = v.owner_id) as "ownerName",
  v.name, v.is_shared as "isShared", v.search, v.query, v.sort, v.columns, v.version,
  v.created_at as "createdDate", v.modified_at as "modifiedDate"`;

const visible = ({ siteId, typeId, userId }: Place) =>
  sql`v.site_id = ${siteId} and v.type_id = ${typeId} and (v.owner_id = ${userId} or v.is_shared)`;

/** The views that somebody sees, by name. */
export async function listViews(db: Db, place: Place): Promise<StoredView[]> {
  const { rows } = await sql<StoredView>`
    select ${COLUMNS} from saved_view v where ${visible(place)}
    order by lower(v.name), v.view_id`.execute(db);
  return rows;
}

/** One view that somebody sees; in a transaction it stays as it is until that ends. */
export async function getView(
  db: Db,
  place: Place,
  id: number,
  { lock = false } = {},
): Promise<StoredView | undefined> {
  const { rows } = await sql<StoredView>`
    select ${COLUMNS} from saved_view v where ${visible(place)} and v.view_id = ${id}
    ${lock ? sql`for update of v` : sql``}`.execute(db);
  return rows[0];
}

export async function countOwn(db: Db, { siteId, typeId, userId }: Place): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from saved_view
    where site_id = ${siteId} and type_id = ${typeId} and owner_id = ${userId}`.execute(db);
  return rows[0]?.n ?? 0;
}

/** Answers the id; undefined where another view of the owner has the name. */
export async function insertView(
  tx: Tx,
  { siteId, typeId, userId }: Place,
  view: ViewContent,
): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    insert into saved_view (site_id, type_id, owner_id, name, is_shared, search, query, sort, columns)
    values (${siteId}, ${typeId}, ${userId}, ${view.name}, ${view.isShared}, ${view.search}, ${view.query},
      ${view.sort}, ${JSON.stringify(view.columns)}::json)
    on conflict do nothing returning view_id as id`.execute(tx);
  return rows[0]?.id;
}

/** Answers whether it was changed: not where another view of its owner has the name. */
export async function setView(tx: Tx, siteId: number, id: number, view: ViewContent): Promise<boolean> {
  try {
    await sql`update saved_view set name = ${view.name}, is_shared = ${view.isShared}, search = ${view.search},
        query = ${view.query}, sort = ${view.sort}, columns = ${JSON.stringify(view.columns)}::json,
        version = version + 1, modified_at = now()
      where site_id = ${siteId} and view_id = ${id}`.execute(tx);
    return true;
  } catch (error) {
    if (dbErrorOf(error)?.code === '23505') return false;
    throw error;
  }
}

export async function deleteView(tx: Tx, siteId: number, id: number): Promise<void> {
  await sql`delete from saved_view where site_id = ${siteId} and view_id = ${id}`.execute(tx);
}

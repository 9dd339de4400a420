import { sql } from 'kysely';
import type { ViewColumns } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { getDbError } from '../../kernel/db/driver/errors.ts';

/** The part of a view that its owner edits. */
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
  /** Null if the owner is no longer a member of the site. */
  ownerName: string | null;
  version: number;
  createdDate: Date;
  modifiedDate: Date;
}

/** Selects the views of an entry type that a user sees: own and shared ones. */
interface ViewScope {
  siteId: number;
  typeId: number;
  userId: number;
}

const COLUMNS = sql`v.view_id as id, v.type_id as "typeId", v.owner_id as "ownerId",
  (select a.first_name || ' ' || a.last_name from membership m join account a using (user_id)
    where m.site_id = v.site_id and m.user_id = v.owner_id) as "ownerName",
  v.name, v.is_shared as "isShared", v.search, v.query, v.sort, v.columns, v.version,
  v.created_at as "createdDate", v.modified_at as "modifiedDate"`;

const isVisible = ({ siteId, typeId, userId }: ViewScope) =>
  sql`v.site_id = ${siteId} and v.type_id = ${typeId} and (v.owner_id = ${userId} or v.is_shared)`;

/** The views that a user sees, ordered by name. */
export async function listViews(db: Db, place: ViewScope): Promise<StoredView[]> {
  const { rows } = await sql<StoredView>`
    select ${COLUMNS} from saved_view v where ${isVisible(place)}
    order by lower(v.name), v.view_id`.execute(db);
  return rows;
}

/** A view that the user sees. `lock` locks it until the transaction ends. */
export async function getView(
  db: Db,
  place: ViewScope,
  id: number,
  { lock = false } = {},
): Promise<StoredView | undefined> {
  const { rows } = await sql<StoredView>`
    select ${COLUMNS} from saved_view v where ${isVisible(place)} and v.view_id = ${id}
    ${lock ? sql`for update of v` : sql``}`.execute(db);
  return rows[0];
}

export async function countOwnViews(db: Db, { siteId, typeId, userId }: ViewScope): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from saved_view
    where site_id = ${siteId} and type_id = ${typeId} and owner_id = ${userId}`.execute(db);
  return rows[0]?.n ?? 0;
}

const toColumns = ({ name, isShared, search, query, sort, columns }: ViewContent) => ({
  name,
  is_shared: isShared,
  search,
  query,
  sort,
  columns: JSON.stringify(columns),
});

/** Inserts a view and returns its id, or undefined if the owner has another view with this name. */
export async function insertView(
  tx: Tx,
  { siteId, typeId, userId }: ViewScope,
  view: ViewContent,
): Promise<number | undefined> {
  const row = await tx
    .insertInto('saved_view')
    .values({ site_id: siteId, type_id: typeId, owner_id: userId, ...toColumns(view) })
    .onConflict((on) => on.doNothing())
    .returning('view_id')
    .executeTakeFirst();
  return row?.view_id;
}

/** Updates a view. Returns false if its owner has another view with this name. */
export async function updateView(
  tx: Tx,
  siteId: number,
  viewId: number,
  view: ViewContent,
): Promise<boolean> {
  try {
    await tx
      .updateTable('saved_view')
      .set((eb) => ({
        ...toColumns(view),
        version: eb('version', '+', 1),
        modified_at: sql<Date>`now()`,
      }))
      .where('site_id', '=', siteId)
      .where('view_id', '=', viewId)
      .execute();
    return true;
  } catch (error) {
    if (getDbError(error)?.code === '23505') return false;
    throw error;
  }
}

export async function deleteView(tx: Tx, siteId: number, viewId: number): Promise<void> {
  await tx.deleteFrom('saved_view').where('site_id', '=', siteId).where('view_id', '=', viewId).execute();
}

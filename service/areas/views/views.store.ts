import { sql } from 'kysely';
import type { PinnedFilter, ViewColumns } from '../../../contract/generated/types.gen.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { dbErrorCodes, getDbError } from '../../kernel/db/driver/errors.ts';

/** The part of a view that its owner edits. */
export interface ViewContent {
  name: string;
  isShared: boolean;
  search: string;
  query: string;
  sort: string;
  columns: ViewColumns;
  /** Filters that the page keeps at hand, in their order. */
  pinned: readonly PinnedFilter[];
}

export interface StoredView extends ViewContent {
  id: number;
  /** Null for a view of a table other than that of the entries of a type. */
  typeId: number | null;
  ownerId: number;
  /** Null if the owner is no longer a member of the site. */
  ownerName: string | null;
  version: number;
  createdDate: Date;
  modifiedDate: Date;
}

/** Selects the views of the entries of a type, or of another table of the console, that a user sees: own and shared ones. */
export type ViewScope = { siteId: number; userId: number } & ({ typeId: number } | { tableName: string });

const isInScope = (scope: ViewScope) =>
  'typeId' in scope ? sql`v.type_id = ${scope.typeId}` : sql`v.table_name = ${scope.tableName}`;

const COLUMNS = sql`v.view_id as id, v.type_id as "typeId", v.owner_id as "ownerId",
  (select a.first_name || ' ' || a.last_name from membership m join account a using (user_id)
    where m.site_id = v.site_id and m.user_id = v.owner_id) as "ownerName",
  v.name, v.is_shared as "isShared", v.search, v.query, v.sort, v.columns, v.pinned, v.version,
  v.created_at as "createdDate", v.modified_at as "modifiedDate"`;

const isVisible = (scope: ViewScope) =>
  sql`v.site_id = ${scope.siteId} and ${isInScope(scope)} and (v.owner_id = ${scope.userId} or v.is_shared)`;

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

export async function countOwnViews(db: Db, scope: ViewScope): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select count(*)::int as n from saved_view v
    where v.site_id = ${scope.siteId} and ${isInScope(scope)} and v.owner_id = ${scope.userId}`.execute(db);
  return rows[0]?.n ?? 0;
}

const toColumns = ({ name, isShared, search, query, sort, columns, pinned }: ViewContent) => ({
  name,
  is_shared: isShared,
  search,
  query,
  sort,
  columns: JSON.stringify(columns),
  pinned: JSON.stringify(pinned),
});

/** Inserts a view and returns its id, or undefined if the owner has another view with this name. */
export async function insertView(tx: Tx, scope: ViewScope, view: ViewContent): Promise<number | undefined> {
  const place =
    'typeId' in scope
      ? { type_id: scope.typeId, table_name: null }
      : { type_id: null, table_name: scope.tableName };
  const row = await tx
    .insertInto('saved_view')
    .values({ site_id: scope.siteId, owner_id: scope.userId, ...place, ...toColumns(view) })
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
    if (getDbError(error)?.code === dbErrorCodes.uniqueViolation) return false;
    throw error;
  }
}

export async function deleteView(tx: Tx, siteId: number, viewId: number): Promise<void> {
  await tx.deleteFrom('saved_view').where('site_id', '=', siteId).where('view_id', '=', viewId).execute();
}

interface TableScope {
  siteId: number;
  userId: number;
  tableName: string;
}

/** Id of the view with which the table opens for the user, if they still see it. */
export async function getDefaultViewId(db: Db, scope: TableScope): Promise<number | undefined> {
  const { rows } = await sql<{ id: number }>`
    select d.view_id as id from saved_view_default d join saved_view v using (site_id, view_id)
    where d.site_id = ${scope.siteId} and d.user_id = ${scope.userId} and d.table_name = ${scope.tableName}
      and (v.owner_id = d.user_id or v.is_shared)`.execute(db);
  return rows[0]?.id;
}

/** Sets the view with which the table opens for the user; null: with none. */
export async function setDefaultView(tx: Tx, scope: TableScope, viewId: number | null): Promise<void> {
  const { siteId, userId, tableName } = scope;
  await (
    viewId === null
      ? sql`delete from saved_view_default
        where site_id = ${siteId} and user_id = ${userId} and table_name = ${tableName}`
      : sql`insert into saved_view_default (site_id, user_id, table_name, view_id)
        values (${siteId}, ${userId}, ${tableName}, ${viewId})
        on conflict (site_id, user_id, table_name) do update set view_id = excluded.view_id`
  ).execute(tx);
}

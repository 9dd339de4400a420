import { type RawBuilder, sql } from 'kysely';
import type { UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { activityNames, activitySourceNames } from '../../../contract/rules/activity.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import {
  buildAddressAxis,
  type Axis,
  hasKindFilter,
  buildNetworkAxis,
  buildUserAxis,
  selectUserRowsInNetwork,
  selectRowsByTime,
  buildSiteAxis,
  countRows,
} from './cells.store.ts';
import type { ActivityFilter } from './filter.ts';
import { splitSpan, getCellStart, locatePage, type PageLocation, type Segment } from './segments.ts';

/** Row of the report with the names of its users. */
export interface StoredActivity {
  activityId: number;
  at: Date;
  userId: number;
  userName: string;
  fullName: string;
  activityTypeId: number;
  sourceTypeId: number;
  ipAddress: string | null;
  sessionId: string | null;
  exportDataType: number | null;
  exportDetail: NonNullable<UserActivityEntry['exportDetail']> | null;
  principalUserId: number | null;
  principalUserName: string | null;
  principalFullName: string | null;
}

export interface ActivityReport {
  total: number;
  rows: StoredActivity[];
}

/** Plan for reading all rows that match a filter. */
interface RowPlan {
  /** Axis whose cells count exactly these rows; undefined when none does. */
  axis: Axis | undefined;
  /** Relation of the rows: `at`, `activity_id`, `kind`, `user_id`, `ip_address`. */
  rows: RawBuilder<unknown>;
  /** Whether many more rows are read than match. */
  isSparse: boolean;
}

function buildAxes(siteId: number, filter: ActivityFilter): Axis[] {
  const { userIds, principalIds, network } = filter;
  return [
    userIds && buildUserAxis(siteId, filter, 'actor', userIds),
    principalIds && buildUserAxis(siteId, filter, 'principal', principalIds),
    network && (network.isWide ? buildNetworkAxis : buildAddressAxis)(siteId, filter, network.cidr),
  ].filter((axis) => axis !== undefined);
}

/** Plans to read the axis with the fewest rows and to compare each row with the conditions of the others. */
async function planBySmallestAxis(tx: Tx, axes: readonly Axis[], filter: ActivityFilter): Promise<RowPlan> {
  const axesWithSize: { axis: Axis; size: number }[] = [];
  for (const axis of axes) {
    const span = { ...filter, from: getCellStart(filter.from, axis.widthMs) };
    axesWithSize.push({ axis, size: await countRows(tx, axis, span) });
  }
  const [best, ...others] = axesWithSize.toSorted((a, b) => a.size - b.size);
  if (!best) throw new Error('A filter needs at least one axis');
  const rest = others.map(({ axis }) => sql`and ${axis.rowCondition}`);
  return { axis: undefined, rows: best.axis.selectRows(filter, sql.join(rest, sql` `)), isSparse: true };
}

/** Chooses the cheapest plan for the rows that match the filter. */
async function planRows(tx: Tx, siteId: number, filter: ActivityFilter): Promise<RowPlan> {
  const { userIds, principalIds, network, exportedType } = filter;
  if (exportedType !== undefined) {
    // No cells count what was exported; exports are few among all rows.
    const conditions = buildAxes(siteId, filter).map(({ rowCondition }) => sql`and ${rowCondition}`);
    const isOfType = sql`and a.export_detail ->> 'type' = ${exportedType}`;
    const rows = buildSiteAxis(siteId, filter).selectRows(
      filter,
      sql.join([...conditions, isOfType], sql` `),
    );
    return { axis: undefined, rows, isSparse: true };
  }
  if (userIds && network) {
    const principals = principalIds && buildUserAxis(siteId, filter, 'principal', principalIds);
    const rest = principals ? sql`and ${principals.rowCondition}` : sql``;
    const rows = selectUserRowsInNetwork(siteId, filter, { userIds, cidr: network.cidr, rest });
    return { axis: undefined, rows, isSparse: principals !== undefined || hasKindFilter(filter) };
  }
  const axes = buildAxes(siteId, filter);
  const [axis = buildSiteAxis(siteId, filter)] = axes;
  if (axes.length > 1) return planBySmallestAxis(tx, axes, filter);
  return { axis, rows: axis.selectRows(filter), isSparse: false };
}

const REPORT_COLUMNS = sql`a.activity_id as "activityId", a.at, a.user_id as "userId", coalesce(u.email, '') as "userName",
  concat_ws(' ', u.first_name, u.last_name) as "fullName", a.activity_type_id as "activityTypeId",
  a.source_type_id as "sourceTypeId", a.ip_address as "ipAddress", a.session_id as "sessionId",
  a.export_data_type as "exportDataType", a.export_detail as "exportDetail", a.principal_user_id as "principalUserId",
  p.email as "principalUserName", p.first_name || ' ' || p.last_name as "principalFullName"`;

/** Selects full rows with the names of users, former members included. With `at`, found rows are looked up in their partition only. */
const selectReportRows = (
  found: RawBuilder<unknown>,
  { hasTime }: { hasTime: boolean },
) => sql<StoredActivity>`
  with found as materialized (${found})
  select ${REPORT_COLUMNS} from found
  join activity a on a.activity_id = found.activity_id ${hasTime ? sql`and a.at = found.at` : sql``}
  left join account u on u.user_id = a.user_id
  left join account p on p.user_id = a.principal_user_id
  order by a.at desc, a.activity_id desc`;

/** Order of the report. */
export const NEWEST_FIRST = sql`order by at desc, activity_id desc`;

/** Loads the segments of the report, newest first: whole cells with their counts, and the edges counted from rows. */
async function loadSegments(tx: Tx, siteId: number, filter: ActivityFilter, axis: Axis): Promise<Segment[]> {
  const { widthMs } = axis;
  const { wholeCells: span, edges } = splitSpan(filter, widthMs);
  const counts = edges.map((edge) => {
    const rows = axis.hasManyCells
      ? selectRowsByTime(siteId, filter, edge, axis.rowCondition)
      : axis.selectRows(edge);
    return sql`select ${edge.from}::timestamptz as bucket, count(*) as n from ${rows} r`;
  });
  const wholeCellsQuery =
    span && sql`select bucket, sum(n)::bigint as n from (${axis.selectCells(span)}) c group by bucket`;
  const queries = wholeCellsQuery ? [wholeCellsQuery, ...counts] : counts;
  if (queries.length === 0) return [];
  const { rows } = await sql<{ bucket: Date; n: number }>`${sql.join(queries, sql` union all `)}`.execute(tx);
  return rows
    .map(({ bucket, n }) => {
      const edge = edges.find((each) => each.from.getTime() === bucket.getTime());
      return { from: bucket, to: edge?.to ?? new Date(bucket.getTime() + widthMs), count: n };
    })
    .toSorted((a, b) => b.from.getTime() - a.from.getTime());
}

/** Cost of a row found through its own cell, relative to a row read in time order. */
const COST_BY_CELL = 3;
/** The same when very many cells have one or two rows each. */
const COST_BY_MANY_CELLS = 20;
const COST_BY_KIND = 5;

/**
 * Selects the rows of the span in the cheapest of three ways: through the cells of the axis; all rows in time order,
 * which ends at the last row of the page; or, for a rare kind from a wide network, all rows of that kind.
 */
async function selectCheapestRows(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  { axis, location, rowsNeeded }: PageRequest,
) {
  const { network } = filter;
  const count = (counted: Axis) =>
    countRows(tx, counted, { ...location, from: getCellStart(location.from, counted.widthMs) });
  const totalCount = await count(buildSiteAxis(siteId, NO_KIND_FILTER));
  const costByTime = Math.min(totalCount, (2 * rowsNeeded * totalCount) / location.count);
  const wideNetworkAxis =
    network?.isWide && buildNetworkAxis(siteId, { ...filter, ...NO_KIND_FILTER }, network.cidr);
  const costByCells =
    (axis.hasManyCells ? COST_BY_MANY_CELLS : COST_BY_CELL) *
    (wideNetworkAxis ? await count(wideNetworkAxis) : location.count);
  const costByKind = wideNetworkAxis ? COST_BY_KIND * (await count(buildSiteAxis(siteId, filter))) : Infinity;
  if (costByTime <= Math.min(costByCells, costByKind))
    return selectRowsByTime(siteId, filter, location, axis.rowCondition);
  if (costByCells <= costByKind) return axis.selectRows(location);
  return buildSiteAxis(siteId, filter).selectRows(location, sql`and ${axis.rowCondition}`);
}

interface PageRequest {
  axis: Axis;
  location: PageLocation;
  /** Number of rows needed from the span, newest first. */
  rowsNeeded: number;
}

const NO_KIND_FILTER = { activities: undefined, sources: undefined, exportKind: undefined, onlyProxy: false };

/** Takes the total from the cells, and reads the page where they locate it. */
async function readByCells(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  axis: Axis,
  page: Page,
): Promise<ActivityReport> {
  const segments = await loadSegments(tx, siteId, filter, axis);
  const total = segments.reduce((sum, { count }) => sum + count, 0);
  const location = locatePage(segments, page);
  if (!location) return { total, rows: [] };
  const request = { axis, location, rowsNeeded: location.skip + page.limit };
  const isSite = buildAxes(siteId, filter).length === 0;
  const rows = isSite ? axis.selectRows(location) : await selectCheapestRows(tx, siteId, filter, request);
  const found = await selectReportRows(
    sql`select at, activity_id from ${rows} r ${NEWEST_FIRST} limit ${page.limit} offset ${location.skip}`,
    { hasTime: true },
  ).execute(tx);
  return { total, rows: found.rows };
}

/** Counts and pages rows for which no cells exist. */
async function readByRows(tx: Tx, plan: RowPlan, page: Page): Promise<ActivityReport> {
  // A sparse result is found once and materialized; otherwise scanning the index twice is cheaper.
  const materialization = sql.raw(plan.isSparse ? 'materialized' : 'not materialized');
  const { rows } = await sql<{ n: number; ids: number[] }>`
    with hit as ${materialization} (select at, activity_id from ${plan.rows} r)
    select (select count(*) from hit) as n, array(select activity_id from hit
      ${NEWEST_FIRST} limit ${page.limit} offset ${page.offset}) as ids`.execute(tx);
  const { n = 0, ids = [] } = rows[0] ?? {};
  return { total: n, rows: await readRows(tx, ids) };
}

/** Rows by id, newest first. */
export async function readRows(db: Db, ids: readonly number[]): Promise<StoredActivity[]> {
  const found = sql`select unnest(${[...ids]}::bigint[]) as activity_id`;
  return (await selectReportRows(found, { hasTime: false }).execute(db)).rows;
}

/** A row of the site by id; undefined when the log does not contain it. */
export async function findRow(
  db: Db,
  siteId: number,
  activityId: number,
): Promise<StoredActivity | undefined> {
  const found = sql`select at, activity_id from activity where activity_id = ${activityId} and site_id = ${siteId}`;
  return (await selectReportRows(found, { hasTime: true }).execute(db)).rows[0];
}

/** Relation of all rows that match the filter: `at`, `kind`, `user_id`, `ip_address`. */
export const selectMatchingRows = async (
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
): Promise<RawBuilder<unknown>> => (await planRows(tx, siteId, filter)).rows;

/** One page of the report, newest first, with the total number of matching rows. */
export async function readReport(
  tx: Tx,
  siteId: number,
  filter: ActivityFilter,
  page: Page,
): Promise<ActivityReport> {
  const plan = await planRows(tx, siteId, filter);
  return plan.axis ? readByCells(tx, siteId, filter, plan.axis, page) : readByRows(tx, plan, page);
}

/** Row of the report as returned by the API: codes with their names. */
export function toActivityEntry({ at, exportDetail, ...row }: StoredActivity): UserActivityEntry {
  return {
    ...row,
    ...(exportDetail && { exportDetail }),
    eventDate: at.toISOString(),
    activityType: activityNames[row.activityTypeId] ?? String(row.activityTypeId),
    sourceType: activitySourceNames[row.sourceTypeId] ?? String(row.sourceTypeId),
  };
}

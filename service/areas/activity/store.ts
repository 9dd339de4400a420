import { type RawBuilder, sql } from 'kysely';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { Page } from '../../kernel/db/list-page.ts';
import {
  addressAxis,
  type Axis,
  filtersKinds,
  networkAxis,
  peopleAxis,
  peopleIn,
  rowsByTime,
  siteAxis,
  sumCells,
} from './cells.store.ts';
import type { Filter } from './rules.ts';
import { cut, floorTo, placeOf, type Place, type Segment } from './segments.ts';

/** A row of the report with the names of whom it is about. */
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
  principalUserId: number | null;
  principalUserName: string | null;
  principalFullName: string | null;
}

export interface Report {
  total: number;
  rows: StoredActivity[];
}

/** How all rows of a filter are reached. */
interface Way {
  /** Whose cells count them; undefined where nothing does. */
  axis: Axis | undefined;
  /** The rows, as a relation to select from: `at`, `activity_id`, `kind`, `user_id`, `ip_address`. */
  rows: RawBuilder<unknown>;
  /** Many more are read than fit. */
  isSparse: boolean;
}

function axesOf(siteId: number, filter: Filter): Axis[] {
  const { userIds, principalIds, network } = filter;
  return [
    userIds && peopleAxis(siteId, filter, 'actor', userIds),
    principalIds && peopleAxis(siteId, filter, 'principal', principalIds),
    network && (network.isWide ? networkAxis : addressAxis)(siteId, filter, network.cidr),
  ].filter((axis) => axis !== undefined);
}

/** The way by the axis of which there are fewest rows; what the others ask is compared of each. */
async function wayByFewest(tx: Tx, axes: readonly Axis[], filter: Filter): Promise<Way> {
  const sized: { axis: Axis; size: number }[] = [];
  for (const axis of axes) {
    const span = { ...filter, from: floorTo(filter.from, axis.widthMs) };
    // oxlint-disable-next-line no-await-in-loop -- one connection
    sized.push({ axis, size: await sumCells(tx, axis, span) });
  }
  const [best, ...others] = sized.toSorted((one, other) => one.size - other.size);
  if (!best) throw new Error('There is an axis at least');
  const rest = others.map(({ axis }) => sql`and ${axis.condition}`);
  return { axis: undefined, rows: best.axis.rows(filter, sql.join(rest, sql` `)), isSparse: true };
}

/** The cheapest way to what fits. */
async function wayTo(tx: Tx, siteId: number, filter: Filter): Promise<Way> {
  const { userIds, principalIds, network } = filter;
  if (userIds && network) {
    const principals = principalIds && peopleAxis(siteId, filter, 'principal', principalIds);
    const rest = principals ? sql`and ${principals.condition}` : sql``;
    const rows = peopleIn(siteId, filter, { userIds, cidr: network.cidr, rest });
    return { axis: undefined, rows, isSparse: principals !== undefined || filtersKinds(filter) };
  }
  const axes = axesOf(siteId, filter);
  const [axis = siteAxis(siteId, filter)] = axes;
  if (axes.length > 1) return wayByFewest(tx, axes, filter);
  return { axis, rows: axis.rows(filter), isSparse: false };
}

const SHOWN = sql`a.activity_id as "activityId", a.at, a.user_id as "userId", coalesce(u.email, '') as "userName",
  concat_ws(' ', u.first_name, u.last_name) as "fullName", a.activity_type_id as "activityTypeId",
  a.source_type_id as "sourceTypeId", a.ip_address as "ipAddress", a.session_id as "sessionId",
  a.export_data_type as "exportDataType", a.principal_user_id as "principalUserId",
  p.email as "principalUserName", p.first_name || ' ' || p.last_name as "principalFullName"`;

/** The whole rows of those found, with the names of people, also of those who have left the site. */
const named = (found: RawBuilder<unknown>) => sql<StoredActivity>`
  with found as materialized (${found})
  select ${SHOWN} from found join activity a on a.activity_id = found.activity_id
  left join account u on u.user_id = a.user_id
  left join account p on p.user_id = a.principal_user_id
  order by a.at desc, a.activity_id desc`;

const NEWEST = sql`order by at desc, activity_id desc`;

/** The report in stretches, newest first: whole cells as they are counted, what is cut off at the edges from the rows. */
async function segmentsOf(tx: Tx, siteId: number, filter: Filter, axis: Axis): Promise<Segment[]> {
  const { widthMs } = axis;
  const { whole: span, edges } = cut(filter, widthMs);
  const counts = edges.map((edge) => {
    const rows = axis.isSpread ? rowsByTime(siteId, filter, edge, axis.condition) : axis.rows(edge);
    return sql`select ${edge.from}::timestamptz as bucket, count(*) as n from ${rows} r`;
  });
  const whole = span && sql`select bucket, sum(n)::bigint as n from (${axis.cells(span)}) c group by bucket`;
  const asked = whole ? [whole, ...counts] : counts;
  if (asked.length === 0) return [];
  const { rows } = await sql<{ bucket: Date; n: number }>`${sql.join(asked, sql` union all `)}`.execute(tx);
  return rows
    .map(({ bucket, n }) => {
      const edge = edges.find((each) => each.from.getTime() === bucket.getTime());
      return { from: bucket, to: edge?.to ?? new Date(bucket.getTime() + widthMs), n };
    })
    .toSorted((one, other) => other.from.getTime() - one.from.getTime());
}

/** What a row costs that is found by a cell of its own, beside one that is met in the order of time. */
const BY_CELL = 3;
/** The same of very many cells with a row or two in each. */
const SPREAD = 20;
const BY_KIND = 5;

/**
 * The rows of the place by whatever costs least: by the cells of the axis; all rows in the order of time, which ends at
 * the last of the page; or, for a rare kind from a wide network, all rows of that kind.
 */
async function rowsAt(tx: Tx, siteId: number, filter: Filter, { axis, place, need }: Wanted) {
  const { network } = filter;
  const count = (of: Axis) => sumCells(tx, of, { ...place, from: floorTo(place.from, of.widthMs) });
  const all = await count(siteAxis(siteId, EVERYTHING));
  const inTime = Math.min(all, (2 * need * all) / place.n);
  const wide = network?.isWide && networkAxis(siteId, { ...filter, ...EVERYTHING }, network.cidr);
  const inCells = (axis.isSpread ? SPREAD : BY_CELL) * (wide ? await count(wide) : place.n);
  const ofKind = wide ? BY_KIND * (await count(siteAxis(siteId, filter))) : Infinity;
  if (inTime <= Math.min(inCells, ofKind)) return rowsByTime(siteId, filter, place, axis.condition);
  if (inCells <= ofKind) return axis.rows(place);
  return siteAxis(siteId, filter).rows(place, sql`and ${axis.condition}`);
}

interface Wanted {
  axis: Axis;
  place: Place;
  /** So many rows of the place are needed, from the newest on. */
  need: number;
}

const EVERYTHING = { activities: undefined, sources: undefined, exportKind: undefined, onlyProxy: false };

/** The total by the cells, and the page from where they say that it lies. */
async function readCounted(tx: Tx, siteId: number, filter: Filter, axis: Axis, page: Page): Promise<Report> {
  const segments = await segmentsOf(tx, siteId, filter, axis);
  const total = segments.reduce((sum, { n }) => sum + n, 0);
  const place = placeOf(segments, page);
  if (!place) return { total, rows: [] };
  const wanted = { axis, place, need: place.skip + page.limit };
  const isSite = axesOf(siteId, filter).length === 0;
  const rows = isSite ? axis.rows(place) : await rowsAt(tx, siteId, filter, wanted);
  const found = await named(sql`select at, activity_id from ${rows} r
    ${NEWEST} limit ${page.limit} offset ${place.skip}`).execute(tx);
  return { total, rows: found.rows };
}

/** Rows that nothing counts: they are counted one by one, and the newest of them are the page. */
async function readUncounted(tx: Tx, way: Way, page: Page): Promise<Report> {
  // Few of many are found once and kept; many are sooner found twice, in their index alone.
  const kept = way.isSparse ? sql`materialized` : sql`not materialized`;
  const { rows } = await sql<{ n: number; ids: number[] }>`
    with hit as ${kept} (select at, activity_id from ${way.rows} r)
    select (select count(*) from hit) as n, array(select activity_id from hit
      ${NEWEST} limit ${page.limit} offset ${page.offset}) as ids`.execute(tx);
  const { n = 0, ids = [] } = rows[0] ?? {};
  const found = await named(sql`select unnest(${ids}::bigint[]) as activity_id`).execute(tx);
  return { total: n, rows: found.rows };
}

/** All rows that fit, as a relation to select from: `at`, `kind`, `user_id`, `ip_address`. */
export const readWay = async (tx: Tx, siteId: number, filter: Filter): Promise<RawBuilder<unknown>> =>
  (await wayTo(tx, siteId, filter)).rows;

/** A page of the report, newest first, with the number of all rows that fit. */
export async function readReport(tx: Tx, siteId: number, filter: Filter, page: Page): Promise<Report> {
  const way = await wayTo(tx, siteId, filter);
  return way.axis ? readCounted(tx, siteId, filter, way.axis, page) : readUncounted(tx, way, page);
}

/** Reads in one snapshot: totals and rows say the same, whoever writes meanwhile. */
export const inSnapshot = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);

import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import type { ActivityFilter } from './filter.ts';
import { getCellStart, type Span } from './segments.ts';

type Sql = RawBuilder<unknown>;

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const WEEK_MS = 7 * DAY_MS;

/**
 * Dimension of the report (site, users, addresses): the cells with its precomputed counts, and the rows behind them. A
 * cell counts the rows of one kind and one part (user, address, network) in one interval.
 */
export interface Axis {
  /** Length of a cell's interval. */
  widthMs: number;
  /** Selects the cells that begin within the span: `part`, `bucket`, `kind`, `n`. */
  selectCells(span: Span): Sql;
  /** Selects the rows within the span that meet `rest`: `at`, `activity_id`, `user_id`, `ip_address`, `kind`. */
  selectRows(span: Span, rest?: Sql): Sql;
  /** Condition on a row `a` of this dimension. */
  rowCondition: Sql;
  /** Whether it has so many cells that rows within part of an interval are found faster in time order. */
  hasManyCells: boolean;
}

/** Starts of the cells within the span as an array, each of which is looked up in the index on its own. */
export function listCellStarts({ from, to }: Span, widthMs: number): Sql {
  const lastStart = to ? sql`${to}::timestamptz - interval '1 millisecond'` : sql`now() + interval '1 day'`;
  return sql`array(select generate_series(${from}::timestamptz, ${lastStart}, make_interval(secs => ${widthMs / 1000})))`;
}

const isInSpan = (column: Sql, { from, to }: Span): Sql =>
  to ? sql`${column} >= ${from} and ${column} < ${to}` : sql`${column} >= ${from}`;

type KindFilter = Pick<ActivityFilter, 'activities' | 'sources' | 'exportKind' | 'onlyProxy'>;

/** Whether the filter selects only some kinds of rows. */
export const hasKindFilter = ({ activities, sources, exportKind, onlyProxy }: KindFilter): boolean =>
  activities !== undefined || sources !== undefined || exportKind !== undefined || onlyProxy;

/** Condition on a `kind` for activity type, source, export kind and proxy; empty without such a filter. */
function buildKindCondition(kind: Sql, filter: KindFilter): Sql {
  const { activities, sources, exportKind, onlyProxy } = filter;
  // Computed expressions, so that the planner does not search the index once for each of hundreds of kinds.
  const conditions = [
    activities && sql`${kind} & 15 = any(${[...activities]}::int[])`,
    sources && sql`(${kind} >> 4) & 7 = any(${[...sources]}::int[])`,
    exportKind !== undefined && sql`(${kind} >> 7) & 7 = ${exportKind + 1}`,
    onlyProxy && sql`${kind} >= 1024`,
  ].filter((part) => part !== undefined && part !== false);
  return conditions.length > 0 ? sql`and ${sql.join(conditions, sql` and `)}` : sql``;
}

const ROW_COLUMNS = sql`a.at, a.activity_id, a.user_id, a.ip_address, a.kind`;

interface CellAxisOptions {
  siteId: number;
  widthMs: number;
  selectCells: Axis['selectCells'];
  /** Join condition of a row `a` and its cell `c`, besides site, kind and time. */
  joinCondition: Sql;
  rowCondition: Sql;
}

/**
 * Axis whose rows are found through their cells, each run of one kind by its index, so that no more rows are read than
 * match.
 */
function buildCellAxis({
  siteId,
  widthMs,
  selectCells: cells,
  joinCondition: tie,
  rowCondition: condition,
}: CellAxisOptions): Axis {
  const width = sql`make_interval(secs => ${widthMs / 1000})`;
  return {
    widthMs,
    selectCells: cells,
    rowCondition: condition,
    hasManyCells: false,
    selectRows({ from, to }, rest = sql``) {
      const end = to ? sql`least(c.upto, ${to}::timestamptz)` : sql`c.upto`;
      // `offset 0` keeps the cells the outer side of the join: otherwise whole years would be read for one hour.
      return sql`(with c as materialized (
          select part, kind, min(bucket) as bucket, max(bucket) + ${width} as upto
          from (${cells({ from: getCellStart(from, widthMs), to })}) cell group by part, kind)
        select r.* from c cross join lateral (
          select ${ROW_COLUMNS} from activity a
          where a.site_id = ${siteId} and ${tie} and a.kind = c.kind
            and a.at >= greatest(c.bucket, ${from}::timestamptz) and a.at < ${end} ${rest}
          offset 0) r)`;
    },
  };
}

/** All rows of the site, counted by the hour. */
export const buildSiteAxis = (siteId: number, filter: KindFilter): Axis =>
  buildCellAxis({
    siteId,
    widthMs: HOUR_MS,
    selectCells: (span) => sql`select 0 as part, hour as bucket, kind, n from activity_hour
      where site_id = ${siteId} and ${isInSpan(sql`hour`, span)} ${buildKindCondition(sql`kind`, filter)}`,
    joinCondition: sql`true`,
    rowCondition: sql`true`,
  });

const ROLES = { actor: 1, principal: 2 } as const;
type Role = keyof typeof ROLES;
/** Kind of the cells that count all kinds of a user together. */
const ALL_KINDS = -1;

/** Above this number of users, rows within part of a day are found faster in time order than user by user. */
const MAX_USERS_BY_CELLS = 50;

/**
 * Rows with these users as actors or principals: counted by kind and week, or by day for all kinds together when no
 * kind is filtered.
 */
export function buildUserAxis(
  siteId: number,
  filter: ActivityFilter,
  role: Role,
  ids: readonly number[],
): Axis {
  const userIds = [...new Set(ids)];
  const column = sql.ref(role === 'actor' ? 'a.user_id' : 'a.principal_user_id');
  const cells = (
    span: Span,
    kinds: Sql,
  ) => sql`select user_id as part, begins as bucket, kind, n from activity_person
    where site_id = ${siteId} and role = ${ROLES[role]} and user_id = any(${userIds}::int[])
      and ${isInSpan(sql`begins`, span)} and ${kinds}`;
  const axis = buildCellAxis({
    siteId,
    widthMs: WEEK_MS,
    selectCells: (span) => cells(span, sql`kind > ${ALL_KINDS} ${buildKindCondition(sql`kind`, filter)}`),
    joinCondition: sql`${column} = c.part`,
    rowCondition: sql`${column} = any(${userIds}::int[])`,
  });
  if (hasKindFilter(filter)) return axis;
  const selectDayCells = (span: Span) => cells(span, sql`kind = ${ALL_KINDS}`);
  return {
    ...axis,
    widthMs: DAY_MS,
    selectCells: selectDayCells,
    hasManyCells: userIds.length > MAX_USERS_BY_CELLS,
  };
}

/** Condition that the address is in the network, written as a range that an index can find. */
const isInNetwork = (address: Sql, cidr: string): Sql =>
  sql`${address} between host(network(${cidr}::inet))::inet and host(broadcast(${cidr}::inet))::inet`;

/** Rows from the addresses that meet a condition, counted by address and week. */
const buildAddressesAxis = (siteId: number, filter: KindFilter, isCounted: (address: Sql) => Sql): Axis =>
  buildCellAxis({
    siteId,
    widthMs: WEEK_MS,
    selectCells: (span) => sql`select address as part, week as bucket, kind, n from activity_from
      where site_id = ${siteId} and week = any(${listCellStarts(span, WEEK_MS)})
        and ${isCounted(sql`address`)} ${buildKindCondition(sql`kind`, filter)}`,
    joinCondition: sql`a.ip_address = c.part`,
    rowCondition: isCounted(sql`a.ip_address`),
  });

/** Rows from an address or a network, counted by address and week. */
export const buildAddressAxis = (siteId: number, filter: ActivityFilter, cidr: string): Axis =>
  buildAddressesAxis(siteId, filter, (address) => isInNetwork(address, cidr));

/** All parts of a dimension (users, addresses), of which the largest can be found without counting the others. */
export interface Parts {
  /** Length of the interval of a cell. */
  widthMs: number;
  /** Column of a row that names its part. */
  column: Sql;
  /** The text of a part in the column `part`. */
  text: Sql;
  /** Selects all rows within the span that have a part, in time order. */
  selectRows(span: Span): Sql;
  /** Selects the kinds whose cells count the rows of the filter: `kind`. */
  selectKinds: Sql;
  /** Selects the cells of a kind that begin at a time: `part`, `n`. An index has them in descending order of `n`. */
  selectCells(kind: Sql, start: Sql): Sql;
  /** The axis of some parts, by their text. */
  buildAxis(parts: readonly string[]): Axis;
}

/** Selects the kinds of cells, each found by one look-up in an index that has the kind first. */
const selectKindsOf = (cells: Sql, filter: KindFilter): Sql => sql`
  with recursive known (kind) as (
    (select c.kind from ${cells} order by c.kind limit 1)
    union all
    select (select c.kind from ${cells} and c.kind > known.kind order by c.kind limit 1) from known where known.kind is not null)
  select kind from known where kind is not null ${buildKindCondition(sql`kind`, filter)}`;

/** The users of the site who acted: counted by week, or by day for all kinds together. */
export function buildUserParts(siteId: number, filter: ActivityFilter): Parts {
  const hasKinds = hasKindFilter(filter);
  // A literal role, so that the index of the largest cells is used.
  const cells = sql`activity_person c where c.site_id = ${siteId} and c.role = ${sql.lit(ROLES.actor)}`;
  return {
    widthMs: hasKinds ? WEEK_MS : DAY_MS,
    column: sql`user_id`,
    text: sql`part::text`,
    selectRows: (span) => selectRowsByTime(siteId, filter, span, sql`true`),
    selectKinds: hasKinds
      ? selectKindsOf(sql`${cells} and c.kind > ${ALL_KINDS}`, filter)
      : sql`select ${ALL_KINDS}::smallint as kind`,
    selectCells: (kind, start) =>
      sql`select c.user_id as part, c.n from ${cells} and c.kind = ${kind} and c.begins = ${start}`,
    buildAxis: (parts) => buildUserAxis(siteId, filter, 'actor', parts.map(Number)),
  };
}

/** The addresses from which people acted, counted by week. */
export function buildAddressParts(siteId: number, filter: ActivityFilter): Parts {
  const cells = sql`activity_from c where c.site_id = ${siteId}`;
  return {
    widthMs: WEEK_MS,
    column: sql`ip_address`,
    text: sql`host(part)`,
    selectRows: (span) => selectRowsByTime(siteId, filter, span, sql`a.ip_address is not null`),
    selectKinds: selectKindsOf(cells, filter),
    selectCells: (kind, start) =>
      sql`select c.address as part, c.n from ${cells} and c.kind = ${kind} and c.week = ${start}`,
    buildAxis: (parts) =>
      buildAddressesAxis(siteId, filter, (address) => sql`${address} = any(${[...parts]}::inet[])`),
  };
}

/** Rows from a wide network, counted by its parts (/16, /32) and day; the rows are found through their addresses. */
export const buildNetworkAxis = (siteId: number, filter: ActivityFilter, cidr: string): Axis => ({
  ...buildAddressAxis(siteId, filter, cidr),
  widthMs: DAY_MS,
  hasManyCells: true,
  selectCells: (span) => sql`select network as part, day as bucket, kind, n from activity_network
    where site_id = ${siteId} and day = any(${listCellStarts(span, DAY_MS)})
      and network between network(${cidr}::inet)::inet and host(broadcast(${cidr}::inet))::inet
      ${buildKindCondition(sql`kind`, filter)}`,
});

/** Selects the rows of the span that meet `condition`, found in time order. */
export const selectRowsByTime = (siteId: number, filter: KindFilter, span: Span, condition: Sql): Sql =>
  sql`(select ${ROW_COLUMNS} from activity a where a.site_id = ${siteId} and ${isInSpan(sql`a.at`, span)}
    ${buildKindCondition(sql`a.kind`, filter)} and ${condition})`;

/**
 * Selects the rows of these users from an address or a network that meet `rest`. No cells count them, but one index
 * covers both columns.
 */
export function selectUserRowsInNetwork(
  siteId: number,
  filter: ActivityFilter,
  options: { userIds: readonly number[]; cidr: string; rest: Sql },
): Sql {
  const people = [...new Set(options.userIds)];
  const selectRowsOfUser = (person: Sql) => sql`select ${ROW_COLUMNS} from activity a
    where a.site_id = ${siteId} and a.user_id = ${person} and ${isInNetwork(sql`a.ip_address`, options.cidr)}
      and ${isInSpan(sql`a.at`, filter)} ${buildKindCondition(sql`a.kind`, filter)} ${options.rest}`;
  const [only] = people;
  if (people.length === 1) return sql`(${selectRowsOfUser(sql`${only}::int`)})`;
  // `offset 0` keeps the users the outer side of the join: each is looked up in the index on its own.
  return sql`(select r.* from unnest(${people}::int[]) as p (id) cross join lateral (${selectRowsOfUser(sql`p.id`)} offset 0) r)`;
}

/** Number of rows counted by the cells that begin within the span. */
export async function countRows(db: Db, axis: Axis, span: Span): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(n), 0)::bigint as n from (${axis.selectCells(span)}) c`.execute(db);
  return rows[0]?.n ?? 0;
}

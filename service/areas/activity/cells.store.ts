import { type RawBuilder, sql } from 'kysely';
import type { Db } from '../../kernel/db/database.ts';
import type { Filter } from './rules.ts';
import { floorTo, type Span } from './segments.ts';

type Sql = RawBuilder<unknown>;

const DAY_MS = 86_400_000;
const HOUR_MS = DAY_MS / 24;
const WEEK_MS = 7 * DAY_MS;

/** Who or what the report is read by: the cells that count it, and the rows that they count. */
export interface Axis {
  /** How long a cell is. */
  widthMs: number;
  /** The cells that begin within the span: `part`, `bucket`, `kind`, `n`. */
  cells(span: Span): Sql;
  /** The rows within the span for which `rest` holds: `at`, `activity_id`, `user_id`, `ip_address`, `kind`. */
  rows(span: Span, rest?: Sql): Sql;
  /** What a row `a` of it fulfils. */
  condition: Sql;
  /** Whether the rows of a part of a cell are better looked for in the order of time. */
  isSpread: boolean;
}

/** The beginnings of the cells that begin within the span, as an array: each is looked up in the index on its own. */
function beginnings({ from, to }: Span, widthMs: number): Sql {
  const last = to ? sql`${to}::timestamptz - interval '1 millisecond'` : sql`now() + interval '1 day'`;
  return sql`array(select generate_series(${from}::timestamptz, ${last}, make_interval(secs => ${widthMs / 1000})))`;
}

const within = (column: Sql, { from, to }: Span): Sql =>
  to ? sql`${column} >= ${from} and ${column} < ${to}` : sql`${column} >= ${from}`;

type KindFilter = Pick<Filter, 'activities' | 'sources' | 'exportKind' | 'onlyProxy'>;

/** Whether only some kinds are asked for. */
export const filtersKinds = ({ activities, sources, exportKind, onlyProxy }: KindFilter): boolean =>
  activities !== undefined || sources !== undefined || exportKind !== undefined || onlyProxy;

/** The filter by type, source, export kind and proxy, as it reads in a kind; nothing where there is none. */
function ofKind(kind: Sql, filter: KindFilter): Sql {
  const { activities, sources, exportKind, onlyProxy } = filter;
  // Computed, so that no index is searched for each of hundreds of kinds: a cell names its kind.
  const parts = [
    activities && sql`${kind} & 15 = any(${[...activities]}::int[])`,
    sources && sql`(${kind} >> 4) & 7 = any(${[...sources]}::int[])`,
    exportKind !== undefined && sql`(${kind} >> 7) & 7 = ${exportKind + 1}`,
    onlyProxy && sql`${kind} >= 1024`,
  ].filter((part) => part !== undefined && part !== false);
  return parts.length > 0 ? sql`and ${sql.join(parts, sql` and `)}` : sql``;
}

const ROW = sql`a.at, a.activity_id, a.user_id, a.ip_address, a.kind`;

interface Tied {
  siteId: number;
  widthMs: number;
  cells: Axis['cells'];
  /** What ties a row `a` to its cell `c`, besides site, kind and time. */
  tie: Sql;
  condition: Sql;
}

/** Rows found by their cells, each run of one kind by its index: no more are read than fit, whoever and whenever. */
function byCells({ siteId, widthMs, cells, tie, condition }: Tied): Axis {
  const width = sql`make_interval(secs => ${widthMs / 1000})`;
  return {
    widthMs,
    cells,
    condition,
    isSpread: false,
    rows({ from, to }, rest = sql``) {
      const end = to ? sql`least(c.upto, ${to}::timestamptz)` : sql`c.upto`;
      // `offset 0` keeps the cells outside: joined any other way, whole years would be read for one hour.
      return sql`(with c as materialized (
          select part, kind, min(bucket) as bucket, max(bucket) + ${width} as upto
          from (${cells({ from: floorTo(from, widthMs), to })}) cell group by part, kind)
        select r.* from c cross join lateral (
          select ${ROW} from activity a
          where a.site_id = ${siteId} and ${tie} and a.kind = c.kind
            and a.at >= greatest(c.bucket, ${from}::timestamptz) and a.at < ${end} ${rest}
          offset 0) r)`;
    },
  };
}

/** The whole site, by the hour. */
export const siteAxis = (siteId: number, filter: KindFilter): Axis =>
  byCells({
    siteId,
    widthMs: HOUR_MS,
    cells: (span) => sql`select 0 as part, hour as bucket, kind, n from activity_hour
      where site_id = ${siteId} and ${within(sql`hour`, span)} ${ofKind(sql`kind`, filter)}`,
    tie: sql`true`,
    condition: sql`true`,
  });

const ROLES = { actor: 1, principal: 2 } as const;
type Role = keyof typeof ROLES;
/** Counts every kind of a person together. */
const ANY_KIND = -1;

/** For so many people a part of a day is sooner read in the order of time than one by one. */
const CROWD = 50;

/**
 * What these people did, or what was done for them: each kind by the week, and where no kind is asked for, all kinds
 * together by the day.
 */
export function peopleAxis(siteId: number, filter: Filter, role: Role, ids: readonly number[]): Axis {
  const people = [...new Set(ids)];
  const column = sql.ref(role === 'actor' ? 'a.user_id' : 'a.principal_user_id');
  const cells = (
    span: Span,
    kinds: Sql,
  ) => sql`select user_id as part, begins as bucket, kind, n from activity_person
    where site_id = ${siteId} and role = ${ROLES[role]} and user_id = any(${people}::int[])
      and ${within(sql`begins`, span)} and ${kinds}`;
  const axis = byCells({
    siteId,
    widthMs: WEEK_MS,
    cells: (span) => cells(span, sql`kind > ${ANY_KIND} ${ofKind(sql`kind`, filter)}`),
    tie: sql`${column} = c.part`,
    condition: sql`${column} = any(${people}::int[])`,
  });
  if (filtersKinds(filter)) return axis;
  const byDay = (span: Span) => cells(span, sql`kind = ${ANY_KIND}`);
  return { ...axis, widthMs: DAY_MS, cells: byDay, isSpread: people.length > CROWD };
}

/** Whether the address lies in the network: as a range, which an index finds. */
const inNetwork = (address: Sql, cidr: string): Sql =>
  sql`${address} between host(network(${cidr}::inet))::inet and host(broadcast(${cidr}::inet))::inet`;

/** What came from an address or a network, each address by the week. */
export const addressAxis = (siteId: number, filter: Filter, cidr: string): Axis =>
  byCells({
    siteId,
    widthMs: WEEK_MS,
    cells: (span) => sql`select address as part, week as bucket, kind, n from activity_from
      where site_id = ${siteId} and week = any(${beginnings(span, WEEK_MS)})
        and ${inNetwork(sql`address`, cidr)} ${ofKind(sql`kind`, filter)}`,
    tie: sql`a.ip_address = c.part`,
    condition: inNetwork(sql`a.ip_address`, cidr),
  });

/** Everybody of the site: by the week, or all kinds together by the day. */
export const everybodyAxis = (
  siteId: number,
  filter: Filter,
): Pick<Axis, 'widthMs' | 'condition' | 'cells'> => ({
  widthMs: filtersKinds(filter) ? WEEK_MS : DAY_MS,
  condition: sql`true`,
  cells: (span) => sql`select user_id as part, begins as bucket, kind, n from activity_person
    where site_id = ${siteId} and role = ${ROLES.actor} and ${within(sql`begins`, span)}
      and ${filtersKinds(filter) ? sql`kind > ${ANY_KIND} ${ofKind(sql`kind`, filter)}` : sql`kind = ${ANY_KIND}`}`,
});

/** Every address of the site, by the week. */
export const everywhereAxis = (
  siteId: number,
  filter: Filter,
): Pick<Axis, 'widthMs' | 'condition' | 'cells'> => ({
  widthMs: WEEK_MS,
  condition: sql`a.ip_address is not null`,
  cells: (span) => sql`select address as part, week as bucket, kind, n from activity_from
    where site_id = ${siteId} and ${within(sql`week`, span)} ${ofKind(sql`kind`, filter)}`,
});

/** What came from a wide network, its parts (/16, /32) counted by the day; its rows are found by their addresses. */
export const networkAxis = (siteId: number, filter: Filter, cidr: string): Axis => ({
  ...addressAxis(siteId, filter, cidr),
  widthMs: DAY_MS,
  isSpread: true,
  cells: (span) => sql`select network as part, day as bucket, kind, n from activity_network
    where site_id = ${siteId} and day = any(${beginnings(span, DAY_MS)})
      and network between network(${cidr}::inet)::inet and host(broadcast(${cidr}::inet))::inet
      ${ofKind(sql`kind`, filter)}`,
});

/** The rows of the span for which `condition` holds, found in the order of time. */
export const rowsByTime = (siteId: number, filter: KindFilter, span: Span, condition: Sql): Sql =>
  sql`(select ${ROW} from activity a where a.site_id = ${siteId} and ${within(sql`a.at`, span)}
    ${ofKind(sql`a.kind`, filter)} and ${condition})`;

/**
 * What these people did from an address or a network, for which `rest` holds. No cells count them, but an index has
 * them side by side.
 */
export function peopleIn(
  siteId: number,
  filter: Filter,
  who: { userIds: readonly number[]; cidr: string; rest: Sql },
): Sql {
  const people = [...new Set(who.userIds)];
  const of = (person: Sql) => sql`select ${ROW} from activity a
    where a.site_id = ${siteId} and a.user_id = ${person} and ${inNetwork(sql`a.ip_address`, who.cidr)}
      and ${within(sql`a.at`, filter)} ${ofKind(sql`a.kind`, filter)} ${who.rest}`;
  const [only] = people;
  if (people.length === 1) return sql`(${of(sql`${only}::int`)})`;
  // `offset 0` keeps the people outside: each is looked up in the index on their own.
  return sql`(select r.* from unnest(${people}::int[]) as p (id) cross join lateral (${of(sql`p.id`)} offset 0) r)`;
}

/** How many rows the cells that begin within the span count. */
export async function sumCells(db: Db, axis: Axis, span: Span): Promise<number> {
  const { rows } = await sql<{ n: number }>`
    select coalesce(sum(n), 0)::bigint as n from (${axis.cells(span)}) c`.execute(db);
  return rows[0]?.n ?? 0;
}

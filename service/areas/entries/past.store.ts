import { type RawBuilder, sql } from 'kysely';
import { FIELD, FILTER, isIdField, oppositeOf } from '../../../contract/rules/fields.ts';
import { type Comparison, type Condition, ENTRY_ID } from '../../../contract/rules/query/tree.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { SchemaField } from '../schema/index.ts';
import { requireBound, upToBound } from './bounds.store.ts';
import { textOf, valueOf, slotOf } from './columns.store.ts';
import { type Asked, conditionSql, type FieldOf } from './conditions.store.ts';
import { type Order, orderSql } from './order.store.ts';
import { type Rendering, rowJson } from './render.store.ts';
import type { Wanted, Window } from './rows.store.ts';

type Sql = RawBuilder<unknown>;

/** A question about a moment that is past. */
export interface PastWanted extends Wanted {
  at: Date;
}

/** An entry that has changed since: whether it matched then, whether it does now, whether its shown fields differ. */
export interface Compared {
  entryId: number;
  was: boolean;
  is: boolean;
  differs: boolean;
}

/** A row as it was, beside what it is today. */
export interface PastRow {
  entryId: number;
  row: string;
  /** Null: unchanged since then, or gone. */
  today: string | null;
  isGone: boolean;
  mergedInto: number | null;
}

/** Slots and searched texts hold what is today: a value of the past is compared as it stands. */
const bare = (field: SchemaField): SchemaField => ({
  ...field,
  slot: null,
  isSlotReady: false,
  isSearchReady: false,
});

const fieldOfType = ({ type }: Wanted): FieldOf => {
  const byId = new Map(type.fields.map((field) => [field.id, field]));
  return (id) => {
    const field = byId.get(id);
    if (!field) throw new Error(`A query names field ${id}, which its type does not have`);
    return field;
  };
};

/** A condition over `e.vals` alone, for entries that are not as the columns of `entry` have them. */
function pastCondition(condition: Condition, fieldOf: FieldOf, asked: Asked): RawBuilder<boolean> {
  if (condition.kind === 'comparison')
    return severalTest(condition, fieldOf) ?? conditionSql(condition, (id) => bare(fieldOf(id)), asked);
  const parts = condition.of.map((each) => pastCondition(each, fieldOf, asked));
  if (parts.length === 0) return sql<boolean>`true`;
  return sql<boolean>`(${sql.join(parts, condition.kind === 'all' ? sql` and ` : sql` or `)})`;
}

/** Of a field of several ids, which are looked up elsewhere for what is today; undefined for every other comparison. */
function severalTest({ field, operation, operands }: Comparison, fieldOf: FieldOf) {
  if (field === ENTRY_ID || !field.isMultiSelect || !isIdField(field.fieldType)) return undefined;
  const opposite = oppositeOf(operation.id);
  const code = opposite ?? operation.id;
  if (code !== FILTER.equals && code !== FILTER.in) return undefined;
  const one = sql<boolean>`exists (select 1 from jsonb_array_elements_text(${valueOf(fieldOf(field.id))}) as held(id)
    where held.id::int = any(${[...operands]}::int[]))`;
  return opposite === undefined ? one : sql<boolean>`(not ${one})`;
}

const fieldIdsIn = (condition: Condition): number[] =>
  condition.kind === 'comparison'
    ? condition.field === ENTRY_ID
      ? []
      : [condition.field.id]
    : condition.of.flatMap(fieldIdsIn);

/** What the fields of an entry held before the first change after the moment; null where that was nothing. */
const replaced = (siteId: number, entryId: Sql, fieldIds: readonly number[], at: Date): Sql =>
  sql`select distinct on (l.field_id) l.field_id, l.old from cell_log l
    where l.site_id = ${siteId} and l.entry_id = ${entryId} and l.field_id = any(${[...fieldIds]}::int[])
      and l.at > ${at}::timestamptz order by l.field_id, l.seq`;

/** The values at the moment, of these fields alone: what is there now, or was when it went, under what was replaced. */
function valuesThen(siteId: number, held: Sql, entryId: Sql, fieldIds: readonly number[], at: Date): Sql {
  if (fieldIds.length === 0) return held;
  return sql`(select (${held} || coalesce(jsonb_object_agg(f.field_id::text, f.old) filter (where f.old is not null), '{}'))
      - coalesce(array_agg(f.field_id::text) filter (where f.old is null), '{}'::text[])
    from (${replaced(siteId, entryId, fieldIds, at)}) f)`;
}

/**
 * The entries of the type that have changed since the moment, up to `most` of them: all others matched then as they do
 * now. `shown`: the fields whose values count as a difference. The parts are looked up in one another and not joined: how
 * many have changed is not in the statistics, and a plan for twenty compares each with each when there are thousands.
 */
export async function compareWithToday(
  db: Db,
  wanted: PastWanted,
  shown: readonly SchemaField[],
  most: number,
): Promise<Compared[]> {
  const { type, condition, asked, at } = wanted;
  const { siteId } = asked;
  const fieldOf = fieldOfType(wanted);
  const vals = valuesThen(siteId, sql`c.vals`, sql`c.entry_id`, fieldIdsIn(condition), at);
  const shownIds = shown.map(({ id }) => id);
  const { rows } = await sql<Compared>`
    with changed as materialized (
      select c.entry_id, coalesce(n.vals, c.last_vals) as vals, n.vals as today,
        c.created_at <= ${at}::timestamptz and (c.deleted_at is null or c.deleted_at > ${at}::timestamptz) as was
      from entry_change c left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id
      where c.site_id = ${siteId} and c.type_id = ${type.id} and c.any_at > ${at}::timestamptz
      order by c.any_at, c.entry_id limit ${most}),
    past as materialized (select c.entry_id, ${vals} as vals from changed c where c.was),
    found as (select e.entry_id from past e where ${pastCondition(condition, fieldOf, asked)}),
    still as (select e.entry_id from entry e where e.site_id = ${siteId} and e.type_id = ${type.id}
      and e.entry_id in (select entry_id from changed) and ${conditionSql(condition, fieldOf, asked)}),
    sides as materialized (select c.entry_id, c.today, c.entry_id in (select entry_id from found) as was,
      c.entry_id in (select entry_id from still) as "is" from changed c)
    select c.entry_id as "entryId", c.was, c."is", c.was and c."is" and exists (
        select 1 from (${replaced(siteId, sql`c.entry_id`, shownIds, at)}) f
        where f.old is distinct from c.today -> f.field_id::text) as differs
    from sides c`.execute(db);
  return rows;
}

/** The column that orders, of values of the past: as the slot would hold it, so that both kinds stand in one order. */
function pastKey(order: Order, siteId: number): Sql {
  const { field } = order;
  if (field === ENTRY_ID) return orderSql(order, siteId);
  if (field.fieldType === FIELD.date && slotOf(field))
    return sql`(extract(epoch from (${textOf(field)})::timestamp) * 1000)::float8`;
  return orderSql({ ...order, field: bare(field) }, siteId);
}

/** Which rows a page is made of: entries as they were, entries as they are, or all that have not changed as well. */
export interface PageOf {
  /** Entries that changed and stand on the page as they were. */
  was: readonly number[];
  /** Entries that stand there as they are. */
  is: readonly number[];
  /** All matching entries but these as well; undefined: none. */
  unchangedBut: readonly number[] | undefined;
}

/** What a page may be made of, one part for each kind: ids with the key of the order, null without one. */
function partsOf(wanted: PastWanted, { was, is, unchangedBut }: PageOf): Sql[] {
  const { type, condition, asked, order, at } = wanted;
  const { siteId } = asked;
  const ofType = sql`from entry e where e.site_id = ${siteId} and e.type_id = ${type.id}`;
  const key = order ? orderSql(order, siteId) : sql`null::int`;
  const orderIds = order && order.field !== ENTRY_ID ? [order.field.id] : [];
  const held = valuesThen(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, orderIds, at);
  const parts: Sql[] = [];
  if (was.length > 0)
    parts.push(sql`select e.entry_id, ${order ? pastKey(order, siteId) : sql`null::int`} as key from (
      select c.entry_id, ${held} as vals from entry_change c
      left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id
      where c.site_id = ${siteId} and c.entry_id = any(${[...was]}::int[])) e`);
  if (unchangedBut)
    parts.push(sql`select e.entry_id, ${key} as key ${ofType}
      and ${conditionSql(condition, fieldOfType(wanted), asked)} and e.entry_id <> all(${[...unchangedBut]}::int[])`);
  else parts.push(sql`select e.entry_id, ${key} as key ${ofType} and e.entry_id = any(${[...is]}::int[])`);
  return parts;
}

/**
 * The ids of a page in the order that was asked for; entries without a value stand last (rows.store.ts). Each part is
 * read in that order and no further than the page reaches, so that an index can give it; those without a value are
 * looked for only when the page reaches beyond the others.
 */
function pageIds(wanted: PastWanted, page: PageOf, { limit, skip }: Window): Sql {
  const { order } = wanted;
  const parts = partsOf(wanted, page);
  const most = skip + limit;
  const firstOf = (holds: Sql, by: Sql): Sql =>
    sql`select entry_id, key from (${sql.join(
      parts.map(
        (part) =>
          sql`(select entry_id, key from (${part}) as part where ${holds} order by ${by} limit ${most})`,
      ),
      sql` union all `,
    )}) as parts order by ${by} limit ${most}`;
  const numbered = (ids: Sql): Sql =>
    sql`select entry_id, row_number() over () as at from (${ids} limit ${limit} offset ${skip}) as ids`;
  if (!order)
    return numbered(
      sql`select entry_id from (${firstOf(sql`true`, sql`entry_id`)}) as all_of_them order by entry_id`,
    );
  const direction = order.descending ? sql`desc` : sql`asc`;
  const byKey = sql`key ${direction}, entry_id ${direction}`;
  const isShort = sql`key is null and (select count(*) from keyed) < ${most}`;
  return numbered(sql`
    with keyed as materialized (${firstOf(sql`key is not null`, byKey)}),
      others as materialized (${firstOf(isShort, sql`entry_id`)})
    select entry_id from (
      select entry_id, row_number() over (order by ${byKey}) as place, 0 as last from keyed
      union all select entry_id, row_number() over (order by entry_id), 1 from others) as both_kinds
    order by last, place`);
}

/** The rows of a page as JSON texts, in their order, with what those that have changed are today. */
export async function pastRows(
  db: Db,
  wanted: PastWanted,
  page: PageOf,
  window: Window,
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<PastRow[]> {
  const { siteId } = wanted.asked;
  const ids = fields.map(({ id }) => id);
  const then = valuesThen(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, ids, wanted.at);
  const changed = sql`(page.entry_id = any(${[...page.was]}::int[]))`;
  const row = rowJson(fields, rendering);
  const built = sql`select p.at, p.entry_id as "entryId", p."isGone", p."mergedInto",
      (select ${row} from (select p.entry_id, p.vals) as e) as row,
      case when p.changed and not p."isGone" then (select ${row} from (select p.entry_id, p.today as vals) as e) end as today
    from (select page.at, page.entry_id, ${changed} as changed, n.entry_id is null as "isGone",
        c.merged_into as "mergedInto", n.vals as today, case when ${changed} then ${then} else n.vals end as vals
      from page join entry_change c on c.site_id = ${siteId} and c.entry_id = page.entry_id
      left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id) p`;
  const { rows } = await sql<PastRow & { bytes: number }>`
    with page as materialized (${pageIds(wanted, page, window)}) ${upToBound(built)} order by at`.execute(db);
  requireBound(rows, 'limit');
  return rows;
}

/** Runs several reads of one state of the database. */
export const inOneState = <T>(db: Db, read: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);

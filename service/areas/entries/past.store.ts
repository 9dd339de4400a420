import { type RawBuilder, sql } from 'kysely';
import { FILTER, isIdField, oppositeOf } from '../../../contract/rules/fields.ts';
import { type Comparison, type Condition, ENTRY_ID } from '../../../contract/rules/query/tree.ts';
import type { Db } from '../../kernel/db/database.ts';
import type { SchemaField } from '../schema/index.ts';
import { requireBound, upToBound } from './bounds.store.ts';
import { valueOf } from './columns.store.ts';
import { type Asked, conditionSql, type FieldOf } from './conditions.store.ts';
import { type PageOf, pageIds } from './past-ids.store.ts';
import { bare, fieldOfType, type PastWanted, replaced, valuesThen } from './past-values.store.ts';
import { type Rendering, rowJson } from './render.store.ts';
import { awayAt } from './timeline.store.ts';
import type { Window } from './rows.store.ts';

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
  /** Fields that hold something else today; null where `today` is. */
  differing: number[] | null;
  isGone: boolean;
  mergedInto: number | null;
}

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
    with away as materialized (${awayAt(siteId, at)}),
    changed as materialized (
      select c.entry_id, coalesce(n.vals, c.last_vals) as vals, n.vals as today,
        c.created_at <= ${at}::timestamptz and (c.deleted_at is null or c.deleted_at > ${at}::timestamptz)
          and c.entry_id not in (select id from away) as was
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
  // Told by the values themselves: what is shown of them may be cut.
  const differing = sql`(select coalesce(array_agg(asked.id order by asked.at), '{}')
    from unnest(${ids}::int[]) with ordinality as asked(id, at)
    where p.vals -> asked.id::text is distinct from p.today -> asked.id::text)`;
  const built = sql`select p.at, p.entry_id as "entryId", p."isGone", p."mergedInto",
      case when p.changed and not p."isGone" then ${differing} end as differing,
      (select ${row} from (select p.entry_id, p.vals) as e) as row,
      case when p.changed and not p."isGone" then (select ${row} from (select p.entry_id, p.today as vals) as e) end as today
    from (select page.at, page.entry_id, ${changed} as changed, n.entry_id is null as "isGone",
        c.merged_into as "mergedInto", n.vals as today, case when ${changed} then ${then} else n.vals end as vals
      from page join entry_change c on c.site_id = ${siteId} and c.entry_id = page.entry_id
      left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id) p`;
  const { rows } = await sql<PastRow & { bytes: number }>`
    with page as materialized (${await pageIds(db, wanted, page, window)}) ${upToBound(built)} order by at`.execute(
    db,
  );
  requireBound(rows, 'limit');
  return rows;
}

/** Runs several reads of one state of the database. */
export const inOneState = <T>(db: Db, read: (tx: Db) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);

import { type RawBuilder, sql } from 'kysely';
import { FILTER, isIdField, oppositeOf } from '../../../../contract/rules/fields.ts';
import { type Comparison, type Condition, ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { SchemaField } from '../../schema/index.ts';
import { valueOf } from '../query/columns.store.ts';
import { type Asked, conditionSql, type FieldOf } from '../query/conditions.store.ts';
import { type Ids, unpacked } from '../query/id-list.ts';
import { matching } from '../query/matching.store.ts';
import { bare, fieldOfType, type PastWanted, replaced, valuesThen } from './past-values.store.ts';
import { awayAt } from './timeline.store.ts';

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

/** Ids in their order, packed: a million of them are one value for the driver, and not a million rows. */
const packed = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`string_agg(int4send(${id}), '' order by ${id})`;

interface Packed {
  ids: Uint8Array | null;
}

/** Entries that have changed. */
export interface Changes {
  all: Ids;
  /** Those that were there at the moment. */
  there: Ids;
}

/** The entries of the type that have changed since then, at the moment or later, up to `most` of them. */
export async function changedSince(
  db: Db,
  { type, asked: { siteId }, at }: PastWanted,
  since: Date,
  most: number,
): Promise<Changes> {
  const { rows } = await sql<{ all: Uint8Array | null; there: Uint8Array | null }>`
    with away as materialized (${awayAt(siteId, at)})
    select ${packed(sql`c.entry_id`)} as all, ${packed(sql`c.entry_id`)} filter (where c.created_at <= ${at}::timestamptz
        and (c.deleted_at is null or c.deleted_at > ${at}::timestamptz)
        and c.entry_id not in (select id from away)) as there
    from (select entry_id, created_at, deleted_at from entry_change
      where site_id = ${siteId} and type_id = ${type.id} and any_at > ${since}::timestamptz
      order by any_at, entry_id limit ${most}) c`.execute(db);
  const [found] = rows;
  return { all: unpacked(found?.all ?? null), there: unpacked(found?.there ?? null) };
}

/** Of these entries the ones that match today. */
export async function stillMatching(db: Db, wanted: PastWanted, ids: Ids): Promise<Ids> {
  const { rows } = await sql<Packed>`select ${packed(sql`e.entry_id`)} as ids
    ${matching(wanted, sql`e.entry_id = any(${[...ids]}::int[])`)}`.execute(db);
  return unpacked(rows[0]?.ids ?? null);
}

/**
 * Of entries that were there the ones that matched then, and of those the ones whose `shown` fields hold something else
 * today. Each is looked up by its id: a plan that joins would read the whole type for each piece of them.
 */
export async function wasAmong(
  db: Db,
  wanted: PastWanted,
  ids: Ids,
  shown: readonly SchemaField[],
): Promise<{ was: Ids; differ: Ids }> {
  const { condition, asked, at } = wanted;
  const { siteId } = asked;
  const vals = valuesThen(siteId, sql`c.vals`, sql`c.entry_id`, fieldIdsIn(condition), at);
  const shownIds = shown.map(({ id }) => id);
  const { rows } = await sql<{ was: Uint8Array | null; differ: Uint8Array | null }>`
    with found as (
      select e.entry_id, e.today is not null and exists (
          select 1 from (${replaced(siteId, sql`e.entry_id`, shownIds, at)}) f
          where f.old is distinct from e.today -> f.field_id::text) as differs
      from (select c.entry_id, c.today, ${vals} as vals from (
          select given.id as entry_id, coalesce(n.vals, c.last_vals) as vals, n.vals as today
          from unnest(${[...ids]}::int[]) as given(id)
          left join lateral (
            select vals from entry n where n.site_id = ${siteId} and n.entry_id = given.id offset 0) n on true
          left join lateral (
            select last_vals from entry_change c
            where n.vals is null and c.site_id = ${siteId} and c.entry_id = given.id offset 0) c on true) c
        offset 0) e
      where ${pastCondition(condition, fieldOfType(wanted), asked)})
    select ${packed(sql`entry_id`)} as was, ${packed(sql`entry_id`)} filter (where differs) as differ from found`.execute(
    db,
  );
  const [found] = rows;
  return { was: unpacked(found?.was ?? null), differ: unpacked(found?.differ ?? null) };
}

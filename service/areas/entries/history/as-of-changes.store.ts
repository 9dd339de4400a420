import { type RawBuilder, sql } from 'kysely';
import { type Comparison, type Condition, ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FILTER, isIdField, getOppositeOperation } from '../../../../contract/rules/schema/fields.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { SchemaField } from '../../schema/index.ts';
import { ENTRY, valueSql } from '../query/field-sql.store.ts';
import { type SortedIds, unpackIds } from '../query/id-list.ts';
import { conditionSql, groupSql, matchingSql } from '../query/matching.store.ts';
import { createFieldLookup, type GetField, listFieldIds, type QueryContext } from '../query/resolve-query.ts';
import { withoutSlot, type AsOfQuery, replacedValuesSql, valuesAtSql } from './as-of-rows.store.ts';
import { listDeletedAt } from './timeline.store.ts';

/** A condition on the `vals` of `ENTRY` only: slot columns and search tables have current values and do not apply to past ones. */
function pastConditionSql(
  condition: Condition,
  getField: GetField,
  context: QueryContext,
): RawBuilder<boolean> {
  if (condition.kind === 'comparison')
    return (
      multiValueTestSql(condition, getField) ??
      conditionSql(condition, (id) => withoutSlot(getField(id)), context)
    );
  const tests = condition.conditions.map((part) => pastConditionSql(part, getField, context));
  return groupSql(condition.match, tests);
}

/** Comparison of a field with several ids, which current queries look up in `entry_multi`; undefined for others. */
function multiValueTestSql({ field, operation, operands }: Comparison, getField: GetField) {
  if (field === ENTRY_ID || !field.isMultiSelect || !isIdField(field.fieldType)) return undefined;
  const opposite = getOppositeOperation(operation.id);
  const code = opposite ?? operation.id;
  if (code !== FILTER.equals && code !== FILTER.in) return undefined;
  const holdsAny = sql<boolean>`exists (select 1 from jsonb_array_elements_text(${valueSql(getField(field.id))}) as held(id)
    where held.id::int = any(${[...operands]}::int[]))`;
  return opposite === undefined ? holdsAny : sql<boolean>`(not ${holdsAny})`;
}

/** Sorted ids packed as binary: one value for the driver instead of a million rows. */
const packIdsSql = (id: RawBuilder<unknown>): RawBuilder<unknown> =>
  sql`string_agg(int4send(${id}), '' order by ${id})`;

interface PackedIds {
  ids: Uint8Array | null;
}

/** Ids of entries that have changed since a date. */
export interface ChangedEntries {
  all: SortedIds;
  /** Entries that existed at the date. */
  existedThen: SortedIds;
}

/** Up to `limit` entries of the type that have changed after `since`. */
export async function findChangedSince(
  db: Db,
  { type, context: { siteId }, at }: AsOfQuery,
  since: Date,
  limit: number,
): Promise<ChangedEntries> {
  const deletedThen = await listDeletedAt(db, siteId, at);
  const { rows } = await sql<{ all: Uint8Array | null; there: Uint8Array | null }>`
    select ${packIdsSql(sql`c.entry_id`)} as all, ${packIdsSql(sql`c.entry_id`)} filter (where c.created_at <= ${at}::timestamptz
        and (c.deleted_at is null or c.deleted_at > ${at}::timestamptz)
        and c.entry_id <> all(${deletedThen}::int[])) as there
    from (select entry_id, created_at, deleted_at from entry_change
      where site_id = ${siteId} and type_id = ${type.id} and any_at > ${since}::timestamptz
      order by any_at, entry_id limit ${limit}) c`.execute(db);
  const [found] = rows;
  return { all: unpackIds(found?.all ?? null), existedThen: unpackIds(found?.there ?? null) };
}

/** The entries among `ids` that match today. */
export async function findMatchingNow(db: Db, query: AsOfQuery, ids: SortedIds): Promise<SortedIds> {
  const { rows } = await sql<PackedIds>`select ${packIdsSql(sql`${ENTRY}.entry_id`)} as ids
    ${matchingSql(query, sql`${ENTRY}.entry_id = any(${[...ids]}::int[])`)}`.execute(db);
  return unpackIds(rows[0]?.ids ?? null);
}

/**
 * The entries among `ids` that matched at the date, and those of them whose `comparedFields` have other values today.
 * Lateral lookups by id keep the planner from a join that reads the whole type for each batch.
 */
export async function findMatchingThen(
  db: Db,
  query: AsOfQuery,
  ids: SortedIds,
  comparedFields: readonly SchemaField[],
): Promise<{ matching: SortedIds; differing: SortedIds }> {
  const { condition, context, at } = query;
  const { siteId } = context;
  const vals = valuesAtSql(siteId, sql`c.vals`, sql`c.entry_id`, listFieldIds(condition), at);
  const comparedIds = comparedFields.map(({ id }) => id);
  const { rows } = await sql<{ matching: Uint8Array | null; differing: Uint8Array | null }>`
    with found as (
      select ${ENTRY}.entry_id, ${ENTRY}.today is not null and exists (
          select 1 from (${replacedValuesSql(siteId, sql`${ENTRY}.entry_id`, comparedIds, at)}) f
          where f.old is distinct from ${ENTRY}.today -> f.field_id::text) as differs
      from (select c.entry_id, c.today, ${vals} as vals from (
          select given.id as entry_id, coalesce(n.vals, c.last_vals) as vals, n.vals as today
          from unnest(${[...ids]}::int[]) as given(id)
          left join lateral (
            select vals from entry n where n.site_id = ${siteId} and n.entry_id = given.id offset 0) n on true
          left join lateral (
            select last_vals from entry_change c
            where n.vals is null and c.site_id = ${siteId} and c.entry_id = given.id offset 0) c on true) c
        offset 0) ${ENTRY}
      where ${pastConditionSql(condition, createFieldLookup(query.type), context)})
    select ${packIdsSql(sql`entry_id`)} as matching, ${packIdsSql(sql`entry_id`)} filter (where differs) as differing from found`.execute(
    db,
  );
  const [found] = rows;
  return { matching: unpackIds(found?.matching ?? null), differing: unpackIds(found?.differing ?? null) };
}

/** SQL expressions over the fields of an entry: their values, sort keys and positions in an order. */
import { type RawBuilder, sql } from 'kysely';
import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { DataDependency } from '../../../kernel/db/type-versions.ts';
import type { SchemaField } from '../../schema/index.ts';
import { listFieldIds, type ResolvedQuery, type Sort } from './resolve-query.ts';

type Sql = RawBuilder<unknown>;

/**
 * Alias of the row over which conditions, sort keys and JSON are built: a row of `entry`, or of a subquery with its
 * columns `entry_id` and `vals`. Every statement that uses these expressions gives the row this name.
 */
export const ENTRY = sql.raw('e');

/** Key of a field in `vals`, as a literal. */
export const fieldKeySql = (field: SchemaField): Sql => sql.lit(String(field.id));

/** Value of a field as jsonb. */
export const valueSql = (field: SchemaField): Sql => sql`(${ENTRY}.vals -> ${fieldKeySql(field)})`;

/** Value of a field as text. */
export const textSql = (field: SchemaField): Sql => sql`(${ENTRY}.vals ->> ${fieldKeySql(field)})`;

/** The slot column of a field, which is indexed; undefined when it has none or is not filled for all entries yet. */
export function slotSql(field: SchemaField): Sql | undefined {
  if (field.slot === null || !field.isSlotReady) return undefined;
  return sql`${ENTRY}.${sql.ref(field.slot === 'name' ? 'name_key' : field.slot)}`;
}

/** Characters by which texts are sorted, as many as slots hold; texts with the same beginning are sorted by id. */
const SORT_LENGTH = 200;
const sortTextSql = (text: Sql): Sql => sql`left(fold(${text}), ${sql.lit(SORT_LENGTH)}) collate "C"`;

/** Sort key of an entry. Choices are sorted in their own order, users and referenced entries by their names. */
export function sortKeySql({ field }: Sort, siteId: number): Sql {
  if (field === ENTRY_ID) return sql`${ENTRY}.entry_id`;
  const value = textSql(field);
  const slot = slotSql(field);
  if (field.fieldType === FIELD.choice)
    return sql`array_position(${[...field.choices.keys()]}::int[], ${value}::int)`;
  if (field.fieldType === FIELD.reference)
    return sql`(select ${sortTextSql(sql`r.name`)} from entry_change r where r.site_id = ${siteId} and r.entry_id = ${value}::int)`;
  if (field.fieldType === FIELD.user)
    return sql`(select ${sortTextSql(sql`a.first_name || ' ' || a.last_name`)} from account a where a.user_id = ${value}::int)`;
  if (slot) return slot;
  if (field.fieldType === FIELD.text) return sql`(${sortTextSql(value)})`;
  if (field.fieldType === FIELD.date) return sql`(${value} collate "C")`;
  if (field.fieldType === FIELD.boolean) return sql`(${value}::boolean::int)`;
  return sql`coalesce((${valueSql(field)} ->> 'value'), ${value})::float8`;
}

const TEXT_SORTS: ReadonlySet<number> = new Set([FIELD.text, FIELD.reference, FIELD.user]);

/** Whether the sort key is a text; otherwise it is a number. */
const isTextSort = ({ field }: Sort): boolean =>
  field !== ENTRY_ID &&
  (TEXT_SORTS.has(field.fieldType) || (field.fieldType === FIELD.date && !slotSql(field)));

/** Position of a row in a sorted list. */
export interface RowPosition {
  entryId: number;
  /** Sort key; null when the entry has no value or the list is sorted by id. */
  key: string | number | null;
}

/** Whether an entry with a sort key stands before or after a position with one; equal keys are sorted by id. */
export function keysetSql(sort: Sort, siteId: number, position: RowPosition, side: 'before' | 'after'): Sql {
  const operator = (side === 'before') === sort.descending ? sql`>` : sql`<`;
  const keyType = isTextSort(sort) ? sql`::text` : sql`::float8`;
  return sql`(${sortKeySql(sort, siteId)}, ${ENTRY}.entry_id) ${operator} (${position.key}${keyType}, ${position.entryId}::int)`;
}

const SORTED_BY_OTHER_DATA: ReadonlySet<number> = new Set([FIELD.choice, FIELD.reference, FIELD.user]);

/** Whether an index has this order, so that any page is found without sorting. */
export const isSortIndexed = ({ field }: Sort): boolean =>
  field === ENTRY_ID || (slotSql(field) !== undefined && !SORTED_BY_OTHER_DATA.has(field.fieldType));

/** Whether the order depends on the names of other entries or of users besides the values of the entries. */
export function getSortNames({ field }: Sort): 'entries' | 'users' | undefined {
  if (field === ENTRY_ID) return undefined;
  if (field.fieldType === FIELD.user) return 'users';
  return field.fieldType === FIELD.reference ? 'entries' : undefined;
}

/**
 * What the list of a query depends on. The name of a referenced entry may be of any type, so a sort by it depends on all
 * entries of the site. Names of users have no version: a sort by them needs a check of its own.
 */
export function getDependency({ type, condition, sort, context }: ResolvedQuery): DataDependency {
  const { siteId } = context;
  if (sort && getSortNames(sort) === 'entries') return { siteId, entries: 'all' };
  const sortFieldIds = sort && sort.field !== ENTRY_ID ? [sort.field.id] : [];
  return { siteId, entries: { typeId: type.id, fieldIds: [...listFieldIds(condition), ...sortFieldIds] } };
}

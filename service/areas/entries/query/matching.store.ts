import { type RawBuilder, sql } from 'kysely';
import {
  type Comparison,
  type Condition,
  ENTRY_ID,
  type Operand,
} from '../../../../contract/rules/query/condition.ts';
import {
  FIELD,
  FILTER,
  getOppositeOperation,
  holdsMoney,
  isFileField,
  isIdField,
} from '../../../../contract/rules/schema/fields.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { executeReplanned } from '../../../kernel/db/driver/prepared.ts';
import { escapeLike, toLikePattern } from '../../../kernel/db/like.ts';
import { foldCase, type SchemaField, toSlotText } from '../../schema/index.ts';
import { ENTRY, slotSql, textSql, valueSql } from './field-sql.store.ts';
import {
  createFieldLookup,
  type GetField,
  matchesAll,
  type QueryContext,
  type ResolvedQuery,
} from './resolve-query.ts';

type Sql = RawBuilder<unknown>;
type Test = RawBuilder<boolean>;

/** `from` and `where` of the entries that match a query; `narrowing` is a further condition. */
export const matchingSql = (
  { type, condition, context }: ResolvedQuery,
  narrowing: Sql = sql`true`,
): Sql => sql`from entry ${ENTRY}
  where ${ENTRY}.site_id = ${context.siteId} and ${ENTRY}.type_id = ${type.id}
    and ${conditionSql(condition, createFieldLookup(type), context)} and ${narrowing}`;

/** Statement that counts the matching entries. A search for a part of a text counts texts without reading entries. */
export function countSql(query: ResolvedQuery): Sql {
  const { type, condition, context } = query;
  if (matchesAll(condition))
    return sql`select coalesce(sum(n), 0)::int as n from entry_block
      where site_id = ${context.siteId} and type_id = ${type.id}`;
  const searchSql = searchOnlySql(condition, createFieldLookup(type), context);
  return searchSql
    ? sql`select count(*)::int as n from (${searchSql}) as texts`
    : sql`select count(*)::int as n ${matchingSql(query)}`;
}

/** Number of entries that match. */
export async function countMatches(db: Db, query: ResolvedQuery): Promise<number> {
  const { rows } = await executeReplanned(sql<{ n: number }>`${countSql(query)}`, db);
  return rows[0]?.n ?? 0;
}

/** Number of entries that match among the first `limit` of the type, by id: bounded work for any condition. */
export async function countMatchesAmong(
  db: Db,
  { type, condition, context }: Omit<ResolvedQuery, 'sort'>,
  limit: number,
): Promise<{ count: number; examined: number }> {
  const { rows } = await sql<{ count: number; examined: number }>`
    select count(*) filter (where ${conditionSql(condition, createFieldLookup(type), context)})::int as count,
      count(*)::int as examined
    from (select * from entry where site_id = ${context.siteId} and type_id = ${type.id} order by entry_id limit ${limit}) as ${ENTRY}`.execute(
    db,
  );
  return rows[0] ?? { count: 0, examined: 0 };
}

/**
 * A condition as SQL over `ENTRY`. Values are parameters only: the text of the statement depends on the shape of the
 * tree and its fields, never on values of the request (T15).
 */
export function conditionSql(condition: Condition, getField: GetField, context: QueryContext): Test {
  if (condition.kind === 'comparison') return comparisonSql(condition, getField, context);
  return groupSql(
    condition.match,
    condition.conditions.map((part) => conditionSql(part, getField, context)),
  );
}

/** Joins the tests of a group; an empty group holds. */
export function groupSql(match: 'all' | 'any', tests: readonly Test[]): Test {
  if (tests.length === 0) return sql<boolean>`true`;
  return sql<boolean>`(${sql.join(tests, match === 'all' ? sql` and ` : sql` or `)})`;
}

function comparisonSql(comparison: Comparison, getField: GetField, context: QueryContext): Test {
  const { field, operation, operands } = comparison;
  const opposite = getOppositeOperation(operation.id);
  const code = opposite ?? operation.id;
  const test =
    field === ENTRY_ID
      ? numberTest(sql`${ENTRY}.entry_id`, code, operands as readonly number[], 'int')
      : fieldTest(getField(field.id), code, operands, context, comparison.currencyCode);
  return opposite === undefined ? test : sql<boolean>`((${test}) is not true)`;
}

function fieldTest(
  field: SchemaField,
  code: number | null,
  operands: readonly Operand[],
  context: QueryContext,
  currencyCode: string | undefined,
): Test {
  if (code === FILTER.notNoData) return hasDataTest(field);
  if (code === FILTER.noData) return sql<boolean>`(not ${hasDataTest(field)})`;
  if (isFileField(field.fieldType)) throw new Error('File fields support NoData and NotNoData only');
  if (field.fieldType === FIELD.text) return textTest(field, code, operands as readonly string[], context);
  if (field.isMultiSelect && isIdField(field.fieldType))
    return multiSelectTest(field, code, operands as readonly number[], context);
  if (field.fieldType === FIELD.date) return dateTest(field, code, operands as readonly string[], context);
  const test = numberTest(slotSql(field) ?? numberSql(field), code, operands.map(Number), 'float8');
  if (currencyCode === undefined) return test;
  return sql<boolean>`(${test} and ${valueSql(field)} ->> 'currencyCode' = ${currencyCode})`;
}

function hasDataTest(field: SchemaField): Test {
  const slot = field.slot === 'name' ? undefined : slotSql(field);
  return slot ? sql<boolean>`(${slot} is not null)` : sql<boolean>`(${valueSql(field)} is not null)`;
}

/** The number of a value that has no slot. */
function numberSql(field: SchemaField): Sql {
  if (field.fieldType === FIELD.boolean) return sql`(${valueSql(field)})::boolean::int`;
  return holdsMoney(field) ? sql`(${valueSql(field)} ->> 'value')::float8` : sql`${textSql(field)}::float8`;
}

const COMPARISON_OPERATORS = new Map<number | null, Sql>([
  [FILTER.equals, sql`=`],
  [FILTER.greater, sql`>`],
  [FILTER.greaterOrEqual, sql`>=`],
  [FILTER.less, sql`<`],
  [FILTER.lessOrEqual, sql`<=`],
]);

function compare(column: Sql, code: number | null, operand: Sql): Test {
  const operator = COMPARISON_OPERATORS.get(code);
  if (!operator) throw new Error(`Operation ${code} does not compare two values`);
  return sql<boolean>`(${column} ${operator} ${operand})`;
}

function numberTest(
  column: Sql,
  code: number | null,
  operands: readonly number[],
  type: 'int' | 'float8',
): Test {
  const sqlType = sql.raw(type);
  const [first = 0, second = 0] = operands;
  if (code === FILTER.in) return sql<boolean>`(${column} = any(${[...operands]}::${sqlType}[]))`;
  if (code === FILTER.between)
    return sql<boolean>`(${column} between ${first}::${sqlType} and ${second}::${sqlType})`;
  return compare(column, code, sql`${first}::${sqlType}`);
}

/** Stored dates compare as texts: they have a fixed format in UTC (schema/values.ts). Their slots are milliseconds. */
function dateTest(
  field: SchemaField,
  code: number | null,
  operands: readonly string[],
  context: QueryContext,
): Test {
  const dates = operands.map((operand) => context.toStoredDate(operand, field));
  const slot = slotSql(field);
  if (slot) return numberTest(slot, code, dates.map(Date.parse), 'float8');
  const column = sql`${textSql(field)} collate "C"`;
  const [first = '', second = ''] = dates;
  if (code === FILTER.in) return sql<boolean>`(${column} = any(${dates}::text[]))`;
  if (code === FILTER.between) return sql<boolean>`(${column} between ${first} and ${second})`;
  return compare(column, code, sql`${first}`);
}

/** A multi-select field of ids matches when one of its ids does. */
function multiSelectTest(
  field: SchemaField,
  code: number | null,
  ids: readonly number[],
  context: QueryContext,
): Test {
  if (code !== FILTER.equals && code !== FILTER.in) throw new Error(`Operation ${code} does not compare ids`);
  return sql<boolean>`(${ENTRY}.entry_id in (select m.entry_id from entry_multi m
    where m.site_id = ${context.siteId} and m.field_id = ${field.id} and m.v = any(${[...ids]}::int[])))`;
}

/** Escapes the wildcards of LIKE (T15). */

/** Slots contain the first 200 characters of a text; longer operands are compared with the complete value. */
const SLOT_LENGTH = 200;

function textTest(
  field: SchemaField,
  code: number | null,
  texts: readonly string[],
  context: QueryContext,
): Test {
  const [text = ''] = texts;
  const completeText = sql`(fold(${textSql(field)}) collate "C")`;
  if (code === FILTER.contains) return containsTest(field, foldCase(text), completeText, context);
  // EndsWith has no code.
  if (code === null) return sql<boolean>`(${completeText} like ${`%${escapeLike(foldCase(text))}`})`;
  const slot = texts.every((each) => foldCase(each).length < SLOT_LENGTH) ? slotSql(field) : undefined;
  const column = slot ?? completeText;
  const operands = texts.map((each) => (slot ? toSlotText(each) : foldCase(each)));
  const [first = ''] = operands;
  if (code === FILTER.startsWith) return sql<boolean>`(${column} like ${`${escapeLike(first)}%`})`;
  if (code === FILTER.in) return sql<boolean>`(${column} = any(${operands}::text[]))`;
  return compare(column, code, sql`${operands[0]}`);
}

function containsTest(field: SchemaField, part: string, completeText: Sql, context: QueryContext): Test {
  const searchSql = searchTextSql(field, part, context);
  return searchSql
    ? // `offset 0` keeps the planner from scanning all texts of the type for a short page.
      sql<boolean>`(${ENTRY}.entry_id in (${searchSql} offset 0))`
    : sql<boolean>`(${completeText} like ${toLikePattern(part)})`;
}

/** Shorter parts have no trigram to look up in the index. */
const MIN_SEARCH_LENGTH = 3;

/** Entries by a part of a searchable text; undefined when the index of texts cannot answer. */
function searchTextSql(field: SchemaField, part: string, context: QueryContext): Sql | undefined {
  if (!field.isSearchReady || part.length < MIN_SEARCH_LENGTH) return undefined;
  return sql`select x.entry_id from entry_text x
    where x.site_id = ${context.siteId} and x.field_id = ${field.id} and x.v like ${toLikePattern(part)}`;
}

/** The matching entries from the index of texts alone; undefined when the condition is anything but one such search. */
export function searchOnlySql(
  condition: Condition,
  getField: GetField,
  context: QueryContext,
): Sql | undefined {
  if (condition.kind === 'group') {
    const [only, ...others] = condition.conditions;
    return only && others.length === 0 ? searchOnlySql(only, getField, context) : undefined;
  }
  const { field, operation, operands } = condition;
  const [part] = operands;
  return field !== ENTRY_ID && operation.id === FILTER.contains && typeof part === 'string'
    ? searchTextSql(getField(field.id), foldCase(part), context)
    : undefined;
}

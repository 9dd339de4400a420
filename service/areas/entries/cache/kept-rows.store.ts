import { type RawBuilder, sql } from 'kysely';
import { type Condition, ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import { type Db, readsUntil } from '../../../kernel/db/database.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import { slotOf, textOf } from '../query/columns.store.ts';
import { textsWith } from '../query/conditions.store.ts';
import { findIds, type KeptIds, knownIds } from './kept-ids.ts';
import { unpacked } from '../query/id-list.ts';
import { followedOf, type Mark, markSql, sinceSql, unchangedSql } from './marks.store.ts';
import { fieldIn, keyOf, matching, type Wanted, type Window } from '../query/matching.store.ts';
import { followedBy, isIndexed, orderSql } from '../query/order.store.ts';
import { type Page, readPage, rowsOf } from '../query/page.store.ts';

type Sql = RawBuilder<unknown>;

/** Whether a condition asks for a field that no index has: all entries of the type are looked through. */
function looksThrough(condition: Condition, type: EntryType): boolean {
  if (condition.kind !== 'comparison') return condition.of.some((part) => looksThrough(part, type));
  const { field } = condition;
  return field !== ENTRY_ID && slotOf(fieldIn(type)(field.id)) === undefined;
}

/**
 * Whether the ids of a list are kept in its order (docs/decisions/0031): for each of its pages the database would look
 * through the whole type again, and sort it.
 */
export function isKept({ type, condition, order, asked }: Wanted): boolean {
  if (order) return !isIndexed(order) || looksThrough(condition, type);
  return !textsWith(condition, fieldIn(type), asked) && looksThrough(condition, type);
}

const byPeople = ({ order }: Wanted): SchemaField | undefined =>
  order && order.field !== ENTRY_ID && followedBy(order) === 'people' ? order.field : undefined;

/** A sum of the names that these people have. */
const namesSql = (
  people: Sql,
): Sql => sql`(select coalesce(sum(hashtextextended(first_name || ' ' || last_name, user_id)), 0)::text
  from account where user_id = any(${people}::int[]))`;

interface ListRow {
  ids: Buffer;
  /** How many have a value to order them by. */
  had: number;
  mark: Mark;
  people: Buffer | null;
  names: string | null;
}

/** All ids of a list, in its order. Those without a value stand last, by their ids. */
async function readIds(db: Db, wanted: Wanted): Promise<KeptIds> {
  const { order, asked } = wanted;
  const key = order ? orderSql(order, asked.siteId) : sql`null`;
  const direction = order?.descending ? sql`desc` : sql`asc`;
  const sorted: Sql = order
    ? sql`order by key ${direction} nulls last, e.entry_id ${direction}`
    : sql`order by e.entry_id`;
  const people = byPeople(wanted);
  const found = sql`select e.entry_id, ${key} as key, ${people ? sql`${textOf(people)}::int` : sql`null::int`} as person
    ${matching(wanted)} ${sorted}`;
  // Nothing else may be gathered beside the ids that would have them in another order: distinct values would.
  const { rows } = await sql<ListRow>`
    with ${
      people
        ? sql`found as materialized (${found}), people as materialized (
      select array_agg(distinct person) filter (where person is not null) as ids from found)`
        : sql`found as (${found})`
    }
    select coalesce(string_agg(int4send(entry_id), ''::bytea), ''::bytea) as ids, count(key)::int as had,
      ${markSql(asked.siteId)} as mark,
      ${
        people
          ? sql`(select string_agg(int4send(id), ''::bytea) from people, unnest(people.ids) as id) as people,
            ${namesSql(sql`(select ids from people)`)} as names`
          : sql`null::bytea as people, null as names`
      }
    from found`.execute(db);
  const [row] = rows;
  if (!row) throw new Error('A list is one row');
  const ids = unpacked(row.ids);
  if (order?.descending) ids.subarray(row.had).reverse();
  return {
    ids,
    mark: row.mark,
    people: people && { ids: unpacked(row.people), names: row.names ?? '' },
  };
}

/** Whether a list is still what it was, as the statement sees it. */
const holdsSql = (wanted: Wanted, { mark, people }: KeptIds): Sql =>
  people
    ? sql`(${unchangedSql(wanted.asked.siteId, mark, followedOf(wanted))} and ${namesSql(sql`${[...people.ids]}`)} = ${people.names})`
    : (sinceSql(wanted, mark) ?? sql`false`);

/** The page that a list has; undefined where the list is no longer so. */
async function pageIn(
  db: Db,
  wanted: Wanted,
  { limit, skip }: Window,
  row: Sql,
  list: KeptIds,
): Promise<Page | undefined> {
  const { siteId } = wanted.asked;
  const wantedIds = [...list.ids.subarray(skip, skip + limit)];
  const ids = sql`select id as entry_id, null as key from unnest(${wantedIds}::int[]) with ordinality as page(id, at) order by at`;
  const page = await readPage(db, {
    siteId,
    rows: rowsOf(ids, siteId, row),
    limit,
    asksForEnd: true,
    holds: holdsSql(wanted, list),
  });
  if (!page.holds) return undefined;
  // What was told until now was looked through: nobody needs to do so again.
  list.mark = Math.max(list.mark, page.end?.mark ?? 0);
  return { ...page, total: list.ids.length };
}

/**
 * A page of a list whose ids are kept. A change of the type makes the list one to be found anew; undefined: it changes
 * faster than it is found.
 */
export async function keptRows(
  { db, reads, gone }: Pick<Call, 'db' | 'reads' | 'gone'>,
  wanted: Wanted,
  window: Window,
  row: Sql,
): Promise<Page | undefined> {
  const key = keyOf(wanted);
  const known = knownIds(key);
  const page = known && (await pageIn(reads, wanted, window, row, known));
  if (page || (known && performance.now() < known.restsUntil)) return page;
  const list = await findIds(key, gone, (unasked) => readIds(readsUntil(db, unasked), wanted));
  return pageIn(reads, wanted, window, row, list);
}

/** Where an entry stands in a list whose ids are kept, null where it does not; undefined where they are not. */
export async function keptPosition(
  db: Db,
  wanted: Wanted,
  entryId: number,
): Promise<number | null | undefined> {
  const list = isKept(wanted) ? knownIds(keyOf(wanted)) : undefined;
  if (!list) return undefined;
  const { rows } = await sql<{ holds: boolean }>`select ${holdsSql(wanted, list)} as holds`.execute(db);
  if (!rows[0]?.holds) return undefined;
  const at = list.ids.indexOf(entryId);
  return at < 0 ? null : at;
}

import { type RawBuilder, sql } from 'kysely';
import type { Condition } from '../../../../contract/rules/query/tree.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { ENTRIES_BY_TYPE } from '../../../kernel/db/list-page.ts';
import type { EntryType } from '../../schema/index.ts';
import { type Asked, conditionSql, type FieldOf, textsWith } from './conditions.store.ts';
import { type Order, orderKey } from './order.store.ts';
import { nameOf } from '../cache/positions.ts';

type Sql = RawBuilder<unknown>;

/** A query whose names are resolved: which entries of a type, in which order. */
export interface Wanted {
  type: EntryType;
  condition: Condition;
  /** Undefined: by id. */
  order: Order | undefined;
  asked: Asked;
}

/** So many of what matches, behind so many others. */
export interface Window {
  limit: number;
  skip: number;
}

/** A schema that is read anew has other types: the number of one stands for all that the schema says of its fields. */
const numbers = new WeakMap<EntryType, number>();
let last = 0;
function numberOf(type: EntryType): number {
  const number = numbers.get(type) ?? (last += 1);
  numbers.set(type, number);
  return number;
}

/** Names a list in this process: whatever has the same key has the same rows, as long as the data stay as they are. */
export const keyOf = ({ type, condition, order, asked }: Wanted): string =>
  nameOf([asked.siteId, numberOf(type), condition, asked.meaning, order && orderKey(order)]);

/** Whether every entry of the type matches. */
export const asksForAll = (condition: Condition): boolean =>
  condition.kind === 'all' && condition.of.every(asksForAll);

/** The fields of a type by their ids, as its queries name them. */
export const fieldIn =
  ({ byName }: EntryType): FieldOf =>
  (id) => {
    for (const field of byName.values()) if (field.id === id) return field;
    throw new Error(`A query names field ${id}, which its type does not have`);
  };

/** Entries `e` of the type that match; `more` narrows them further. */
export const matching = ({ type, condition, asked }: Wanted, more: Sql = sql`true`): Sql => sql`from entry e
  where e.site_id = ${asked.siteId} and e.type_id = ${type.id}
    and ${conditionSql(condition, fieldIn(type), asked)} and ${more}`;

/** Counts what matches. Where nothing is asked for but a part of a text, the texts are counted without their entries. */
export function totalSql(wanted: Wanted): Sql {
  const { type, condition, asked } = wanted;
  if (asksForAll(condition))
    return sql`select coalesce(sum(n), 0)::int as n from list_block
      where site_id = ${asked.siteId} and list = ${ENTRIES_BY_TYPE} and part = ${type.id}`;
  const texts = textsWith(condition, fieldIn(type), asked);
  return texts
    ? sql`select count(*)::int as n from (${texts}) as texts`
    : sql`select count(*)::int as n ${matching(wanted)}`;
}

/** How many entries match. */
export async function countMatches(db: Db, wanted: Wanted): Promise<number> {
  const { rows } = await sql<{ n: number }>`${totalSql(wanted)}`.execute(db);
  return rows[0]?.n ?? 0;
}

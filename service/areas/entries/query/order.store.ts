import { type RawBuilder, sql } from 'kysely';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { ENTRY_ID } from '../../../../contract/rules/query/tree.ts';
import type { SchemaField } from '../../schema/index.ts';
import { slotOf, textOf, valueOf } from './columns.store.ts';
import type { Position } from '../cache/positions.ts';

type Sql = RawBuilder<unknown>;

export interface Order {
  field: SchemaField | typeof ENTRY_ID;
  descending: boolean;
}

/** Texts are ordered by so many characters, as their slots hold them: those that begin alike stand by their ids. */
const ORDERED_LENGTH = 200;
const ordered = (text: Sql): Sql => sql`left(fold(${text}), ${sql.lit(ORDERED_LENGTH)}) collate "C"`;

/** What entries are ordered by. Choices stand in their own order, people and entries by their names. */
export function orderSql({ field }: Order, siteId: number): Sql {
  if (field === ENTRY_ID) return sql`e.entry_id`;
  const value = textOf(field);
  const slot = slotOf(field);
  if (field.fieldType === FIELD.choice)
    return sql`array_position(${[...field.choices.keys()]}::int[], ${value}::int)`;
  if (field.fieldType === FIELD.reference)
    return sql`(select ${ordered(sql`r.name`)} from entry_change r where r.site_id = ${siteId} and r.entry_id = ${value}::int)`;
  if (field.fieldType === FIELD.user)
    return sql`(select ${ordered(sql`a.first_name || ' ' || a.last_name`)} from account a where a.user_id = ${value}::int)`;
  if (slot) return slot;
  if (field.fieldType === FIELD.text) return sql`(${ordered(value)})`;
  if (field.fieldType === FIELD.date) return sql`(${value} collate "C")`;
  if (field.fieldType === FIELD.boolean) return sql`(${value}::boolean::int)`;
  return sql`coalesce((${valueOf(field)} ->> 'value'), ${value})::float8`;
}

const TEXTS: ReadonlySet<number> = new Set([FIELD.text, FIELD.reference, FIELD.user]);

/** Whether the column is one of text, so that a position compares as text. */
const ordersText = ({ field }: Order): boolean =>
  field !== ENTRY_ID && (TEXTS.has(field.fieldType) || (field.fieldType === FIELD.date && !slotOf(field)));

/** Entries with a value that stand before or behind a place with one; the order of ids decides between equal values. */
export function besideSql(order: Order, siteId: number, at: Position, side: 'before' | 'behind'): Sql {
  const sign = (side === 'before') === order.descending ? sql`>` : sql`<`;
  const type = ordersText(order) ? sql`::text` : sql`::float8`;
  return sql`(${orderSql(order, siteId)}, e.entry_id) ${sign} (${at.key}${type}, ${at.entryId}::int)`;
}

const BY_OTHERS: ReadonlySet<number> = new Set([FIELD.choice, FIELD.reference, FIELD.user]);

/** Whether an index has the order: any page of it is found without sorting. */
export const isIndexed = ({ field }: Order): boolean =>
  field === ENTRY_ID || (slotOf(field) !== undefined && !BY_OTHERS.has(field.fieldType));

/**
 * What an order changes with: entries of the type, of any type where it goes by names of entries that are referred to, or
 * names of people, of whom the data of the site do not tell.
 */
export function followedBy({ field }: Order): 'type' | 'data' | 'people' {
  if (field === ENTRY_ID) return 'type';
  if (field.fieldType === FIELD.user) return 'people';
  return field.fieldType === FIELD.reference ? 'data' : 'type';
}

/** All that the order depends on besides the values. */
export const orderKey = ({ field, descending }: Order): readonly unknown[] =>
  field === ENTRY_ID
    ? [field, descending]
    : [field.id, descending, slotOf(field) ? field.slot : null, [...field.choices.keys()]];

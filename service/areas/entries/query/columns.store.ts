import { type RawBuilder, sql } from 'kysely';
import type { SchemaField } from '../../schema/index.ts';

type Sql = RawBuilder<unknown>;

/** The id of a field as it stands in the statement: a key of `vals`. */
export const idOf = (field: SchemaField): Sql => sql.lit(String(field.id));

/** The value of a field of the entry `e`, as jsonb. */
export const valueOf = (field: SchemaField): Sql => sql`(e.vals -> ${idOf(field)})`;

/** The same as text. */
export const textOf = (field: SchemaField): Sql => sql`(e.vals ->> ${idOf(field)})`;

/** The column that holds what is compared and ordered, once it is filled for all entries. */
export function slotOf(field: SchemaField): Sql | undefined {
  if (field.slot === null || !field.isSlotReady) return undefined;
  return sql.ref(`e.${field.slot === 'name' ? 'name_key' : field.slot}`);
}

import { type RawBuilder, sql } from 'kysely';
import type { SchemaField } from '../../schema/index.ts';
import type { FieldOf } from '../query/conditions.store.ts';
import type { Wanted } from '../query/matching.store.ts';

type Sql = RawBuilder<unknown>;

/** A question about a moment that is past. */
export interface PastWanted extends Wanted {
  at: Date;
}

/** Slots and searched texts hold what is today: a value of the past is compared as it stands. */
export const bare = (field: SchemaField): SchemaField => ({
  ...field,
  slot: null,
  isSlotReady: false,
  isSearchReady: false,
});

export const fieldOfType = ({ type }: Wanted): FieldOf => {
  const byId = new Map(type.fields.map((field) => [field.id, field]));
  return (id) => {
    const field = byId.get(id);
    if (!field) throw new Error(`A query names field ${id}, which its type does not have`);
    return field;
  };
};

/** What the fields of an entry held before the first change after the moment; null where that was nothing. */
export const replaced = (siteId: number, entryId: Sql, fieldIds: readonly number[], at: Date): Sql =>
  sql`select distinct on (l.field_id) l.field_id, l.old from cell_log l
    where l.site_id = ${siteId} and l.entry_id = ${entryId} and l.field_id = any(${[...fieldIds]}::int[])
      and l.at > ${at}::timestamptz order by l.field_id, l.seq`;

/** The values at the moment, of these fields alone: what is there now, or was when it went, under what was replaced. */
export function valuesThen(
  siteId: number,
  held: Sql,
  entryId: Sql,
  fieldIds: readonly number[],
  at: Date,
): Sql {
  if (fieldIds.length === 0) return held;
  return sql`(select (${held} || coalesce(jsonb_object_agg(f.field_id::text, f.old) filter (where f.old is not null), '{}'))
      - coalesce(array_agg(f.field_id::text) filter (where f.old is null), '{}'::text[])
    from (${replaced(siteId, entryId, fieldIds, at)}) f)`;
}

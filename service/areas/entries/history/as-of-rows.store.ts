import { sql, type RawBuilder } from 'kysely';
import type { Db } from '../../../kernel/db/database.ts';
import { executeReplanned } from '../../../kernel/db/driver/prepared.ts';
import type { SchemaField } from '../../schema/index.ts';
import { ENTRY } from '../query/field-sql.store.ts';
import type { SortedIds } from '../query/id-list.ts';
import { limitResponseSql, requireRowsFit } from '../query/page.store.ts';
import type { ResolvedQuery } from '../query/resolve-query.ts';
import { type Rendering, rowJsonSql } from '../query/row-json.store.ts';

type Sql = RawBuilder<unknown>;

/** A query of entries as of a date. */
export interface AsOfQuery extends ResolvedQuery {
  at: Date;
}

/** The field without its slot and search table, which have current values only: past values are compared as stored. */
export const withoutSlot = (field: SchemaField): SchemaField => ({
  ...field,
  slot: null,
  isSlotReady: false,
  isSearchReady: false,
});

/** Values of the fields of an entry before their first change after the date; null where a field was empty. */
export const replacedValuesSql = (siteId: number, entryId: Sql, fieldIds: readonly number[], at: Date): Sql =>
  sql`select distinct on (l.field_id) l.field_id, l.old from cell_log l
    where l.site_id = ${siteId} and l.entry_id = ${entryId} and l.field_id = any(${[...fieldIds]}::int[])
      and l.at > ${at}::timestamptz order by l.field_id, l.seq`;

/** The values of an entry (`held`: current, or at deletion) with those of these fields replaced by the ones at the date. */
export function valuesAtSql(
  siteId: number,
  held: Sql,
  entryId: Sql,
  fieldIds: readonly number[],
  at: Date,
): Sql {
  if (fieldIds.length === 0) return held;
  return sql`(select (${held} || coalesce(jsonb_object_agg(f.field_id::text, f.old) filter (where f.old is not null), '{}'))
      - coalesce(array_agg(f.field_id::text) filter (where f.old is null), '{}'::text[])
    from (${replacedValuesSql(siteId, entryId, fieldIds, at)}) f)`;
}

/** A row as of a date, with its current values. */
export interface AsOfRow {
  entryId: number;
  row: string;
  /** Null: unchanged since the date, or deleted. */
  today: string | null;
  /** Ids of the fields with other values today; null if `today` is. */
  differing: number[] | null;
  isDeleted: boolean;
  mergedInto: number | null;
}

/** The rows of a page in the order of `ids` as JSON texts, with the current values of changed ones. */
export async function readRowsAsOf(
  db: Db,
  { context: { siteId }, at }: AsOfQuery,
  /** `asToday`: the ids that are listed with their current values. */
  { ids, asToday }: { ids: SortedIds; asToday: SortedIds },
  fields: readonly SchemaField[],
  rendering: Rendering,
): Promise<AsOfRow[]> {
  const fieldIds = fields.map(({ id }) => id);
  const then = valuesAtSql(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, fieldIds, at);
  const changed = sql`(c.any_at > ${at}::timestamptz and c.entry_id <> all(${[...asToday]}::int[]))`;
  const row = rowJsonSql(fields, rendering);
  // Compares the stored values, because rendered texts may be truncated.
  const differing = sql`(select coalesce(array_agg(asked.id order by asked.at), '{}')
    from unnest(${fieldIds}::int[]) with ordinality as asked(id, at)
    where p.vals -> asked.id::text is distinct from p.today -> asked.id::text)`;
  const built = sql`select p.at, p.entry_id as "entryId", p."isDeleted", p."mergedInto",
      case when p.changed and not p."isDeleted" then ${differing} end as differing,
      (select ${row} from (select p.entry_id, p.vals) as ${ENTRY}) as row,
      case when p.changed and not p."isDeleted" then (select ${row} from (select p.entry_id, p.today as vals) as ${ENTRY}) end as today
    from (select page.at, page.entry_id, ${changed} as changed, n.entry_id is null as "isDeleted",
        c.merged_into as "mergedInto", n.vals as today, case when ${changed} then ${then} else n.vals end as vals
      from unnest(${[...ids]}::int[]) with ordinality as page(entry_id, at)
      join entry_change c on c.site_id = ${siteId} and c.entry_id = page.entry_id
      left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id) p`;
  const { rows } = await executeReplanned(
    sql<AsOfRow & { bytes: number }>`${limitResponseSql(built)} order by at`,
    db,
  );
  requireRowsFit(rows, 'limit');
  return rows;
}

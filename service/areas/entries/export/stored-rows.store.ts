/** Reads rows of an export as they are stored: rendering each value in the database costs several times as much. */
import { type RawBuilder, sql } from 'kysely';
import { FIELD, isFileField } from '../../../../contract/rules/fields.ts';
import { badRequest } from '../../../kernel/api-error.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { executeReplanned } from '../../../kernel/db/driver/prepared.ts';
import type { SchemaField } from '../../schema/index.ts';
import { valuesAtSql } from '../history/as-of-rows.store.ts';
import { ENTRY, textSql, valueSql } from '../query/field-sql.store.ts';
import type { SortedIds } from '../query/id-list.ts';
import { referenceJsonSql, type Rendering, rowJsonSql, userJsonSql } from '../query/row-json.store.ts';
import type { StoredRows } from './stored-values.ts';

/** Rows up to this size are sent at once. */
const MAX_BYTES = 32 * 1024 * 1024;

interface StoredRowsQuery {
  siteId: number;
  ids: SortedIds;
  fields: readonly SchemaField[];
  /** Ids of the fields of the type that are not read. */
  otherFieldIds: readonly number[];
  /** Time of the values; undefined: those of the snapshot. */
  at: Date | undefined;
}

/** Rows and their number. */
type ReadRows = StoredRows & { text: string; count: number };

/**
 * The rows of `ids` in their order (`createRowParser`) and their number; entries that no longer exist have none. Names of users and
 * referenced entries are read once for all rows.
 * @throws ApiError 400 with the path `limit` if the rows are too large to be sent at once
 */
export async function readStoredRows(
  db: Db,
  { siteId, ids, fields, otherFieldIds, at }: StoredRowsQuery,
): Promise<ReadRows> {
  const rendering: Rendering = { siteId, linkTo: undefined, extended: false, wrapIntoArrays: false };
  const fileFields = fields.filter(({ fieldType }) => isFileField(fieldType));
  const files = fileFields.length > 0 ? sql`|| ',' || ${rowJsonSql(fileFields, rendering)}` : sql``;
  const values =
    otherFieldIds.length > 0 ? sql`${ENTRY}.vals - ${otherFieldIds.map(String)}::text[]` : sql`${ENTRY}.vals`;
  const page = sql`unnest(${[...ids]}::int[]) with ordinality as page(entry_id, at)`;
  const fieldIds = fields.map(({ id }) => id);
  const entries = at
    ? sql`select page.at, page.entry_id, case when c.any_at > ${at}::timestamptz
            then ${valuesAtSql(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, fieldIds, at)} else n.vals end as vals
          from ${page} join entry_change c on c.site_id = ${siteId} and c.entry_id = page.entry_id
          left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id`
    : sql`select page.at, n.entry_id, n.vals from ${page}
          join entry n on n.site_id = ${siteId} and n.entry_id = page.entry_id`;
  // Without `offset 0` the text of each row would be made twice.
  const { rows } = await executeReplanned(
    sql<Omit<ReadRows, 'text'> & { text: string | null }>`
      with ${ENTRY} as materialized (${entries})
      select count(*)::int as count,
        case when coalesce(sum(octet_length("row")), 0) <= ${sql.lit(MAX_BYTES)} then coalesce(string_agg("row", ',' order by at), '') end as text,
        ${namesSql(fields, FIELD.user, (id) => userJsonSql(id, rendering))} as users,
        ${namesSql(fields, FIELD.reference, (id) => referenceJsonSql(id, rendering))} as references
      from (select at, '[' || ${ENTRY}.entry_id || ',' || (${values})::text ${files} || ']' as "row" from ${ENTRY} offset 0) as built`,
    db,
  );
  const [result] = rows;
  const text = result?.text ?? undefined;
  if (!result || text === undefined)
    throw badRequest([
      {
        path: 'limit',
        message: `leads to rows of more than ${MAX_BYTES / 1024 / 1024} MiB: request less at once`,
      },
    ]);
  return { ...result, text };
}

/** JSON list of the users or entries that the rows have in fields of a type; unknown ids have no item. */
function namesSql(
  fields: readonly SchemaField[],
  fieldType: SchemaField['fieldType'],
  renderSql: (id: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const ids = fields
    .filter((field) => field.fieldType === fieldType)
    .map((field) =>
      field.isMultiSelect
        ? sql`select jsonb_array_elements(${valueSql(field)})::int from ${ENTRY}`
        : sql`select ${textSql(field)}::int from ${ENTRY}`,
    );
  if (ids.length === 0) return sql`'[]'::text`;
  // One look-up of all ids in the index: a subquery for each id takes five times as long.
  const rendered = renderSql(sql`any(array(${sql.join(ids, sql` union all `)}))`);
  return sql`(select coalesce(json_agg(named.item), '[]')::text from (${rendered}) as named(item))`;
}

/** Reads rows of an export as they are stored: rendering each value in the database costs several times as much. */
import { type RawBuilder, sql } from 'kysely';
import { FIELD, isFileField } from '../../../../contract/rules/schema/fields.ts';
import { badRequest } from '../../../kernel/api-error.ts';
import type { Db } from '../../../kernel/db/database.ts';
import { executeAsBytes } from '../../../kernel/db/driver/dialect.ts';
import type { SchemaField } from '../../schema/index.ts';
import { valuesAtSql } from '../history/as-of-rows.store.ts';
import { ENTRY, textSql, valueSql } from '../query/field-sql.store.ts';
import { formatIds, type SortedIds } from '../query/id-list.ts';
import { referenceJsonSql, type Rendering, rowJsonSql, userJsonSql } from '../query/row-json.store.ts';
import type { StoredRows } from './stored-values.ts';

/** Rows up to this size are sent at once. */
const MAX_BYTES = 32 * 1024 * 1024;
/**
 * Size of a text with several rows. V8 moves objects of at least 128 KiB to the old generation, where they stay until it is collected
 * as a whole; shorter texts are freed with the young generation soon after they were used.
 */
const TEXT_BYTES = 48 * 1024;

interface StoredRowsQuery {
  siteId: number;
  ids: SortedIds;
  fields: readonly SchemaField[];
  /** Ids of the fields of the type that are not read. */
  otherFieldIds: readonly number[];
  /** Time of the values; undefined: those of the snapshot. */
  at: Date | undefined;
}

/** Rows, their number, and the length of their texts. */
type ReadRows = StoredRows & { count: number; length: number };

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
  const page = sql`unnest(string_to_array(${formatIds(ids)}, ',')::int[]) with ordinality as page(entry_id, at)`;
  const fieldIds = fields.map(({ id }) => id);
  const entries = at
    ? sql`select page.at, page.entry_id, case when c.any_at > ${at}::timestamptz
            then ${valuesAtSql(siteId, sql`coalesce(n.vals, c.last_vals)`, sql`c.entry_id`, fieldIds, at)} else n.vals end as vals
          from ${page} join entry_change c on c.site_id = ${siteId} and c.entry_id = page.entry_id
          left join entry n on n.site_id = c.site_id and n.entry_id = c.entry_id`
    : sql`select page.at, n.entry_id, n.vals from ${page}
          join entry n on n.site_id = ${siteId} and n.entry_id = page.entry_id`;
  const users = namesSql(fields, FIELD.user, (id) => userJsonSql(id, rendering));
  const references = namesSql(fields, FIELD.reference, (id) => referenceJsonSql(id, rendering));
  // Without `offset 0` the text of each row would be made twice.
  const { rows } = await executeAsBytes(
    sql<TextRow>`
      with ${ENTRY} as materialized (${entries})
      select count(*)::int as count,
        case when sum(sum(octet_length("row"))) over () <= ${sql.lit(MAX_BYTES)} then string_agg("row", ',' order by at) end as text,
        case when part = 0 then ${users} end as users,
        case when part = 0 then ${references} end as references
      from (select at, "row", coalesce(sum(octet_length("row")) over (order by at rows between unbounded preceding and 1 preceding), 0)
            / ${sql.lit(TEXT_BYTES)} as part
          from (select at, '[' || ${ENTRY}.entry_id || ',' || (${values})::text ${files} || ']' as "row" from ${ENTRY} offset 0) as built)
        as divided
      group by part order by part`,
    db,
  );
  const texts = rows.flatMap(({ text }) => text ?? []);
  if (texts.length < rows.length)
    throw badRequest([
      {
        path: 'limit',
        message: `leads to rows of more than ${MAX_BYTES / 1024 / 1024} MiB: request less at once`,
      },
    ]);
  return {
    texts,
    users: rows[0]?.users ?? makeNoNames(),
    references: rows[0]?.references ?? makeNoNames(),
    count: rows.reduce((sum, { count }) => sum + count, 0),
    length: texts.reduce((sum, { length }) => sum + length, 0),
  };
}

/** Some rows as one text; only the first row of a result has the names. */
interface TextRow {
  count: number;
  /** Null if all rows together are too large. */
  text: Uint8Array<ArrayBuffer> | null;
  users: Uint8Array<ArrayBuffer> | null;
  references: Uint8Array<ArrayBuffer> | null;
}

/** JSON list of the names of no rows. Each result has its own, because it may be handed over to a thread. */
const makeNoNames = (): Uint8Array<ArrayBuffer> => new TextEncoder().encode('[]');

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

/** Reads the sheets of a site in windows of bounded size within one snapshot; the database formats the CSV. */
import { type RawBuilder, sql } from 'kysely';
import { FIELD, isFileField } from '../../../../contract/rules/schema/fields.ts';
import type { SheetColumn, TableSheet } from '../../../kernel/backup-sheets.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import type { EntryType, SchemaField } from '../../schema/index.ts';
import { FORMAT_VERSION } from './manifest.ts';
import { listColumns, buildEntriesPath, FILES_SHEET, FORMER_USERS_SHEET } from './sheets.ts';

/** Upper bounds of a window: rows, and bytes of values (approximately). */
const MAX_WINDOW_ROWS = 1_250;
const MAX_WINDOW_BYTES = 1 << 19;
/** Rows that the first window of a sheet examines. */
const FIRST_WINDOW_ROWS = 16;
/** Growth of the number of rows that a window examines, after a window in which there was room for more. */
const WINDOW_GROWTH = 2;

type Sql = RawBuilder<unknown>;

/** Sheet ready to be written: the query of its rows and the CSV line of a row. */
export interface Sheet {
  name: string;
  kind: string;
  title: string | null;
  header: string;
  rows: Sql;
  keys: readonly string[];
  line: Sql;
  rowBytes: Sql;
  /**
   * JSON object that the line reads more than once, as the column `unpacked`: it is decompressed once per row instead of once
   * per value.
   */
  unpackedColumn?: string;
}

const quoteCsv = (value: Sql): Sql => sql`'"' || replace(${value}, '"', '""') || '"'`;
const formatTime = (value: Sql): Sql =>
  sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const COLUMN_FORMATTERS: Readonly<Record<SheetColumn['format'], (value: Sql) => Sql>> = {
  plain: (value) => value,
  text: (value) => quoteCsv(sql`${value}::text`),
  time: formatTime,
  json: (value) => quoteCsv(sql`${value}::text`),
  hex: (value) => sql`encode(${value}, 'hex')`,
};

/** Columns per concat call; a PostgreSQL function takes at most 100 arguments. */
const MAX_CONCAT_COLUMNS = 40;

/** SQL expression of a CSV line: null is nothing between two commas, an empty text is two quotes. */
function buildCsvLine(values: readonly Sql[]): Sql {
  const parts: Sql[] = [];
  for (let from = 0; from < values.length; from += MAX_CONCAT_COLUMNS) {
    const part = values.slice(from, from + MAX_CONCAT_COLUMNS);
    parts.push(sql`concat(${sql.join(part, sql`, ',', `)})`);
  }
  return sql`concat(${sql.join(parts, sql`, ',', `)}, E'\n')`;
}

/** Column whose values may be large. */
type LargeColumn = Pick<SheetColumn, 'name' | 'format'>;

/**
 * SQL expression of the bytes of a value. The length of a text is known without reading it; compressed JSON has to be
 * decompressed, by concatenation with an empty object, but need not be converted to text.
 */
const measureColumn = ({ name, format }: LargeColumn): Sql => {
  const value = sql.ref(name);
  if (format !== 'json') return sql`coalesce(octet_length(${value}), 0)`;
  return sql`coalesce(case when pg_column_compression(${value}) is null then pg_column_size(${value})
    else pg_column_size(${value}::jsonb || '{}') end, 0)`;
};

const measureRow = (columns: readonly LargeColumn[]): Sql =>
  columns.length === 0 ? sql`200` : sql.join([sql`200`, ...columns.map(measureColumn)], sql` + `);

const formatCsvHeader = (names: readonly string[]): string =>
  `${names.map((name) => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)).join(',')}\n`;

/** Sheet of a table; with `typeIds` only rows of these entry types. */
function buildTableSheet(
  sheet: TableSheet,
  siteId: number,
  typeIds: readonly number[] | null,
  format = FORMAT_VERSION,
): Sheet {
  const typeCondition =
    sheet.isByEntryType && typeIds ? sql` and type_id = any(${[...typeIds]}::int[])` : sql``;
  const columns = listColumns(sheet, format);
  return {
    ...sheet,
    title: null,
    header: formatCsvHeader(columns.map(({ name }) => name)),
    rows: sql`select * from ${sql.raw(sheet.from)} as r where site_id = ${siteId}${typeCondition}`,
    keys: sheet.keys ?? [],
    line: buildCsvLine(columns.map(({ name, format: form }) => COLUMN_FORMATTERS[form](sql.ref(name)))),
    rowBytes: measureRow(columns.filter(({ name }) => sheet.largeColumns?.includes(name))),
  };
}

/** Whether values are written as their text; all others are written as JSON. */
export const isStoredAsText = ({ fieldType }: Pick<SchemaField, 'fieldType'>): boolean =>
  fieldType === FIELD.text || fieldType === FIELD.date;

/** Fields ordered by id, as are the columns of an entry sheet. */
export const sortFieldsById = (type: EntryType): SchemaField[] => type.fields.toSorted((a, b) => a.id - b.id);

/** Sheet of the entries of a type, with a column per field. */
function buildEntrySheet(type: EntryType, siteId: number): Sheet {
  const fields = sortFieldsById(type);
  const values = fields.map(({ id }) => quoteCsv(sql`(unpacked ->> ${sql.lit(String(id))})`));
  return {
    name: buildEntriesPath(type.apiName),
    kind: 'entries',
    title: type.pluralName,
    header: formatCsvHeader(['EntryId', 'EntryVersion', ...fields.map(({ apiName }) => apiName)]),
    rows: sql`select entry_id, version, vals from entry where site_id = ${siteId} and type_id = ${type.id}`,
    keys: ['entry_id'],
    line: buildCsvLine([sql.ref('entry_id'), sql.ref('version'), ...values]),
    rowBytes: measureRow([{ name: 'vals', format: 'json' }]),
    unpackedColumn: 'vals',
  };
}

/** Sheet of the files that values or histories of these types refer to; for a whole site, of all its files. */
export function buildFileSheet(siteId: number, types: readonly EntryType[], isWhole: boolean): Sheet {
  const sheet = buildTableSheet(FILES_SHEET, siteId, null);
  if (isWhole) return sheet;
  const fieldIds = types.flatMap(({ fields }) =>
    fields.filter(({ fieldType }) => isFileField(fieldType)).map(({ id }) => id),
  );
  const typeIds = types.map(({ id }) => id);
  const isOfTypes = sql`site_id = ${siteId} and type_id = any(${typeIds}::int[])`;
  return {
    ...sheet,
    rows: sql`${sheet.rows} and file_id in (
      select (file ->> 'file')::int from (
        select vals -> x.id::text as held from entry, unnest(${fieldIds}::int[]) as x(id) where ${isOfTypes}
        union all select last_vals -> x.id::text from entry_change, unnest(${fieldIds}::int[]) as x(id) where ${isOfTypes}
        union all select old from cell_log where ${isOfTypes} and field_id = any(${fieldIds}::int[])
        union all select new from cell_log where ${isOfTypes} and field_id = any(${fieldIds}::int[])) as v,
        jsonb_array_elements(case when jsonb_typeof(held) = 'array' then held end) as file)`,
  };
}

/** Ids in a value: a single one or those of a list. */
const selectIds = (value: Sql): Sql => sql`(jsonb_path_query(${value}, '$[*]') #>> '{}')::int`;

/**
 * Sheet of users whom the site refers to but who are no longer members, with their e-mail addresses so that another
 * installation can identify them.
 */
function buildFormerUsersSheet(siteId: number, types: readonly EntryType[], isWhole: boolean): Sheet {
  const userFields = types.flatMap(({ fields }) =>
    fields.filter(({ fieldType }) => fieldType === FIELD.user),
  );
  const fieldIds = userFields.map(({ id }) => id);
  const typeIds = types.map(({ id }) => id);
  // A backup of a whole site also has rows of deleted types, and of none.
  const isOfTypes = isWhole
    ? sql`site_id = ${siteId}`
    : sql`site_id = ${siteId} and type_id = any(${typeIds}::int[])`;
  const { columns, keys } = FORMER_USERS_SHEET;
  return {
    ...FORMER_USERS_SHEET,
    title: null,
    header: formatCsvHeader(columns.map(({ name }) => name)),
    rows: sql`select * from account a where not exists (
        select from membership m where m.site_id = ${siteId} and m.user_id = a.user_id)
      and user_id in (
        select u from entry_change, unnest(array[created_by, modified_by]) as u where ${isOfTypes}
        union select u from cell_log, unnest(array[user_id, proxy_id]) as u where ${isOfTypes}
        union select u from membership, unnest(array[created_by, modified_by]) as u where site_id = ${siteId}
        union select u from invitation, unnest(array[user_id, invited_by]) as u where site_id = ${siteId}
        union select created_by from proxy_assignment where site_id = ${siteId}
        union select owner_id from saved_view where ${isOfTypes}
        union select modified_by from report_template where ${isOfTypes}
        union select created_by from report_template_version where ${isOfTypes}
        union select modified_by from ri_setting where site_id = ${siteId}
        union select created_by from ri_exclusion where site_id = ${siteId}
        union select ${selectIds(sql`vals -> x.id::text`)} from entry, unnest(${fieldIds}::int[]) as x(id) where ${isOfTypes}
        union select ${selectIds(sql`last_vals -> x.id::text`)} from entry_change, unnest(${fieldIds}::int[]) as x(id) where ${isOfTypes}
        union select ${selectIds(sql`old`)} from cell_log where ${isOfTypes} and field_id = any(${fieldIds}::int[])
        union select ${selectIds(sql`new`)} from cell_log where ${isOfTypes} and field_id = any(${fieldIds}::int[]))`,
    keys,
    line: buildCsvLine(columns.map(({ name, format: form }) => COLUMN_FORMATTERS[form](sql.ref(name)))),
    rowBytes: measureRow([]),
  };
}

/**
 * All sheets of a site except the sheet of files. `tableSheets` are those of the areas in the order of the archive,
 * `types` the entry types to include.
 */
export const buildSheets = (
  tableSheets: readonly TableSheet[],
  siteId: number,
  types: readonly EntryType[],
  isWhole: boolean,
  format?: number,
): Sheet[] => [
  ...tableSheets.map((sheet) =>
    buildTableSheet(sheet, siteId, isWhole ? null : types.map(({ id }) => id), format),
  ),
  buildFormerUsersSheet(siteId, types, isWhole),
  ...types.map((type) => buildEntrySheet(type, siteId)),
];

interface Window {
  text: string;
  rows: number;
}

/** A window and where the next one starts; `last` is null at the end of the sheet. */
interface WindowResult extends Window {
  last: number[] | null;
  /** Rows that the next window examines. */
  nextLimit: number;
}

/** Reads a sheet window by window; the next one is read while the previous one is written. */
export async function* readWindows(tx: Tx, sheet: Sheet): AsyncGenerator<Window> {
  let next: Promise<WindowResult | undefined> | undefined = readWindow(tx, sheet, FIRST_WINDOW_ROWS);
  while (next) {
    const window: WindowResult | undefined = await next;
    if (!window) return;
    next = window.last ? readWindow(tx, sheet, window.nextLimit, window.last) : undefined;
    // Avoids an unhandled rejection when the consumer stops before awaiting it.
    next?.catch(() => {});
    yield window;
  }
}

/**
 * Reads the next rows whose bytes fit in a window, one at least. `limit` bounds the rows that the database measures: it
 * follows the number of rows that fitted in the window before, so that the work on rows that do not fit stays in proportion
 * to those that do, whatever their size.
 */
async function readWindow(
  tx: Tx,
  { rows: from, keys, line, rowBytes: weight, unpackedColumn }: Sheet,
  limit: number,
  after?: readonly number[],
): Promise<WindowResult | undefined> {
  if (keys.length === 0) {
    const { rows } = await sql<{ text: string | null; n: number }>`
      select string_agg(line, '' order by line collate "C") as text, count(*)::int as n
      from (select ${line} as line from (${from}) as t) as l`.execute(tx);
    const [row] = rows;
    return row?.text ? { text: row.text, rows: row.n, last: null, nextLimit: limit } : undefined;
  }
  const names = sql.join(keys.map((key) => sql.ref(key)));
  const afterCondition = after
    ? sql` and (${names}) > (${sql.join(after.map((key) => sql`${key}::bigint`))})`
    : sql``;
  const fitting = sql`
    select t.*, bytes - weight as before from (
      select t.*, sum(weight) over (order by ${names} rows unbounded preceding) as bytes from (
        select t.*, ${weight} as weight from (${from}${afterCondition} order by ${names} limit ${limit}) as t
        offset 0) as t) as t
    where bytes - weight < ${MAX_WINDOW_BYTES}`;
  // Concatenation with an empty object returns the decompressed value; `offset 0` keeps it from being repeated per value.
  const source =
    unpackedColumn === undefined
      ? fitting
      : sql`select t.*, ${sql.ref(unpackedColumn)} || '{}' as unpacked from (${fitting}) as t offset 0`;
  const { rows } = await sql<{ text: string | null; n: number; last: number[]; bytes: number }>`
    select string_agg(line, '') as text, count(*)::int as n, max(key) as last, max(bytes)::bigint as bytes from (
      select ${line} as line, array[${names}]::bigint[] as key, bytes from (${source}) as t) as l`.execute(
    tx,
  );
  const [row] = rows;
  if (!row?.text) return undefined;
  // The window ended below both limits, so the sheet has no more rows.
  const hasRoom = row.bytes < MAX_WINDOW_BYTES;
  const isLast = row.n < limit && hasRoom;
  const nextLimit = hasRoom ? Math.min(MAX_WINDOW_ROWS, limit * WINDOW_GROWTH) : row.n;
  return { text: row.text, rows: row.n, last: isLast ? null : row.last, nextLimit };
}

/** Amount of data for the progress display: rows of the large tables, and bytes of files. */
export async function measureSite(
  tx: Tx,
  siteId: number,
  typeIds: readonly number[] | null,
): Promise<{ rows: number; fileBytes: number }> {
  const typeCondition = typeIds ? sql` and type_id = any(${[...typeIds]}::int[])` : sql``;
  const { rows } = await sql<{ rows: number; file_bytes: number }>`
    select (select count(*) from entry where site_id = ${siteId}${typeCondition})
      + (select count(*) from entry_change where site_id = ${siteId}${typeCondition})
      + (select count(*) from cell_log where site_id = ${siteId}${typeCondition})
      + 2 * (select count(*) from membership where site_id = ${siteId}) as rows,
      (select coalesce(sum(size), 0)::bigint from stored_file where site_id = ${siteId}) as file_bytes`.execute(
    tx,
  );
  return { rows: rows[0]?.rows ?? 0, fileBytes: rows[0]?.file_bytes ?? 0 };
}

export interface StoredContent {
  hash: Buffer;
  size: number;
}

/** Stored contents that a sheet of files refers to. */
export async function listContents(tx: Tx, sheet: Sheet): Promise<StoredContent[]> {
  const { rows } = await sql<StoredContent>`
    select hash, size from (${sheet.rows}) as f order by file_id`.execute(tx);
  return rows;
}

/** The site in the snapshot, and the time of the snapshot. */
export async function loadSnapshotSite(
  tx: Tx,
  siteId: number,
): Promise<{ at: Date; slug: string; name: string; timeZone: string }> {
  const { rows } = await sql<{ at: Date; slug: string; name: string; timeZone: string }>`
    select now() as at, slug, name, time_zone as "timeZone" from site where site_id = ${siteId}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Site ${siteId} does not exist`);
  return row;
}

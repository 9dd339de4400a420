/** Reads a site sheet by sheet, in windows of bounded size, inside one snapshot: the database writes the CSV. */
import { type RawBuilder, sql } from 'kysely';
import { FIELD, isFileField } from '../../../contract/rules/fields.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import type { EntryType, SchemaField } from '../schema/index.ts';
import { FORMAT_VERSION } from './manifest.ts';
import {
  columnsOf,
  entriesPath,
  FILES,
  FORMER,
  type SheetColumn,
  SHEETS,
  type TableSheet,
} from './sheets.ts';

/** So many rows are looked at for a window, and so many bytes of values, by and large, are in it. */
const WINDOW_ROWS = 1_250;
const WINDOW_BYTES = 1 << 19;

type Sql = RawBuilder<unknown>;

/** A sheet as it is written: how its rows are found and what stands in a line. */
export interface Sheet {
  name: string;
  kind: string;
  title: string | null;
  header: string;
  rows: Sql;
  keys: readonly string[];
  line: Sql;
  weight: Sql;
}

/** All that is read stands in one moment, whoever writes meanwhile. */
export const inSnapshot = <T>(db: Db, read: (tx: Tx) => Promise<T>): Promise<T> =>
  db.transaction().setIsolationLevel('repeatable read').setAccessMode('read only').execute(read);

const quoted = (value: Sql): Sql => sql`'"' || replace(${value}, '"', '""') || '"'`;
const isoTime = (value: Sql): Sql =>
  sql`to_char(${value} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

const FORMS: Readonly<Record<SheetColumn['form'], (value: Sql) => Sql>> = {
  plain: (value) => value,
  text: (value) => quoted(sql`${value}::text`),
  time: isoTime,
  json: (value) => quoted(sql`${value}::text`),
  hex: (value) => sql`encode(${value}, 'hex')`,
};

/** A function of the database takes a hundred arguments. */
const COLUMNS_AT_ONCE = 40;

/** A line of CSV; what is null stands as nothing between two commas, an empty text as two quotes. */
function lineOf(values: readonly Sql[]): Sql {
  const pieces: Sql[] = [];
  for (let from = 0; from < values.length; from += COLUMNS_AT_ONCE) {
    const piece = values.slice(from, from + COLUMNS_AT_ONCE);
    pieces.push(sql`concat(${sql.join(piece, sql`, ',', `)})`);
  }
  return sql`concat(${sql.join(pieces, sql`, ',', `)}, E'\n')`;
}

/** How long a value is; only what lies compressed is looked into for that. */
const lengthOf = (column: string): Sql => {
  const value = sql.ref(column);
  return sql`coalesce(case when pg_column_compression(${value}) is null then pg_column_size(${value}) else octet_length(${value}::text) end, 0)`;
};

const weightOf = (heavy: readonly string[]): Sql =>
  heavy.length === 0 ? sql`200` : sql.join([sql`200`, ...heavy.map(lengthOf)], sql` + `);

const headerOf = (names: readonly string[]): string =>
  `${names.map((name) => (/^\w+$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)).join(',')}\n`;

/** A sheet of a table. `typeIds`: of these entry types alone. */
function tableSheet(
  sheet: TableSheet,
  siteId: number,
  typeIds: readonly number[] | null,
  format = FORMAT_VERSION,
): Sheet {
  const some = sheet.byType && typeIds ? sql` and type_id = any(${[...typeIds]}::int[])` : sql``;
  const columns = columnsOf(sheet, format);
  return {
    ...sheet,
    title: null,
    header: headerOf(columns.map(({ name }) => name)),
    rows: sql`select * from ${sql.raw(sheet.from)} as r where site_id = ${siteId}${some}`,
    keys: sheet.keys ?? [],
    line: lineOf(columns.map(({ name, form }) => FORMS[form](sql.ref(name)))),
    weight: weightOf(sheet.heavy ?? []),
  };
}

/** Values that are texts of JSON stand as these texts, all others as their JSON. */
export const isPlainText = ({ fieldType }: Pick<SchemaField, 'fieldType'>): boolean =>
  fieldType === FIELD.text || fieldType === FIELD.date;

/** Fields in the order of their ids: that of the columns of a sheet of entries. */
export const fieldsOf = (type: EntryType): SchemaField[] => type.fields.toSorted((a, b) => a.id - b.id);

/** The entries of a type, a column for each of its fields. */
function entrySheet(type: EntryType, siteId: number): Sheet {
  const fields = fieldsOf(type);
  const values = fields.map(({ id }) => quoted(sql`(vals ->> ${sql.lit(String(id))})`));
  return {
    name: entriesPath(type.apiName),
    kind: 'entries',
    title: type.pluralName,
    header: headerOf(['EntryId', 'EntryVersion', ...fields.map(({ apiName }) => apiName)]),
    rows: sql`select entry_id, version, vals from entry where site_id = ${siteId} and type_id = ${type.id}`,
    keys: ['entry_id'],
    line: lineOf([sql.ref('entry_id'), sql.ref('version'), ...values]),
    weight: weightOf(['vals']),
  };
}

/** Files that values or histories of these types name; of all types: every file of the site. */
export function fileSheet(siteId: number, types: readonly EntryType[], isWhole: boolean): Sheet {
  const sheet = tableSheet(FILES, siteId, null);
  if (isWhole) return sheet;
  const fieldIds = types.flatMap(({ fields }) =>
    fields.filter(({ fieldType }) => isFileField(fieldType)).map(({ id }) => id),
  );
  const typeIds = types.map(({ id }) => id);
  const within = sql`site_id = ${siteId} and type_id = any(${typeIds}::int[])`;
  return {
    ...sheet,
    rows: sql`${sheet.rows} and file_id in (
      select (file ->> 'file')::int from (
        select vals -> x.id::text as held from entry, unnest(${fieldIds}::int[]) as x(id) where ${within}
        union all select last_vals -> x.id::text from entry_change, unnest(${fieldIds}::int[]) as x(id) where ${within}
        union all select old from cell_log where ${within} and field_id = any(${fieldIds}::int[])
        union all select new from cell_log where ${within} and field_id = any(${fieldIds}::int[])) as v,
        jsonb_array_elements(case when jsonb_typeof(held) = 'array' then held end) as file)`,
  };
}

/** The ids in a value: one, or those of a list. */
const idsIn = (value: Sql): Sql => sql`(jsonb_path_query(${value}, '$[*]') #>> '{}')::int`;

/** Whom the site names and who are no members: told with their addresses, so that they are known elsewhere too. */
function formerSheet(siteId: number, types: readonly EntryType[]): Sheet {
  const userFields = types.flatMap(({ fields }) =>
    fields.filter(({ fieldType }) => fieldType === FIELD.user),
  );
  const fieldIds = userFields.map(({ id }) => id);
  const typeIds = types.map(({ id }) => id);
  const within = sql`site_id = ${siteId} and type_id = any(${typeIds}::int[])`;
  const { columns, keys } = FORMER;
  return {
    ...FORMER,
    title: null,
    header: headerOf(columns.map(({ name }) => name)),
    rows: sql`select * from account a where not exists (
        select from membership m where m.site_id = ${siteId} and m.user_id = a.user_id)
      and user_id in (
        select u from entry_change, unnest(array[created_by, modified_by]) as u where ${within}
        union select u from cell_log, unnest(array[user_id, proxy_id]) as u where ${within}
        union select u from membership, unnest(array[created_by, modified_by]) as u where site_id = ${siteId}
        union select u from invitation, unnest(array[user_id, invited_by]) as u where site_id = ${siteId}
        union select created_by from proxy_assignment where site_id = ${siteId}
        union select owner_id from saved_view where ${within}
        union select ${idsIn(sql`vals -> x.id::text`)} from entry, unnest(${fieldIds}::int[]) as x(id) where ${within}
        union select ${idsIn(sql`last_vals -> x.id::text`)} from entry_change, unnest(${fieldIds}::int[]) as x(id) where ${within}
        union select ${idsIn(sql`old`)} from cell_log where ${within} and field_id = any(${fieldIds}::int[])
        union select ${idsIn(sql`new`)} from cell_log where ${within} and field_id = any(${fieldIds}::int[]))`,
    keys,
    line: lineOf(columns.map(({ name, form }) => FORMS[form](sql.ref(name)))),
    weight: weightOf([]),
  };
}

/** Every sheet of a site but that of files; `types` those of which entries and histories are wanted. */
export const sheetsOf = (
  siteId: number,
  types: readonly EntryType[],
  isWhole: boolean,
  format?: number,
): Sheet[] => [
  ...Object.values<TableSheet>(SHEETS).map((sheet) =>
    tableSheet(sheet, siteId, isWhole ? null : types.map(({ id }) => id), format),
  ),
  formerSheet(siteId, types),
  ...types.map((type) => entrySheet(type, siteId)),
];

interface Window {
  text: string;
  rows: number;
}

/** The lines of a sheet, window after window; the next one is read while the one before is written. */
export async function* windowsOf(tx: Tx, sheet: Sheet): AsyncGenerator<Window> {
  let coming: Promise<(Window & { last: number[] | null }) | undefined> | undefined = readWindow(tx, sheet);
  while (coming) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const window: (Window & { last: number[] | null }) | undefined = await coming;
    if (!window) return;
    coming = window.last ? readWindow(tx, sheet, window.last) : undefined;
    // Whoever stops reading does not wait for it.
    coming?.catch(() => {});
    yield window;
  }
}

async function readWindow(
  tx: Tx,
  { rows: from, keys, line, weight }: Sheet,
  after?: readonly number[],
): Promise<(Window & { last: number[] | null }) | undefined> {
  if (keys.length === 0) {
    const { rows } = await sql<{ text: string | null; n: number }>`
      select string_agg(line, '' order by line collate "C") as text, count(*)::int as n
      from (select ${line} as line from (${from}) as t) as l`.execute(tx);
    const [row] = rows;
    return row?.text ? { text: row.text, rows: row.n, last: null } : undefined;
  }
  const names = sql.join(keys.map((key) => sql.ref(key)));
  const beyond = after
    ? sql` and (${names}) > (${sql.join(after.map((key) => sql`${key}::bigint`))})`
    : sql``;
  const { rows } = await sql<{ text: string | null; n: number; last: number[]; bytes: number }>`
    select string_agg(line, '') as text, count(*)::int as n, max(key) as last, max(bytes)::bigint as bytes from (
      select ${line} as line, array[${names}]::bigint[] as key, before + (${weight}) as bytes from (
        select t.*, sum(${weight}) over (order by ${names} rows unbounded preceding) - (${weight}) as before
        from (${from}${beyond} order by ${names} limit ${WINDOW_ROWS}) as t) as t
      where before < ${WINDOW_BYTES}) as l`.execute(tx);
  const [row] = rows;
  if (!row?.text) return undefined;
  // Neither limit ended the window: the sheet did.
  const isLast = row.n < WINDOW_ROWS && row.bytes < WINDOW_BYTES;
  return { text: row.text, rows: row.n, last: isLast ? null : row.last };
}

/** What is to be read, for the progress: rows of the long sheets, and bytes of files. */
export async function measure(
  tx: Tx,
  siteId: number,
  typeIds: readonly number[] | null,
): Promise<{ rows: number; fileBytes: number }> {
  const some = typeIds ? sql` and type_id = any(${[...typeIds]}::int[])` : sql``;
  const { rows } = await sql<{ rows: number; file_bytes: number }>`
    select (select count(*) from entry where site_id = ${siteId}${some})
      + (select count(*) from entry_change where site_id = ${siteId}${some})
      + (select count(*) from cell_log where site_id = ${siteId}${some})
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

/** The contents that a sheet of files lists. */
export async function contentsOf(tx: Tx, sheet: Sheet): Promise<StoredContent[]> {
  const { rows } = await sql<StoredContent>`
    select hash, size from (${sheet.rows}) as f order by file_id`.execute(tx);
  return rows;
}

/** The site as the snapshot has it, and its moment. */
export async function momentOf(
  tx: Tx,
  siteId: number,
): Promise<{ at: Date; slug: string; name: string; timeZone: string }> {
  const { rows } = await sql<{ at: Date; slug: string; name: string; timeZone: string }>`
    select now() as at, slug, name, time_zone as "timeZone" from site where site_id = ${siteId}`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Site ${siteId} does not exist`);
  return row;
}

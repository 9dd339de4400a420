import { sql } from 'kysely';
import type { Tx } from '../../../kernel/db/database.ts';
import {
  columnsOf,
  type EntryType,
  multiValues,
  searchedText,
  type SchemaField,
  type StoredValue,
  type Vals,
} from '../../schema/index.ts';

/** Whose doing a change is, as the log keeps it. */
export interface Author {
  siteId: number;
  userId: number | null;
  proxyId: number | null;
}

/** Why a value changed: somebody wrote it, a calculation gave it, or what it referred to went away. */
export const CAUSE = { somebody: 0, calculation: 1, indirect: 2 } as const;
type Cause = (typeof CAUSE)[keyof typeof CAUSE];

/** An entry with what it held and what it is to hold. */
export interface EntryWrite {
  entryId: number;
  before: Vals;
  after: Vals;
  /** Fields whose value is another one. */
  changed: readonly SchemaField[];
}

/** Those of the ids that are users of the site. */
export async function usersAmong(tx: Tx, siteId: number, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ user_id: number }>`
    select user_id from membership where site_id = ${siteId} and user_id = any(${[...ids]}::int[])`.execute(
    tx,
  );
  return new Set(rows.map((row) => row.user_id));
}

/** Living entries of the type whose names are nearly these, by their key; those that are written now are left out. */
export async function nearEntries(
  tx: Tx,
  siteId: number,
  typeId: number,
  keys: readonly string[],
  except: readonly number[],
): Promise<Map<string, { entryId: number; name: string }>> {
  const { rows } = await sql<{ near_key: string; entry_id: number; name: string }>`
    select distinct on (near_key) near_key, entry_id, name from entry
    where site_id = ${siteId} and type_id = ${typeId} and near_key = any(${[...keys]}::text[])
      and not (entry_id = any(${[...except]}::int[]))
    order by near_key, entry_id`.execute(tx);
  return new Map(rows.map((row) => [row.near_key, { entryId: row.entry_id, name: row.name }]));
}

/** The next numbers of a counter field, `count` of them from the one that is answered. */
export async function takeNumbers(tx: Tx, siteId: number, fieldId: number, count: number): Promise<number> {
  const { rows } = await sql<{ first: number }>`
    update field_counter set next = next + ${count} where site_id = ${siteId} and field_id = ${fieldId}
    returning next - ${count} as first`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Counter field ${fieldId} has no counter`);
  return row.first;
}

/** Ids for new entries, in order. */
export async function newEntryIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('entry', 'entry_id'))::int as id from generate_series(1, ${count}) order by 1`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/**
 * The moment of the change: after the locks are held, so that moments and log have one order for each entry. Never before
 * the transaction began, whatever becomes of the clock: what an event tells of is looked for from then on.
 */
export async function momentOfChange(tx: Tx): Promise<Date> {
  const { rows } = await sql<{
    at: Date;
  }>`select greatest(clock_timestamp(), now())::timestamptz(3) as at`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The database has no clock');
  return row.at;
}

/** Columns of `entry` that follow from the values. */
const NUMBER_SLOTS = Array.from({ length: 12 }, (_, at) => `n${at + 1}`);
const TEXT_SLOTS = Array.from({ length: 6 }, (_, at) => `t${at + 1}`);
const NAMES = ['name', 'name_key', 'near_key'];
const DERIVED = [...NAMES, ...NUMBER_SLOTS, ...TEXT_SLOTS];
const isNumberSlot = (column: string): boolean => /^n\d+$/.test(column);
const inRecord = (columns: readonly string[]): string =>
  columns.map((name) => `, ${name} ${isNumberSlot(name) ? 'float8' : 'text'}`).join('');
const recordShape = sql.raw(`entry_id int, vals jsonb${inRecord(DERIVED)}`);
const derived = sql.raw(DERIVED.join(', '));
const derivedOfX = sql.raw(DERIVED.map((name) => `x.${name}`).join(', '));

const records = (writes: readonly EntryWrite[], type: EntryType): string =>
  JSON.stringify(
    writes.map(({ entryId, after }) => ({ entry_id: entryId, vals: after, ...columnsOf(type, after) })),
  );

/** Fields that any of the writes changes. */
const changedIn = (writes: readonly EntryWrite[]): SchemaField[] => [
  ...new Set(writes.flatMap((write) => write.changed)),
];

/** The columns that follow from these fields. */
const columnsFrom = (fields: readonly SchemaField[]): string[] =>
  fields.flatMap(({ slot, isKey }) => [
    ...(isKey ? NAMES : []),
    ...(slot === null || slot === 'name' ? [] : [slot]),
  ]);

/** The fields that are empty now; undefined where none is. */
function clearedIn(changed: readonly SchemaField[], after: Vals): string[] | undefined {
  const ids = changed.filter(({ id }) => after[id] === undefined).map(({ id }) => String(id));
  return ids.length > 0 ? ids : undefined;
}

/** What is new of each entry, and no more: of ten thousand entries the whole would be many megabytes. */
const patches = (writes: readonly EntryWrite[], type: EntryType, fields: readonly SchemaField[]): string =>
  JSON.stringify(
    writes.map(({ entryId, after, changed }) => ({
      entry_id: entryId,
      patch: Object.fromEntries(changed.map(({ id }) => [id, after[id]])),
      cleared: clearedIn(changed, after),
      ...columnsOf(type, after, fields),
    })),
  );

/** Stores new entries, and deleted ones that come back, with all that follows from their values. */
export async function insertEntries(
  tx: Tx,
  author: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  at: Date,
): Promise<void> {
  await sql`insert into entry (site_id, entry_id, type_id, vals, ${derived})
    select ${author.siteId}, x.entry_id, ${type.id}, x.vals, ${derivedOfX}
    from jsonb_to_recordset(${records(writes, type)}::jsonb) as x(${recordShape})`.execute(tx);
  await sql`insert into entry_change (site_id, entry_id, type_id, name, created_at, created_by, direct_at, any_at, modified_by)
    select ${author.siteId}, x.entry_id, ${type.id}, x.name, ${at}::timestamptz, ${author.userId}::int, ${at}::timestamptz, ${at}::timestamptz, ${author.userId}::int
    from jsonb_to_recordset(${JSON.stringify(namesOf(writes, type))}::jsonb) as x(entry_id int, name text)
    on conflict (site_id, entry_id) do update set name = excluded.name, direct_at = excluded.direct_at, any_at = excluded.any_at,
      modified_by = excluded.modified_by, deleted_at = null, merged_into = null, last_vals = null`.execute(
    tx,
  );
  await insertParts(tx, author.siteId, type.fields, writes);
}

const namesOf = (writes: readonly EntryWrite[], type: EntryType) =>
  writes.map(({ entryId, after }) => ({ entry_id: entryId, name: after[type.key.id] ?? '' }));

/** Stores changed values with all that follows from them, and writes them into the log. The entries are locked. */
export async function updateEntries(
  tx: Tx,
  author: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  at: Date,
  cause: Cause,
): Promise<void> {
  const changed = changedIn(writes);
  const columns = columnsFrom(changed);
  const set = sql.raw(columns.map((name) => `, ${name} = x.${name}`).join(''));
  await sql`update entry e set version = e.version + 1, vals = (e.vals || x.patch) - coalesce(x.cleared, '{}') ${set}
    from jsonb_to_recordset(${patches(writes, type, changed)}::jsonb)
      as x(entry_id int, patch jsonb, cleared text[]${sql.raw(inRecord(columns))})
    where e.site_id = ${author.siteId} and e.entry_id = x.entry_id`.execute(tx);
  await writeLog(tx, author, type.id, writes, at, cause);
  await noteChanges(tx, author, type, writes, at, cause);
  await deleteParts(tx, author.siteId, changed, writes);
  await insertParts(tx, author.siteId, changed, writes);
}

/** Writes changed values into the log, with what they were. */
export async function writeLog(
  tx: Tx,
  { siteId, userId, proxyId }: Author,
  typeId: number,
  writes: readonly EntryWrite[],
  at: Date,
  cause: Cause,
): Promise<void> {
  const cells = writes.flatMap(({ entryId, before, after, changed }) =>
    changed.map(({ id }) => ({ entry_id: entryId, field_id: id, old: before[id], new: after[id] })),
  );
  await sql`insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new, user_id, proxy_id, cause)
    select ${siteId}, x.entry_id, x.field_id, ${at}::timestamptz, ${typeId}, x.old, x.new, ${userId}::int, ${proxyId}::int, ${cause}
    from jsonb_to_recordset(${JSON.stringify(cells)}::jsonb) as x(entry_id int, field_id int, old jsonb, new jsonb)
    order by x.entry_id, x.field_id`.execute(tx);
}

/** Calculations and indirect changes move the moment of any change alone (shapes 4, history and allHistory). */
async function noteChanges(
  tx: Tx,
  { siteId, userId }: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  at: Date,
  cause: Cause,
): Promise<void> {
  const direct =
    cause === CAUSE.somebody ? sql`, direct_at = ${at}::timestamptz, modified_by = ${userId}::int` : sql``;
  const moved = sql`update entry_change c set any_at = ${at}::timestamptz ${direct}`;
  const renamed = changedIn(writes).some(({ isKey }) => isKey);
  if (!renamed) {
    const ids = writes.map(({ entryId }) => entryId);
    await sql`${moved} where c.site_id = ${siteId} and c.entry_id = any(${ids}::int[])`.execute(tx);
    return;
  }
  await sql`${moved}, name = x.name
    from jsonb_to_recordset(${JSON.stringify(namesOf(writes, type))}::jsonb) as x(entry_id int, name text)
    where c.site_id = ${siteId} and c.entry_id = x.entry_id`.execute(tx);
}

type Side = (write: EntryWrite, field: SchemaField) => StoredValue | undefined;

const multiRows = (fields: readonly SchemaField[], writes: readonly EntryWrite[], side: Side) =>
  writes.flatMap((write) =>
    fields.flatMap((field) =>
      multiValues(side(write, field), field).map((v) => ({ field_id: field.id, v, entry_id: write.entryId })),
    ),
  );

/** What finds entries by what they hold: ids of several values and references, and searchable texts. */
async function insertParts(
  tx: Tx,
  siteId: number,
  fields: readonly SchemaField[],
  writes: readonly EntryWrite[],
): Promise<void> {
  const ids = multiRows(fields, writes, ({ after }, { id }) => after[id]);
  const texts = writes.flatMap((write) =>
    fields.flatMap((field) => {
      const v = searchedText(write.after[field.id], field);
      return v === undefined ? [] : [{ field_id: field.id, entry_id: write.entryId, v }];
    }),
  );
  if (ids.length > 0)
    await sql`insert into entry_multi (site_id, field_id, v, entry_id)
      select ${siteId}, x.field_id, x.v, x.entry_id
      from jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as x(field_id int, v int, entry_id int)
      order by x.entry_id, x.field_id, x.v on conflict do nothing`.execute(tx);
  if (texts.length > 0)
    await sql`insert into entry_text (site_id, field_id, entry_id, v)
      select ${siteId}, x.field_id, x.entry_id, x.v
      from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as x(field_id int, entry_id int, v text)
      order by x.entry_id, x.field_id
      on conflict (site_id, field_id, entry_id) do update set v = excluded.v`.execute(tx);
}

async function deleteParts(
  tx: Tx,
  siteId: number,
  fields: readonly SchemaField[],
  writes: readonly EntryWrite[],
): Promise<void> {
  const ids = multiRows(fields, writes, ({ before }, { id }) => before[id]);
  const texts = fields.filter((field) => field.isSearchable);
  if (ids.length > 0)
    await sql`delete from entry_multi m using jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as x(field_id int, v int, entry_id int)
      where m.site_id = ${siteId} and m.field_id = x.field_id and m.v = x.v and m.entry_id = x.entry_id`.execute(
      tx,
    );
  if (texts.length > 0)
    await sql`delete from entry_text t where t.site_id = ${siteId}
      and t.field_id = any(${texts.map(({ id }) => id)}::int[]) and t.entry_id = any(${writes.map(({ entryId }) => entryId)}::int[])`.execute(
      tx,
    );
}

/** Takes entries out of the lists; their history stays, with what they held (shapes 4). */
export async function removeEntries(
  tx: Tx,
  { siteId, userId }: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  at: Date,
  mergedInto: number | null,
): Promise<void> {
  const ids = writes.map(({ entryId }) => entryId);
  await sql`update entry_change c set deleted_at = ${at}::timestamptz, direct_at = ${at}::timestamptz, any_at = ${at}::timestamptz,
      modified_by = ${userId}::int, merged_into = ${mergedInto}::int, last_vals = e.vals
    from entry e where e.site_id = ${siteId} and e.entry_id = any(${ids}::int[])
      and c.site_id = e.site_id and c.entry_id = e.entry_id`.execute(tx);
  await deleteParts(tx, siteId, type.fields, writes);
  await sql`delete from calc_queue where site_id = ${siteId} and entry_id = any(${ids}::int[])`.execute(tx);
  await sql`delete from entry where site_id = ${siteId} and entry_id = any(${ids}::int[])`.execute(tx);
}

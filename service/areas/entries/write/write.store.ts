import { sql } from 'kysely';
import { executeLater, type Tx } from '../../../kernel/db/database.ts';
import { equalsAny } from '../../../kernel/db/ids.ts';
import {
  buildEntryColumns,
  deleteFailuresOfEntries,
  type EntryType,
  toMultiValues,
  toSearchText,
  type SchemaField,
  type StoredValue,
  type StoredValues,
} from '../../schema/index.ts';

/** Author of a change in the log; null users: the service itself. */
export interface Author {
  siteId: number;
  userId: number | null;
  proxyId: number | null;
}

/** Cause of a value change in the log: a user, a calculation, or a change of a referenced entry. */
export const CAUSE = { user: 0, calculation: 1, indirect: 2 } as const;
type Cause = (typeof CAUSE)[keyof typeof CAUSE];

/** A change of an entry: values before and after. */
export interface EntryWrite {
  entryId: number;
  /** Values of at least all fields that change in any entry written with this one: they are stored with one set of columns. */
  before: StoredValues;
  after: StoredValues;
  /** Fields whose values differ. */
  changed: readonly SchemaField[];
}

/** The ids that belong to members of the site. */
export async function findMemberIds(tx: Tx, siteId: number, ids: readonly number[]): Promise<Set<number>> {
  const { rows } = await sql<{ user_id: number }>`
    select user_id from membership where site_id = ${siteId} and user_id = any(${[...ids]}::int[])`.execute(
    tx,
  );
  return new Set(rows.map((row) => row.user_id));
}

/** First key of the advisory locks of names. No other lock of the service uses it. */
const NAME_LOCK_KEY = 7_410;
/** Locks of the names of a type, which bounds those that a request of many names takes: a power of two. */
const NAME_LOCKS = 64;

/**
 * Entries of the type with these near-duplicate keys, by key; the entries `except` are ignored. Until the transaction ends, no other one
 * gets an answer about the same keys: of two that store the same name at once, the later one finds the entry of the earlier one.
 */
export async function findNearDuplicates(
  tx: Tx,
  siteId: number,
  typeId: number,
  keys: readonly string[],
  except: readonly number[],
): Promise<Map<string, { entryId: number; name: string }>> {
  const locks = sql`select pg_advisory_xact_lock(${NAME_LOCK_KEY}::int, id) from (
    select distinct hashtext(${`${siteId} ${typeId}`}::text) # (hashtext(key) & ${NAME_LOCKS - 1}::int) as id
    from unnest(${[...keys]}::text[]) as key order by id) locks`;
  const entries = sql<{ near_key: string; entry_id: number; name: string }>`
    select distinct on (near_key) near_key, entry_id, name from entry
    where site_id = ${siteId} and type_id = ${typeId} and near_key = any(${[...keys]}::text[])
      and not (entry_id = any(${[...except]}::int[]))
    order by near_key, entry_id`;
  // A statement of its own sees what the transactions that held the locks have committed.
  const [, { rows }] = await Promise.all([locks.execute(tx), entries.execute(tx)]);
  return new Map(rows.map((row) => [row.near_key, { entryId: row.entry_id, name: row.name }]));
}

/** Names of entries and users by their ids, at the time of a change. */
export interface EventNames {
  entries: ReadonlyMap<number, { name: string; typeId: number }>;
  users: ReadonlyMap<number, { name: string; email: string }>;
}

/** Names of entries, deleted ones included, and of users, by ids that are given once each. */
export async function loadEventNames(
  tx: Tx,
  siteId: number,
  entryIds: readonly number[],
  userIds: readonly number[],
): Promise<EventNames> {
  const { rows } = await sql<{ id: number; name: string; type_id: number | null; email: string | null }>`
    select entry_id as id, name, type_id, null as email from entry_change
    where site_id = ${siteId} and entry_id ${equalsAny(entryIds)}
    ${
      userIds.length === 0
        ? sql``
        : sql`union all
          select user_id, first_name || ' ' || last_name, null, email from account where user_id ${equalsAny(userIds)}`
    }`.execute(tx);
  const entries = new Map<number, { name: string; typeId: number }>();
  const users = new Map<number, { name: string; email: string }>();
  for (const { id, name, type_id: typeId, email } of rows) {
    if (typeId !== null) entries.set(id, { name, typeId });
    else users.set(id, { name, email: email ?? '' });
  }
  return { entries, users };
}

/** Reserves `count` numbers of a counter field and returns the first one. */
export async function takeCounterNumbers(
  tx: Tx,
  siteId: number,
  fieldId: number,
  count: number,
): Promise<number> {
  const { rows } = await sql<{ first: number }>`
    update field_counter set next = next + ${count} where site_id = ${siteId} and field_id = ${fieldId}
    returning next - ${count} as first`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error(`Counter field ${fieldId} has no counter`);
  return row.first;
}

/** Reserves ascending ids for new entries. */
export async function reserveEntryIds(tx: Tx, count: number): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select nextval(pg_get_serial_sequence('entry', 'entry_id'))::int as id from generate_series(1, ${count}) order by 1`.execute(
    tx,
  );
  return rows.map(({ id }) => id);
}

/**
 * Timestamp of a change, taken after the locks are held, so that timestamps and log rows of an entry have the same order.
 * Never earlier than the start of the transaction, even if the clock is set back: caches search for the changes of an event
 * from the start of its transaction on.
 */
export async function getChangeTime(tx: Tx): Promise<Date> {
  const { rows } = await sql<{
    at: Date;
  }>`select greatest(clock_timestamp(), now())::timestamptz(3) as at`.execute(tx);
  const [row] = rows;
  if (!row) throw new Error('The database returned no timestamp');
  return row.at;
}

/** Columns of `entry` that are derived from the values. */
const NAME_COLUMNS = ['name', 'name_key', 'near_key'];
const isNumberSlot = (column: string): boolean => /^n\d+$/.test(column);
const formatRecordColumns = (columns: readonly string[]): string =>
  columns.map((name) => `, ${name} ${isNumberSlot(name) ? 'float8' : 'text'}`).join('');

/** Without empty columns, which the database would read one by one. */
const toEntryRecords = (writes: readonly EntryWrite[], type: EntryType): string =>
  JSON.stringify(
    writes.map(({ entryId, after }) => {
      const record: Record<string, unknown> = { entry_id: entryId, vals: after };
      for (const [name, value] of Object.entries(buildEntryColumns(type, after)))
        if (value !== null) record[name] = value;
      return record;
    }),
  );

/** Fields changed by any of the writes. */
const collectChangedFields = (writes: readonly EntryWrite[]): SchemaField[] => [
  ...new Set(writes.flatMap((write) => write.changed)),
];

/** Derived columns of these fields. */
const listDerivedColumns = (fields: readonly SchemaField[]): string[] =>
  fields.flatMap(({ slot, isKey }) => [
    ...(isKey ? NAME_COLUMNS : []),
    ...(slot === null || slot === 'name' ? [] : [slot]),
  ]);

/** Ids of the changed fields that are empty now; undefined if there are none. */
function findClearedFieldIds(changed: readonly SchemaField[], after: StoredValues): string[] | undefined {
  const ids = changed.filter(({ id }) => after[id] === undefined).map(({ id }) => String(id));
  return ids.length > 0 ? ids : undefined;
}

/** Changed values of each entry only; all values of 10,000 entries would be many megabytes. */
const toEntryPatches = (
  writes: readonly EntryWrite[],
  type: EntryType,
  fields: readonly SchemaField[],
): string =>
  JSON.stringify(
    writes.map(({ entryId, after, changed }) => ({
      entry_id: entryId,
      patch: Object.fromEntries(changed.map(({ id }) => [id, after[id]])),
      cleared: findClearedFieldIds(changed, after),
      ...buildEntryColumns(type, after, fields),
    })),
  );

/** Stores new or restored entries with their derived columns and index rows. */
export function insertEntries(
  tx: Tx,
  author: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  { at, areRestored = false }: { at: Date; areRestored?: boolean },
): void {
  const columns = listDerivedColumns(type.fields);
  const values = columns.map((name) => `x.${name}`);
  executeLater(
    sql`insert into entry (site_id, entry_id, type_id, vals, ${sql.raw(columns.join(', '))})
    select ${author.siteId}, x.entry_id, ${type.id}, x.vals, ${sql.raw(values.join(', '))}
    from jsonb_to_recordset(${toEntryRecords(writes, type)}::jsonb)
      as x(entry_id int, vals jsonb${sql.raw(formatRecordColumns(columns))})`,
    tx,
  );
  // A look for rows of the same id would cost as much as a quarter of the insert.
  const onConflict = areRestored
    ? sql`on conflict (site_id, entry_id) do update set name = excluded.name, direct_at = excluded.direct_at,
        any_at = excluded.any_at, modified_by = excluded.modified_by, deleted_at = null, merged_into = null, last_vals = null`
    : sql``;
  executeLater(
    sql`insert into entry_change (site_id, entry_id, type_id, name, created_at, created_by, direct_at, any_at, modified_by)
    select ${author.siteId}, x.entry_id, ${type.id}, x.name, ${at}::timestamptz, ${author.userId}::int, ${at}::timestamptz, ${at}::timestamptz, ${author.userId}::int
    from jsonb_to_recordset(${JSON.stringify(toNameRecords(writes, type))}::jsonb) as x(entry_id int, name text)
    ${onConflict}`,
    tx,
  );
  insertIndexRows(tx, author.siteId, type.fields, writes, !areRestored);
}

const toNameRecords = (writes: readonly EntryWrite[], type: EntryType) =>
  writes.map(({ entryId, after }) => ({ entry_id: entryId, name: after[type.keyField.id] ?? '' }));

/** Stores changed values with derived columns and index rows, and logs them. The caller has locked the entries. */
export function updateEntries(
  tx: Tx,
  author: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  at: Date,
  cause: Cause,
): void {
  const changed = collectChangedFields(writes);
  const columns = listDerivedColumns(changed);
  const set = sql.raw(columns.map((name) => `, ${name} = x.${name}`).join(''));
  executeLater(
    sql`update entry e set version = e.version + 1, vals = (e.vals || x.patch) - coalesce(x.cleared, '{}') ${set}
    from jsonb_to_recordset(${toEntryPatches(writes, type, changed)}::jsonb)
      as x(entry_id int, patch jsonb, cleared text[]${sql.raw(formatRecordColumns(columns))})
    where e.site_id = ${author.siteId} and e.entry_id = x.entry_id`,
    tx,
  );
  writeLog(tx, author, type.id, writes, at, cause);
  updateChangeTimes(tx, author, type, writes, at, cause);
  deleteIndexRows(tx, author.siteId, changed, writes);
  insertIndexRows(tx, author.siteId, changed, writes);
}

/** Logs changed values with their old values. */
export function writeLog(
  tx: Tx,
  { siteId, userId, proxyId }: Author,
  typeId: number,
  writes: readonly EntryWrite[],
  at: Date,
  cause: Cause,
): void {
  const cells = writes.flatMap(({ entryId, before, after, changed }) =>
    changed.map(({ id }) => ({ entry_id: entryId, field_id: id, old: before[id], new: after[id] })),
  );
  executeLater(
    sql`insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new, user_id, proxy_id, cause)
    select ${siteId}, x.entry_id, x.field_id, ${at}::timestamptz, ${typeId}, x.old, x.new, ${userId}::int, ${proxyId}::int, ${cause}
    from jsonb_to_recordset(${JSON.stringify(cells)}::jsonb) as x(entry_id int, field_id int, old jsonb, new jsonb)
    order by x.entry_id, x.field_id`,
    tx,
  );
}

/** Updates `any_at`, and `direct_at` only for changes by users (shapes 4, history and allHistory). */
function updateChangeTimes(
  tx: Tx,
  { siteId, userId }: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  at: Date,
  cause: Cause,
): void {
  const setDirectTime =
    cause === CAUSE.user ? sql`, direct_at = ${at}::timestamptz, modified_by = ${userId}::int` : sql``;
  const changes = sql`any_at = ${at}::timestamptz ${setDirectTime}`;
  const renamed = collectChangedFields(writes).some(({ isKey }) => isKey);
  if (!renamed) {
    const ids = writes.map(({ entryId }) => entryId);
    executeLater(
      sql`update entry_change c set ${changes} where c.site_id = ${siteId} and c.entry_id ${equalsAny(ids)}`,
      tx,
    );
    return;
  }
  executeLater(
    sql`update entry_change c set ${changes}, name = x.name
    from jsonb_to_recordset(${JSON.stringify(toNameRecords(writes, type))}::jsonb) as x(entry_id int, name text)
    where c.site_id = ${siteId} and c.entry_id = x.entry_id`,
    tx,
  );
}

type ValueSelector = (write: EntryWrite, field: SchemaField) => StoredValue | undefined;

const toMultiRows = (
  fields: readonly SchemaField[],
  writes: readonly EntryWrite[],
  selectValue: ValueSelector,
) =>
  writes.flatMap((write) =>
    fields.flatMap((field) =>
      toMultiValues(selectValue(write, field), field).map((v) => ({
        field_id: field.id,
        v,
        entry_id: write.entryId,
      })),
    ),
  );

/** Inserts the rows that find entries by value: ids of choices, users and references, and searchable texts. `areNew`: the entries have no such rows. */
function insertIndexRows(
  tx: Tx,
  siteId: number,
  fields: readonly SchemaField[],
  writes: readonly EntryWrite[],
  areNew = false,
): void {
  const ids = toMultiRows(fields, writes, ({ after }, { id }) => after[id]);
  const texts = writes.flatMap((write) =>
    fields.flatMap((field) => {
      const v = toSearchText(write.after[field.id], field);
      return v === undefined ? [] : [{ field_id: field.id, entry_id: write.entryId, v }];
    }),
  );
  if (ids.length > 0)
    executeLater(
      sql`insert into entry_multi (site_id, field_id, v, entry_id)
      select ${siteId}, x.field_id, x.v, x.entry_id
      from jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as x(field_id int, v int, entry_id int)
      order by x.entry_id, x.field_id, x.v ${areNew ? sql`` : sql`on conflict do nothing`}`,
      tx,
    );
  if (texts.length > 0)
    executeLater(
      sql`insert into entry_text (site_id, field_id, entry_id, v)
      select ${siteId}, x.field_id, x.entry_id, x.v
      from jsonb_to_recordset(${JSON.stringify(texts)}::jsonb) as x(field_id int, entry_id int, v text)
      order by x.entry_id, x.field_id
      ${areNew ? sql`` : sql`on conflict (site_id, field_id, entry_id) do update set v = excluded.v`}`,
      tx,
    );
}

/** Deletes the index rows of the old values of these fields. */
function deleteIndexRows(
  tx: Tx,
  siteId: number,
  fields: readonly SchemaField[],
  writes: readonly EntryWrite[],
): void {
  const ids = toMultiRows(fields, writes, ({ before }, { id }) => before[id]);
  const texts = fields.filter((field) => field.isSearchable);
  if (ids.length > 0)
    executeLater(
      sql`delete from entry_multi m using jsonb_to_recordset(${JSON.stringify(ids)}::jsonb) as x(field_id int, v int, entry_id int)
      where m.site_id = ${siteId} and m.field_id = x.field_id and m.v = x.v and m.entry_id = x.entry_id`,
      tx,
    );
  if (texts.length > 0)
    executeLater(
      sql`delete from entry_text t where t.site_id = ${siteId}
      and t.field_id = any(${texts.map(({ id }) => id)}::int[]) and t.entry_id = any(${writes.map(({ entryId }) => entryId)}::int[])`,
      tx,
    );
}

/** Removes entries; their history and last values are kept (shapes 4). */
export async function removeEntries(
  tx: Tx,
  { siteId, userId }: Author,
  type: EntryType,
  writes: readonly EntryWrite[],
  at: Date,
  mergedInto: number | null,
): Promise<void> {
  const ids = writes.map(({ entryId }) => entryId);
  executeLater(
    sql`update entry_change c set deleted_at = ${at}::timestamptz, direct_at = ${at}::timestamptz, any_at = ${at}::timestamptz,
      modified_by = ${userId}::int, merged_into = ${mergedInto}::int, last_vals = e.vals
    from entry e where e.site_id = ${siteId} and e.entry_id = any(${ids}::int[])
      and c.site_id = e.site_id and c.entry_id = e.entry_id`,
    tx,
  );
  deleteIndexRows(tx, siteId, type.fields, writes);
  executeLater(sql`delete from calc_queue where site_id = ${siteId} and entry_id = any(${ids}::int[])`, tx);
  await deleteFailuresOfEntries(tx, siteId, ids);
  executeLater(sql`delete from entry where site_id = ${siteId} and entry_id = any(${ids}::int[])`, tx);
}

/** Queues entries for the recalculation of their calculated fields. */
export function queueCalculations(tx: Tx, siteId: number, ids: readonly number[]): void {
  executeLater(
    sql`insert into calc_queue (site_id, entry_id) select ${siteId}, id from unnest(${[...ids]}::int[]) as id
    order by id on conflict do nothing`,
    tx,
  );
}

import { sql } from 'kysely';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { FileValue, StoredValues } from '../../schema/index.ts';

/**
 * Id of a content of the site, which is stored once however often it is uploaded. Renews `created_at` of an existing row:
 * `deleteFilesBefore` then does not delete it, and skips it while the transaction that is about to refer to it is open.
 */
export async function upsertFile(
  tx: Tx,
  siteId: number,
  content: { hash: Buffer; size: number; type: string },
): Promise<number> {
  const { rows } = await sql<{ file_id: number }>`
    insert into stored_file (site_id, hash, size, media_type)
    values (${siteId}, ${content.hash}, ${content.size}, ${content.type})
    on conflict (site_id, hash) do update set size = excluded.size, created_at = now() returning file_id`.execute(
    tx,
  );
  const [row] = rows;
  if (!row) throw new Error('The upsert of a file returned no row');
  return row.file_id;
}

export async function findEntryValues(
  db: Db,
  siteId: number,
  entryId: number,
): Promise<{ typeId: number; vals: StoredValues } | undefined> {
  const { rows } = await sql<{ typeId: number; vals: StoredValues }>`
    select type_id as "typeId", vals from entry where site_id = ${siteId} and entry_id = ${entryId}`.execute(
    db,
  );
  return rows[0];
}

/** Files of a field of an existing entry at a time; undefined if the entry was created later. */
export async function findFilesAsOf(
  db: Db,
  { siteId, entryId, fieldId }: { siteId: number; entryId: number; fieldId: number },
  at: Date,
): Promise<readonly FileValue[] | undefined> {
  // The old value of the first later change, or the current one.
  const { rows } = await sql<{ files: FileValue[] | null }>`
    select case when later.seq is null then e.vals -> ${String(fieldId)}::text else later.old end as files
    from entry e
    join entry_change c on c.site_id = e.site_id and c.entry_id = e.entry_id and c.created_at <= ${at}::timestamptz
    left join lateral (select l.seq, l.old from cell_log l
      where l.site_id = e.site_id and l.entry_id = e.entry_id and l.field_id = ${fieldId} and l.at > ${at}::timestamptz
      order by l.seq limit 1) later on true
    where e.site_id = ${siteId} and e.entry_id = ${entryId}`.execute(db);
  const [row] = rows;
  return row && (row.files ?? []);
}

/** When a field of an entry got a file that it has had since then. */
export async function findFileDate(
  db: Db,
  { siteId, entryId, fieldId }: { siteId: number; entryId: number; fieldId: number },
  fileId: number,
): Promise<Date | undefined> {
  // The last change before which the field did not have the file; without one it is as old as the entry.
  const { rows } = await sql<{ since: Date | null }>`
    select coalesce(
      (select max(l.at) from cell_log l
        where l.site_id = ${siteId} and l.entry_id = ${entryId} and l.field_id = ${fieldId}
          and coalesce(l.old, '[]') @> jsonb_build_array(jsonb_build_object('file', ${fileId}::int)) is not true),
      (select c.created_at from entry_change c where c.site_id = ${siteId} and c.entry_id = ${entryId})) as since`.execute(
    db,
  );
  return rows[0]?.since ?? undefined;
}

export async function findFileHash(db: Db, siteId: number, fileId: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from stored_file where site_id = ${siteId} and file_id = ${fileId}`.execute(db);
  return rows[0]?.hash;
}

/** Hashes of these files of a site by id. */
export async function findFileHashes(
  db: Db,
  siteId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, Buffer>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<{ id: number; hash: Buffer }>`
    select file_id as id, hash from stored_file where site_id = ${siteId} and file_id = any(${[...ids]}::int[])`.execute(
    db,
  );
  return new Map(rows.map(({ id, hash }) => [id, hash]));
}

/** Ids of the sites with files created before a time. */
export async function listSitesWithFilesBefore(db: Db, before: Date): Promise<number[]> {
  const { rows } = await sql<{ siteId: number }>`
    select site_id as "siteId" from site s
    where exists (select from stored_file f where f.site_id = s.site_id and f.created_at < ${before}::timestamptz)
    order by site_id`.execute(db);
  return rows.map(({ siteId }) => siteId);
}

/** Ids of files of a site created before a time, in ascending order after `afterId`. */
export async function listFilesBefore(
  db: Db,
  siteId: number,
  before: Date,
  { afterId, limit }: { afterId: number; limit: number },
): Promise<number[]> {
  const { rows } = await sql<{ ids: number[] | null }>`
    select array_agg(file_id order by file_id) as ids from (
      select file_id from stored_file
      where site_id = ${siteId} and file_id > ${afterId} and created_at < ${before}::timestamptz
      order by file_id limit ${limit}) as f`.execute(db);
  return rows[0]?.ids ?? [];
}

/** Range of entry ids, without the first and with the last. */
interface EntryRange {
  afterId: number;
  lastId: number;
}

/** The end of the range of up to `limit` entries after an id, deleted ones included; undefined if there are no more. */
export async function findRangeEnd(
  db: Db,
  siteId: number,
  afterId: number,
  limit: number,
): Promise<number | undefined> {
  const { rows } = await sql<{ lastId: number | null }>`
    select case when count(*) = ${limit} then max(entry_id) end as "lastId" from (
      select entry_id from entry_change where site_id = ${siteId} and entry_id > ${afterId}
      order by entry_id limit ${limit}) as e`.execute(db);
  return rows[0]?.lastId ?? undefined;
}

/**
 * Ids of the files that entries of a range refer to: in current values, in the last values of deleted entries, which can be
 * restored, and in the log. One statement, so that a value that moves between these places is always found. Files are
 * recognized by the form of the value, because the log also has values of deleted fields.
 */
export async function listReferencedFiles(
  db: Db,
  siteId: number,
  { afterId, lastId }: EntryRange,
): Promise<number[]> {
  const isInRange = sql`site_id = ${siteId} and entry_id > ${afterId} and entry_id <= ${lastId}`;
  const { rows } = await sql<{ ids: number[] | null }>`
    select array_agg(distinct file::int) as ids from (
      select jsonb_path_query(vals, '$.*[*].file ? (@.type() == "number")') as file from entry where ${isInRange}
      union all
      select jsonb_path_query(last_vals, '$.*[*].file ? (@.type() == "number")') from entry_change where ${isInRange} and last_vals is not null
      union all
      select jsonb_path_query(v, '$[*].file ? (@.type() == "number")') from cell_log, unnest(array[old, new]) as v
      where ${isInRange} and jsonb_typeof(v) = 'array') as f`.execute(db);
  return rows[0]?.ids ?? [];
}

/** Hashes of these files of a site. */
export async function listFileHashes(db: Db, siteId: number, ids: readonly number[]): Promise<Buffer[]> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from stored_file where site_id = ${siteId} and file_id = any(${[...ids]}::int[])`.execute(db);
  return rows.map(({ hash }) => hash);
}

/**
 * Deletes these files of a site, except those whose content was uploaded again after `before` or is being uploaded: the
 * upload has locked the row. Expects the storage of the site to be locked (`lockStorage`).
 */
export async function deleteFilesBefore(
  tx: Tx,
  siteId: number,
  ids: readonly number[],
  before: Date,
): Promise<void> {
  await sql`delete from stored_file where site_id = ${siteId} and file_id in (
    select file_id from stored_file where site_id = ${siteId} and file_id = any(${[...ids]}::int[])
      and created_at < ${before}::timestamptz
    order by file_id for update skip locked)`.execute(tx);
}

/** Hashes, as hexadecimal text, of the files of all sites whose hash begins with this byte. */
export async function listHashesByFirstByte(db: Db, firstByte: number): Promise<Set<string>> {
  const first = Buffer.from([firstByte]);
  const end = firstByte < 255 ? sql`and f.hash < ${Buffer.from([firstByte + 1])}` : sql``;
  const { rows } = await sql<{ hash: Buffer }>`
    select f.hash from site s cross join lateral (
      select f.hash from stored_file f where f.site_id = s.site_id and f.hash >= ${first} ${end}) f`.execute(
    db,
  );
  return new Set(rows.map(({ hash }) => hash.toString('hex')));
}

/** First key of the advisory locks of contents; the second is the first byte of their hashes. No other lock of the service uses it. */
const CONTENT_LOCK_KEY = 7_405;

/** Keeps contents from being removed until the transaction has ended; others may do the same at the same time. */
export async function lockContents(tx: Tx, hashes: readonly Buffer[]): Promise<void> {
  const firstBytes = [...new Set(hashes.map((hash) => hash[0] ?? 0))];
  await sql`select pg_advisory_xact_lock_shared(${CONTENT_LOCK_KEY}::int, byte)
    from unnest(${firstBytes}::int[]) as byte`.execute(tx);
}

/**
 * Excludes `lockContents` for a content until the transaction has ended. Returns false when it is held, or when a file of any site has
 * the content: then it must stay.
 */
export async function tryLockUnusedContent(tx: Tx, hash: Buffer): Promise<boolean> {
  const { rows: locks } = await sql<{ isLocked: boolean }>`
    select pg_try_advisory_xact_lock(${CONTENT_LOCK_KEY}::int, ${hash[0] ?? 0}::int) as "isLocked"`.execute(
    tx,
  );
  if (locks[0]?.isLocked !== true) return false;
  // Another statement: it sees what the transactions that held the lock have committed.
  const { rows } = await sql<{ isUsed: boolean }>`
    select exists (select from site s join stored_file f on f.site_id = s.site_id and f.hash = ${hash}) as "isUsed"`.execute(
    tx,
  );
  return rows[0]?.isUsed === false;
}

import { sql } from 'kysely';
import type { Db, Tx } from '../db/database.ts';

/** The content of an audit row, as it is sealed. */
export interface SealedContent {
  siteId: number;
  auditId: number;
  /** ISO 8601 in UTC, with milliseconds. */
  at: string;
  actorId: number | null;
  proxyId: number | null;
  action: string;
  subjectType: string;
  subjectId: string;
  subjectName: string | null;
  configurationKind: string | null;
  ip: string | null;
  requestId: string;
  /** The JSON text of the database, whose order of properties is fixed. */
  changes: string;
}

/** Both ends of the chain of a site. */
export interface Chain {
  checkpointSeq: number;
  checkpointHash: Buffer;
  seq: number;
  hash: Buffer;
}

export interface Seal {
  seq: number;
  auditId: number;
  hash: Buffer;
  /** Time of the row in ISO 8601. It leads to the partition of the row and proves nothing. */
  at: string;
}

const CONTENT = sql<SealedContent>`a.site_id as "siteId", a.audit_id as "auditId",
  to_char(a.at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at, a.actor_id as "actorId", a.proxy_id as "proxyId",
  a.action, a.subject_type as "subjectType", a.subject_id as "subjectId",
  a.subject_name as "subjectName", a.configuration_kind as "configurationKind", a.ip, a.request_id as "requestId",
  a.changes::text as changes`;

const CHAIN = sql<Chain>`checkpoint_seq as "checkpointSeq", checkpoint_hash as "checkpointHash", seq, hash`;

/** How far the audit log is sealed, and the oldest and the next transaction of the database. */
export interface SealingState {
  /** All rows up to this id have seals, or were never committed. */
  sealedTo: number;
  nextTo: number | null;
  nextXid: number | null;
  oldestXid: number;
  newestXid: number;
}

/** Whether there are rows that may need a seal. Locks nothing. */
export async function hasNewRows(db: Db): Promise<boolean> {
  const { rows } = await sql<{ exists: boolean }>`
    select exists (select from audit_log where audit_id > (select sealed_to from audit_sealing)) as exists`.execute(
    db,
  );
  return rows[0]?.exists ?? false;
}

/** Locks sealing until the end of the transaction. */
export async function lockSealing(tx: Tx): Promise<SealingState> {
  await sql`select from audit_sealing for update`.execute(tx);
  const { rows } = await sql<SealingState>`
    select sealed_to as "sealedTo", next_to as "nextTo", next_xid as "nextXid",
      pg_snapshot_xmin(pg_current_snapshot())::text::bigint as "oldestXid",
      pg_snapshot_xmax(pg_current_snapshot())::text::bigint as "newestXid" from audit_sealing`.execute(tx);
  const [state] = rows;
  if (!state) throw new Error('The table audit_sealing is empty');
  return state;
}

export async function updateSealing(
  tx: Tx,
  { sealedTo, nextTo, nextXid }: Pick<SealingState, 'sealedTo' | 'nextTo' | 'nextXid'>,
): Promise<void> {
  await sql`update audit_sealing set sealed_to = ${sealedTo}, next_to = ${nextTo}::bigint, next_xid = ${nextXid}::bigint`.execute(
    tx,
  );
}

/** Ids of the sites whose audit log has rows or seals, in ascending order. */
export async function listAuditedSites(db: Db): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select site_id as id from site s where exists (select from audit_log a where a.site_id = s.site_id)
      or exists (select from audit_chain c where c.site_id = s.site_id)
    order by site_id`.execute(db);
  return rows.map(({ id }) => id);
}

/** Locks the chain of a site until the end of the transaction; `start` is the hash before the first row. */
export async function lockChain(tx: Tx, siteId: number, start: Buffer): Promise<Chain> {
  await sql`insert into audit_chain (site_id, checkpoint_seq, checkpoint_hash, seq, hash)
    values (${siteId}, 0, ${start}, 0, ${start}) on conflict do nothing`.execute(tx);
  const { rows } = await sql<Chain>`
    select ${CHAIN} from audit_chain where site_id = ${siteId} for update`.execute(tx);
  const [chain] = rows;
  if (!chain) throw new Error(`Site ${siteId} has no chain`);
  return chain;
}

/** The chain of a site; undefined before its first seal. */
export async function readChain(db: Db, siteId: number): Promise<Chain | undefined> {
  const { rows } = await sql<Chain>`select ${CHAIN} from audit_chain where site_id = ${siteId}`.execute(db);
  return rows[0];
}

/**
 * Committed rows without a seal after an id, in the order of their ids. Seals are looked up row by row: PostgreSQL makes `not exists` a merge
 * join, which reads the seals of all earlier rows for every page. `siteId`: those of a site only.
 */
export async function readUnsealed(
  tx: Tx,
  after: number,
  limit: number,
  siteId?: number,
): Promise<SealedContent[]> {
  const ofSite = siteId === undefined ? sql`` : sql`and a.site_id = ${siteId}`;
  const { rows } = await sql<SealedContent>`
    select ${CONTENT} from audit_log a where a.audit_id > ${after} ${ofSite}
      and (select s.audit_id from audit_seal s where s.audit_id = a.audit_id) is null
    order by a.audit_id limit ${limit}`.execute(tx);
  return rows;
}

/** The highest id of a committed row; 0: none. */
export async function readNewestId(tx: Tx): Promise<number> {
  const { rows } = await sql<{ id: number | null }>`select max(audit_id) as id from audit_log`.execute(tx);
  return rows[0]?.id ?? 0;
}

/** Appends seals to the chain. */
export async function appendSeals(tx: Tx, siteId: number, seals: readonly Seal[]): Promise<void> {
  const last = seals.at(-1);
  if (!last) return;
  const auditIds = seals.map(({ auditId }) => auditId);
  const hashes = seals.map(({ hash }) => hash.toString('hex'));
  await sql`insert into audit_seal (site_id, seq, audit_id, hash, at)
    select ${siteId}, seq, audit_id, decode(hash, 'hex'), at
    from unnest(${seals.map(({ seq }) => seq)}::bigint[], ${auditIds}::bigint[], ${hashes}::text[],
      ${seals.map(({ at }) => at)}::timestamptz[]) as sealed (seq, audit_id, hash, at)`.execute(tx);
  await sql`update audit_chain set seq = ${last.seq}, hash = ${last.hash} where site_id = ${siteId}`.execute(
    tx,
  );
}

/** Seals after `seq` with the rows that they seal, in order; the row is null when it does not exist. */
export async function readSeals(
  db: Db,
  siteId: number,
  { after, last, limit }: { after: number; last: number; limit: number },
): Promise<(Omit<Seal, 'at'> & { content: SealedContent | null })[]> {
  const { rows } = await sql<Omit<Seal, 'auditId' | 'at'> & { sealedId: number } & Partial<SealedContent>>`
    select s.seq, s.hash, s.audit_id as "sealedId", ${CONTENT}
    from audit_seal s left join audit_log a on a.audit_id = s.audit_id and a.site_id = s.site_id and a.at = s.at
    where s.site_id = ${siteId} and s.seq > ${after} and s.seq <= ${last} order by s.seq limit ${limit}`.execute(
    db,
  );
  const seals = rows.map(({ seq, hash, sealedId, ...content }) => ({
    seq,
    hash,
    auditId: sealedId,
    content: content.auditId === null ? null : (content as SealedContent),
  }));
  const missing = seals.filter(({ content }) => content === null).map(({ auditId }) => auditId);
  const found = await readRows(db, siteId, missing);
  return seals.map((seal) => ({ ...seal, content: seal.content ?? found.get(seal.auditId) ?? null }));
}

/** Audit rows of a site by id, whatever their time is: that of a seal may be missing or, like that of the row, changed. */
async function readRows(
  db: Db,
  siteId: number,
  ids: readonly number[],
): Promise<ReadonlyMap<number, SealedContent>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<SealedContent>`
    select ${CONTENT} from audit_log a where a.audit_id = any(${[...ids]}::bigint[]) and a.site_id = ${siteId}`.execute(
    db,
  );
  return new Map(rows.map((row) => [row.auditId, row]));
}

/** Time of the first row after the checkpoint, in ISO 8601; undefined if there is none. */
export async function readFirstTime(db: Db, siteId: number): Promise<string | undefined> {
  const { rows } = await sql<{ at: Date }>`
    select a.at from audit_chain c
    join lateral (select audit_id from audit_seal s where s.site_id = c.site_id and s.seq > c.checkpoint_seq
      order by s.seq limit 1) s on true
    join audit_log a on a.audit_id = s.audit_id and a.site_id = c.site_id
    where c.site_id = ${siteId}`.execute(db);
  return rows[0]?.at.toISOString();
}

/** The hash of a seal; undefined when it does not exist. */
export async function readSealHash(db: Db, siteId: number, seq: number): Promise<Buffer | undefined> {
  const { rows } = await sql<{ hash: Buffer }>`
    select hash from audit_seal where site_id = ${siteId} and seq = ${seq}`.execute(db);
  return rows[0]?.hash;
}

/** Number of rows that wait for their seal, and ids of rows that should have one, at most 20. */
export async function readUnsealedState(
  db: Db,
  siteId: number,
): Promise<{ waiting: number; unknown: number[] }> {
  const { rows } = await sql<{ waiting: number; unknown: number[] | null }>`
    with unsealed as (select a.audit_id, s.audit_id is null and a.audit_id > (select sealed_to from audit_sealing) as is_new
      from audit_log a left join audit_seal s on s.audit_id = a.audit_id
      where a.site_id = ${siteId} and (s.audit_id is null
        -- A second row with the id of a sealed one: the key of the table holds within a partition only.
        or (s.at is distinct from a.at
          and exists (select from audit_log b where b.audit_id = a.audit_id and b.at <> a.at))))
    select (select count(*)::int from unsealed where is_new) as waiting,
      (select array_agg(audit_id::float8) from (
        select audit_id from unsealed where not is_new order by audit_id limit 20) u) as unknown`.execute(db);
  const [state] = rows;
  return { waiting: state?.waiting ?? 0, unknown: state?.unknown ?? [] };
}

/** Rows deleted by one transaction, which bounds the time for which it blocks the embedded database. */
const DELETE_BATCH_ROWS = 5_000;

/**
 * Deletes sealed audit rows of a site older than `days`, from the start of the chain up to the first younger row, and moves the
 * checkpoint behind them, so that the rest can be verified. @returns whether there may be more
 */
export async function deleteOldAuditRows(
  db: Db,
  siteId: number,
  days: number,
  limit = DELETE_BATCH_ROWS,
): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    with chain as (select * from audit_chain where site_id = ${siteId} for update),
    sealed as (select s.seq, s.audit_id, s.hash, s.at from chain
      join audit_seal s on s.site_id = chain.site_id and s.seq > chain.checkpoint_seq
      order by s.seq limit ${limit}),
    first as (select s.seq, s.audit_id, s.hash, coalesce(a.at, (
        select b.at from audit_log b where b.audit_id = s.audit_id and b.site_id = ${siteId})) as at
      from sealed s
      left join audit_log a on a.audit_id = s.audit_id and a.site_id = ${siteId} and a.at = s.at),
    old as (select * from first where seq < coalesce(
      (select min(seq) from first where at >= now() - make_interval(days => ${days}::int)), 9223372036854775807)),
    deleted_seals as (delete from audit_seal where site_id = ${siteId} and seq in (select seq from old)),
    deleted_rows as (delete from audit_log where audit_id in (select audit_id from old)
      and at < now() - make_interval(days => ${days}::int)),
    moved as (update audit_chain set checkpoint_seq = (select max(seq) from old),
        checkpoint_hash = (select hash from old order by seq desc limit 1)
      where site_id = ${siteId} and exists (select from old))
    select count(*)::int as count from old`.execute(db);
  return (rows[0]?.count ?? 0) === limit;
}

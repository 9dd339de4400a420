/** The audit log as a hash chain: each seal contains the hash of its row and of the seal before it (ASVS 16.4.2). */
import { createHash } from 'node:crypto';
import { type Db, type Tx, withSavepoint, withTransaction } from '../db/database.ts';
import { isDatabaseUnavailable, isPassingFailure } from '../db/driver/errors.ts';
import * as store from './chain.store.ts';

/** Rows sealed by one transaction: a few milliseconds of hashing. */
const BATCH_ROWS = 1_000;
const VERIFY_BATCH_ROWS = 2_000;
const MAX_PROBLEMS = 20;

/** The hash before the first row of any site. */
const START_HASH = Buffer.alloc(32);

/** SHA-256 of the hash before it and of the row with its number in the chain of its site. */
export function hashRow(previous: Buffer, seq: number, row: store.SealedContent): Buffer {
  const content = [
    row.siteId,
    seq,
    row.auditId,
    row.at,
    row.actorId,
    row.proxyId,
    row.action,
    row.subjectType,
    row.subjectId,
    row.subjectName,
    row.configurationKind,
    row.ip,
    row.requestId,
    row.changes,
  ];
  return createHash('sha256').update(previous).update(JSON.stringify(content)).digest();
}

/**
 * Seals the committed audit rows that have no seal, in batches. Rows of a site are numbered in the order of their ids; a row whose
 * transaction commits later gets a later number, so writers wait neither for each other nor for this. Passes at the same time take turns.
 * @returns the sites whose rows could not be sealed; those of the others were
 */
export async function sealAuditRows(
  db: Db,
  { signal, limit = BATCH_ROWS }: { signal?: AbortSignal | undefined; limit?: number } = {},
): Promise<number[]> {
  const failedSites = new Set<number>();
  if (!(await store.hasNewRows(db))) return [];
  const isStopped = () => signal?.aborted === true;
  let after: number | undefined = 0;
  do after = await sealBatch(db, after, limit, failedSites);
  while (after !== undefined && !isStopped());
  return [...failedSites];
}

/**
 * Seals a batch of the rows after an id, without those of the sites that have failed, to which it adds.
 * @returns the id after which to continue; undefined when none is left
 */
function sealBatch(
  db: Db,
  after: number,
  limit: number,
  failedSites: Set<number>,
): Promise<number | undefined> {
  return withTransaction(db, {}, async (tx) => {
    const state = await store.lockSealing(tx);
    const rows = await store.readUnsealed(tx, Math.max(after, state.sealedTo), limit);
    const sites = [...Map.groupBy(rows, ({ siteId }) => siteId)].toSorted(([a], [b]) => a - b);
    for (const [siteId, siteRows] of sites) {
      if (failedSites.has(siteId)) continue;
      try {
        await withSavepoint(tx, () => appendToChain(tx, siteId, siteRows));
      } catch (error) {
        if (isDatabaseUnavailable(error) || isPassingFailure(error)) throw error;
        failedSites.add(siteId);
      }
    }
    if (rows.length === limit) return rows.at(-1)?.auditId;
    // Rows of a site that failed have no seal yet.
    if (failedSites.size === 0) await store.updateSealing(tx, advance(state, await store.readNewestId(tx)));
    return undefined;
  });
}

/** Seals a batch of the rows of a site. @returns whether there may be more @throws Error when they cannot be sealed */
export function sealSite(db: Db, siteId: number, limit = BATCH_ROWS): Promise<boolean> {
  return withTransaction(db, {}, async (tx) => {
    const { sealedTo } = await store.lockSealing(tx);
    const rows = await store.readUnsealed(tx, sealedTo, limit, siteId);
    await appendToChain(tx, siteId, rows);
    return rows.length === limit;
  });
}

async function appendToChain(tx: Tx, siteId: number, rows: readonly store.SealedContent[]): Promise<void> {
  const chain = await store.lockChain(tx, siteId, START_HASH);
  let previous = chain.hash;
  const seals = rows.map((row, index): store.Seal => {
    const seq = chain.seq + 1 + index;
    previous = hashRow(previous, seq, row);
    return { seq, auditId: row.auditId, hash: previous, at: row.at };
  });
  await store.appendSeals(tx, siteId, seals);
}

/**
 * The state after a pass that has sealed all rows it saw. The end of the sealed part moves in three passes: the first notes the newest
 * id, the second the newest transaction, and the third moves when all transactions before that one have ended: then no row up to the
 * id can appear any more.
 */
function advance(
  { sealedTo, nextTo, nextXid, oldestXid, newestXid }: store.SealingState,
  newestId: number,
): Pick<store.SealingState, 'sealedTo' | 'nextTo' | 'nextXid'> {
  if (nextTo === null) return { sealedTo, nextTo: newestId, nextXid: null };
  if (nextXid === null) return { sealedTo, nextTo, nextXid: newestXid };
  return oldestXid >= nextXid
    ? { sealedTo: nextTo, nextTo: null, nextXid: null }
    : { sealedTo, nextTo, nextXid };
}

/** A place where the audit log is not what was sealed. */
interface AuditProblem {
  problem: string;
  seq?: number;
  auditId?: number;
}

export interface AuditVerification {
  siteId: number;
  /** Rows whose seals were checked. */
  rows: number;
  /** Number of the last seal that was deleted with its row at the end of its time; 0: none. */
  checkpoint: number;
  /** Time of the oldest row that is kept, from which the log is complete; null: nothing was deleted, or nothing is kept. */
  completeFrom: string | null;
  /** Number and hash of the newest seal. Kept elsewhere, they prove later that nothing up to it has changed. */
  seq: number;
  hash: string;
  /** Rows that wait for their seal. */
  unsealed: number;
  /** At most 20. */
  problems: AuditProblem[];
}

/** A seal that was noted outside of the database. */
export interface Anchor {
  seq: number;
  /** Hexadecimal. */
  hash: string;
}

/** Checks every row of the audit log of a site against its seal, in batches; while it runs, rows may be written and deleted. */
export async function verifyAuditChain(
  db: Db,
  siteId: number,
  anchor?: Anchor,
  batchRows = VERIFY_BATCH_ROWS,
): Promise<AuditVerification> {
  for (;;) {
    const chain = (await store.readChain(db, siteId)) ?? {
      checkpointSeq: 0,
      checkpointHash: START_HASH,
      seq: 0,
      hash: START_HASH,
    };
    const problems: AuditProblem[] = [];
    const rows = await verifySeals(db, siteId, chain, batchRows, problems);
    const { waiting, unknown } = await store.readUnsealedState(db, siteId);
    for (const auditId of unknown) problems.push({ problem: 'A row was never sealed', auditId });
    if (anchor) problems.push(...(await checkAnchor(db, siteId, chain, anchor)));
    const now = await store.readChain(db, siteId);
    // Rows were deleted at the end of their time while they were read.
    if (problems.length > 0 && now && now.checkpointSeq !== chain.checkpointSeq) continue;
    return {
      siteId,
      rows,
      checkpoint: chain.checkpointSeq,
      completeFrom: chain.checkpointSeq === 0 ? null : ((await store.readFirstTime(db, siteId)) ?? null),
      seq: chain.seq,
      hash: chain.hash.toString('hex'),
      unsealed: waiting,
      problems: problems.slice(0, MAX_PROBLEMS),
    };
  }
}

/** Checks the seals between both ends of the chain. @returns the number of rows */
async function verifySeals(
  db: Db,
  siteId: number,
  chain: store.Chain,
  batchRows: number,
  problems: AuditProblem[],
): Promise<number> {
  let [seq, previous, rows] = [chain.checkpointSeq, chain.checkpointHash, 0];
  for (;;) {
    const seals = await store.readSeals(db, siteId, { after: seq, last: chain.seq, limit: batchRows });
    for (const seal of seals) {
      const { auditId } = seal;
      if (seal.seq !== seq + 1) problems.push({ problem: 'Seals are missing', seq: seq + 1 });
      if (!seal.content) problems.push({ problem: 'A row was deleted', seq: seal.seq, auditId });
      else if (!hashRow(previous, seal.seq, seal.content).equals(seal.hash))
        problems.push({ problem: 'A row or its seal was changed', seq: seal.seq, auditId });
      // The stored hash, so that one changed row is reported and not all after it.
      [seq, previous] = [seal.seq, seal.hash];
      rows += 1;
    }
    if (seals.length < batchRows || problems.length >= MAX_PROBLEMS) break;
  }
  if (problems.length < MAX_PROBLEMS && (seq !== chain.seq || !previous.equals(chain.hash)))
    problems.push({ problem: 'The newest seals are missing', seq: seq + 1 });
  return rows;
}

async function checkAnchor(
  db: Db,
  siteId: number,
  chain: store.Chain,
  { seq, hash }: Anchor,
): Promise<AuditProblem[]> {
  if (seq < chain.checkpointSeq)
    return [{ problem: 'The noted seal was deleted at the end of its time', seq }];
  const found =
    seq === chain.checkpointSeq ? chain.checkpointHash : await store.readSealHash(db, siteId, seq);
  return found?.toString('hex') === hash.toLowerCase()
    ? []
    : [{ problem: 'The noted seal differs from the stored one', seq }];
}

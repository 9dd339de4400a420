/**
 * Reads from a hot standby (DATABASE_READ_URL, docs/decisions/0083). A standby answers a statement only if it has replayed the last write
 * of the caller and is not older than the limit; everything else is answered by the primary, and so is what a standby fails at.
 */
import { randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { HEARTBEAT_TIMEOUT_SECONDS } from '../../process-heartbeat.ts';
import { standbyReads } from '../../telemetry/metrics.ts';
import {
  AssumptionError,
  type Confirmation,
  type Connection,
  type ConnectionRoute,
  type ConnectionSource,
  createBatchConnection,
  getRunAll,
  isPureRead,
} from './dialect.ts';
import { standbyLostError, toDbError } from './errors.ts';
import {
  type BatchOutcome,
  isEnd,
  isStart,
  type Statement,
  type StatementResult,
} from './statement-batch.ts';

/** Why the primary answered what a standby could have answered. */
export type FallbackReason = 'written' | 'lagging' | 'failed' | 'unavailable' | 'mixed';

/** Time after a write, and after a refused read, for which the standby is not tried for the user: it has most likely not replayed it. */
const WRITER_PAUSE_MS = 100;
/** Users whose last writes a process remembers; for others the standby is tried in vain. */
const MAX_REMEMBERED_WRITERS = 10_000;
/** Pause between two probes of a standby that is not used. */
const PROBE_INTERVAL_MS = 1_000;
/** Positions of the primary that are remembered within the permitted lag. */
const MAX_SAMPLES = 50;

/** Errors after which the standby is not used until it answers a probe: connection, shutdown, start, no free connection. */
const UNAVAILABLE = /^(08|57P|53300)/;

/** Position in the log as a number of bytes; null where it cannot be read. */
const POSITION = `case when pg_is_in_recovery() then null else pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0') end::text`;

/**
 * What the primary says before a standby may answer: the last write of the user, its position, and whether all processes record writes.
 * Statements of all processes see it, whoever made the write.
 */
const createClaim = (userId: number): Statement => ({
  sql: `select (select write_id::text from user_write where user_id = $1) as "writeId", ${POSITION} as position,
    not exists (select from service_process
      where not records_writes and seen_at > now() - interval '${HEARTBEAT_TIMEOUT_SECONDS} seconds') as "isRecorded"`,
  parameters: [userId],
});

/** What the standby says, as first statement of a message: the following ones see at least as much. */
const createCheck = (userId: number): Statement => ({
  sql: `select case when pg_is_in_recovery() then pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0') end::text as position,
    (select write_id::text from user_write where user_id = $1) as "writeId"`,
  parameters: [userId],
});

/** The statement that records a write of the user; it is the last one before the commit: whoever holds the row waits for nothing else. */
export const createRecord = (userId: number): Statement => ({
  sql: `insert into user_write (user_id, write_id) values ($1, $2)
    on conflict (user_id) do update set write_id = excluded.write_id`,
  // Random and not counted: a server that lost writes in a failover never has the same one.
  parameters: [userId, randomBytes(8).readBigInt64BE().toString()],
});

/** What the primary claims. */
interface Claim {
  writeId: string | null;
  position: bigint;
  /** The position is that of this time of `performance.now()` or of a later one. */
  askedAt: number;
  isRecorded: boolean;
}

const toText = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const toPosition = (value: unknown): bigint | undefined =>
  typeof value === 'string' ? BigInt(value) : undefined;

/** State of the standby as `steward doctor`, the metrics and the page Installation tell it. */
export interface StandbyStatus {
  isUsable: boolean;
  /** Bytes of the log and time that the standby was behind the primary when it was last asked; undefined if it never answered. */
  lag: { bytes: number; seconds: number } | undefined;
  /** Reads since the start of the process that a standby could answer, and that it answered. */
  reads: number;
  served: number;
}

/** Positions that the primary had at known times: a standby that has replayed one of them is at most that old. */
export class PositionSamples {
  readonly #samples: { at: number; position: bigint }[] = [];
  readonly #maxAgeMs: number;

  constructor(maxAgeMs: number) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** Adds the position that the primary had at `at` (milliseconds of `performance.now()`) or later. */
  add(at: number, position: bigint): void {
    const last = this.#samples.at(-1);
    if (last && at - last.at < this.#maxAgeMs / MAX_SAMPLES) return;
    this.#samples.push({ at, position });
    while ((this.#samples[0]?.at ?? at) < at - this.#maxAgeMs) this.#samples.shift();
  }

  /** Age of the newest position that was replayed, in milliseconds; undefined when all are newer, or too old to count. */
  getAge(replayed: bigint, now: number): number | undefined {
    const sample = this.#samples.findLast(({ position }) => position <= replayed);
    return sample && now - sample.at <= this.#maxAgeMs ? now - sample.at : undefined;
  }
}

const toFailure = (error: unknown): BatchOutcome => ({ results: [], failure: { error, isReported: false } });

/** Sends statements on a connection of their own. @throws an error when there is no connection */
async function ask(source: ConnectionSource, statements: readonly Statement[]): Promise<BatchOutcome> {
  const connection = await source.acquire();
  const outcome = await getRunAll(connection)(statements).catch(toFailure);
  connection.release(outcome.failure !== undefined);
  return outcome;
}

/** The standby of a process: its connections, whether it is used, and how far it is behind. */
export class Standby {
  readonly source: ConnectionSource;
  readonly primary: ConnectionSource;
  readonly #samples: PositionSamples;
  readonly #maxLagMs: number;
  readonly #pausedUntil = new LRUCache<number, number>({ max: MAX_REMEMBERED_WRITERS });
  #isUsable = true;
  #isClosed = false;
  #probe: NodeJS.Timeout | undefined;
  #lag: StandbyStatus['lag'];
  #reads = 0;
  #served = 0;

  constructor(source: ConnectionSource, primary: ConnectionSource, maxLagMs: number) {
    this.source = source;
    this.primary = primary;
    this.#maxLagMs = maxLagMs;
    this.#samples = new PositionSamples(maxLagMs);
  }

  get status(): StandbyStatus {
    return { isUsable: this.#isUsable, lag: this.#lag, reads: this.#reads, served: this.#served };
  }

  /** Whether a read of the user is worth trying, as far as this process knows. */
  explainUnusable(userId: number): FallbackReason | undefined {
    if (!this.#isUsable) return 'unavailable';
    return (this.#pausedUntil.get(userId) ?? 0) > performance.now() ? 'written' : undefined;
  }

  /** The user writes now, or wrote something that the standby has not replayed. */
  pause(userId: number): void {
    this.#pausedUntil.set(userId, performance.now() + WRITER_PAUSE_MS);
  }

  count(outcome: 'served' | FallbackReason): void {
    standbyReads.inc({ outcome });
    this.#reads += 1;
    if (outcome === 'served') this.#served += 1;
  }

  /** Whether a standby that has replayed this position is young enough. Remembers the lag. */
  isRecent(replayed: bigint, { position, askedAt }: Pick<Claim, 'position' | 'askedAt'>): boolean {
    this.#samples.add(askedAt, position);
    const bytes = position - replayed;
    const age = this.#samples.getAge(replayed, performance.now());
    this.#lag =
      bytes > 0n
        ? { bytes: Number(bytes), seconds: (age ?? this.#maxLagMs) / 1_000 }
        : { bytes: 0, seconds: 0 };
    return age !== undefined;
  }

  /** Stops using the standby until it answers a probe. */
  suspend(): void {
    this.#isUsable = false;
    if (this.#probe || this.#isClosed) return;
    this.#probe = setTimeout(() => {
      this.#probe = undefined;
      this.measure().catch(() => this.suspend());
    }, PROBE_INTERVAL_MS).unref();
  }

  /** Asks both servers how far the standby is behind, and uses it from now on if that is permitted. @throws DbError */
  async measure(): Promise<StandbyStatus> {
    const askedAt = performance.now();
    // No user has this id.
    const [claim, check] = await Promise.all([
      ask(this.primary, [createClaim(0)]).then(requireRow),
      ask(this.source, [createCheck(0)]).then(requireRow),
    ]);
    const [position, replayed] = [toPosition(claim['position']), toPosition(check['position'])];
    const isUsable =
      position !== undefined && replayed !== undefined && this.isRecent(replayed, { position, askedAt });
    if (isUsable) this.#isUsable = true;
    else this.suspend();
    return this.status;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#probe);
    await this.source.close();
  }
}

function requireRow({ results, failure }: BatchOutcome): Record<string, unknown> {
  const row = results[0]?.rows[0];
  if (!row) throw failure?.error ?? new Error('The statement returns one row');
  return row;
}

/**
 * Where one request reads. It begins at the standby and changes to the primary once: what it reads never becomes older. `confirmation`
 * comes from the primary before any answer of the standby.
 */
export class ReadRoute implements ConnectionRoute {
  readonly #standby: Standby;
  readonly #userId: number;
  readonly #confirmation: Confirmation | undefined;
  readonly #primary: ConnectionSource;
  #claim: Promise<Claim | undefined> | undefined;
  #isOnPrimary = false;
  #outcome: 'served' | FallbackReason | undefined;

  /** `primary`: source of the connections for what the standby does not answer. */
  constructor(
    standby: Standby,
    userId: number,
    { confirmation, primary }: { confirmation: Confirmation | undefined; primary: ConnectionSource },
  ) {
    this.#standby = standby;
    this.#userId = userId;
    this.#confirmation = confirmation;
    this.#primary = primary;
  }

  /** All further reads of the request are answered by the primary. */
  leave(): void {
    this.#isOnPrimary = true;
  }

  /** A connection that reads from the standby while that is possible; undefined: the request reads from the primary. */
  open(): Connection | undefined {
    if (this.#isOnPrimary) {
      if (this.#outcome === undefined) this.#count('mixed');
      return undefined;
    }
    const reason = this.#standby.explainUnusable(this.#userId);
    if (reason === undefined) return this.#createConnection();
    this.#count(reason);
    this.leave();
    return undefined;
  }

  #count(outcome: 'served' | FallbackReason): void {
    if (outcome !== this.#outcome) this.#standby.count(outcome);
    this.#outcome = outcome;
  }

  /** What the primary claims, asked once for a request; undefined if it cannot be known. @throws AssumptionError, DbError */
  async #loadClaim(): Promise<Claim | undefined> {
    const askedAt = performance.now();
    const confirmation = this.#confirmation?.claim() ? this.#confirmation : undefined;
    const confirming = confirmation ? [confirmation.statement] : [];
    const { results, failure } = await ask(this.#standby.primary, [
      ...confirming,
      createClaim(this.#userId),
    ]).catch(toFailure);
    const [confirmed] = results;
    if (confirmation && confirmed) confirmation.accept(confirmed);
    else confirmation?.fail(failure?.error);
    if (this.#confirmation && !(await this.#confirmation.isTrue)) throw new AssumptionError();
    const row = failure ? undefined : results.at(-1)?.rows[0];
    const position = toPosition(row?.['position']);
    if (!row || position === undefined) return undefined;
    return { writeId: toText(row['writeId']), position, askedAt, isRecorded: row['isRecorded'] === true };
  }

  #createConnection(): Connection {
    let onStandby: Connection | undefined;
    let onPrimary: Connection | undefined;
    let mustDiscard = false;
    /** The connection of the open transaction. */
    let inTransaction: Connection | undefined;

    const discardStandby = () => {
      onStandby?.release(true);
      onStandby = undefined;
    };
    const leave = (reason: FallbackReason): undefined => {
      this.#count(reason);
      this.leave();
    };
    const fail = (error: unknown): undefined => {
      discardStandby();
      if (UNAVAILABLE.test(toDbError(error).code)) this.#standby.suspend();
      return leave('failed');
    };

    /** The outcome at the standby; undefined if the primary has to answer. @throws AssumptionError, DbError of the primary */
    const readStandby = async (
      statements: readonly Statement[],
      signal: AbortSignal | undefined,
    ): Promise<BatchOutcome | undefined> => {
      const at = statements.findIndex(isStart) + 1;
      const reading = this.#standby.source.acquire().then(async (connection) => {
        onStandby = connection;
        return getRunAll(connection)(statements.toSpliced(at, 0, createCheck(this.#userId)), signal);
      });
      const [claimed, read] = await Promise.allSettled([(this.#claim ??= this.#loadClaim()), reading]);
      if (claimed.status === 'rejected') {
        discardStandby();
        throw claimed.reason;
      }
      if (read.status === 'rejected') return fail(read.reason);
      const { results, failure } = read.value;
      if (failure && signal?.aborted) {
        // Nobody waits for the answer, and the primary would only work in vain.
        discardStandby();
        return { results: results.toSpliced(at, 1), failure };
      }
      if (failure) return fail(failure.error);
      const check = results[at]?.rows[0];
      const replayed = toPosition(check?.['position']);
      const claim = claimed.value;
      if (!claim || replayed === undefined) {
        this.#standby.suspend();
        return leave('unavailable');
      }
      if (!this.#standby.isRecent(replayed, claim)) {
        this.#standby.suspend();
        return leave('lagging');
      }
      if (!claim.isRecorded) return leave('unavailable');
      if (toText(check?.['writeId']) !== claim.writeId) {
        this.#standby.pause(this.#userId);
        return leave('written');
      }
      this.#count('served');
      return { results: results.toSpliced(at, 1) };
    };

    const runAll: NonNullable<Connection['runAll']> = async (statements, signal) => {
      const ends = statements.some(isEnd);
      if (inTransaction) {
        const connection = inTransaction;
        if (ends) inTransaction = undefined;
        const outcome = await getRunAll(connection)(statements, signal);
        if (!outcome.failure || connection !== onStandby || signal?.aborted) return outcome;
        fail(outcome.failure.error);
        inTransaction = undefined;
        return { results: [], failure: { error: standbyLostError(), isReported: true } };
      }
      // The rollback of a transaction that did not start, or that the standby has lost.
      if (statements.length === 1 && statements[0]?.sql === 'rollback') return ROLLED_BACK;
      const starts = statements.some(isStart);
      const isRead = statements.every((each) =>
        isStart(each) ? each.sql.endsWith(' read only') : isEnd(each) || isPureRead(each),
      );
      if (!isRead) this.leave();
      const read = this.#isOnPrimary ? undefined : await readStandby(statements, signal);
      if (starts && !ends && read) inTransaction = onStandby;
      if (read) return read;
      // The transaction that it was refused is still open there.
      if (starts && !ends) discardStandby();
      onPrimary ??= await this.#primary.acquire();
      if (starts && !ends) inTransaction = onPrimary;
      return getRunAll(onPrimary)(statements, signal);
    };
    return createBatchConnection(
      (statements, signal) =>
        runAll(statements, signal).catch((error: unknown) => {
          mustDiscard = true;
          throw error;
        }),
      (discard) => {
        onStandby?.release(discard || mustDiscard);
        onPrimary?.release(discard || mustDiscard);
      },
    );
  }
}

const ROLLED_BACK_RESULT: StatementResult = { rows: [], command: 'ROLLBACK', affectedRows: 0 };
const ROLLED_BACK: BatchOutcome = { results: [ROLLED_BACK_RESULT] };

/**
 * The same source for work in the name of a user: every transaction that may write, and every statement outside of one, records that
 * the user wrote. `onAcquire` is called before each use.
 */
export const createRecordingSource = (
  source: ConnectionSource,
  standby: Standby,
  userId: number,
  onAcquire: () => void,
): ConnectionSource => ({
  acquire: async () => {
    onAcquire();
    return createRecordingConnection(await source.acquire(), standby, userId);
  },
  ...(source.forSite && {
    forSite: (siteId) =>
      createRecordingSource(source.forSite?.(siteId) ?? source, standby, userId, onAcquire),
  }),
  close: async () => {},
});

function createRecordingConnection(connection: Connection, standby: Standby, userId: number): Connection {
  const run = getRunAll(connection);
  let isInTransaction = false;
  let hasWritten = false;
  const runAll: NonNullable<Connection['runAll']> = async (statements, signal) => {
    const sent: Statement[] = [];
    let at = -1;
    const record = () => {
      at = sent.length;
      sent.push(createRecord(userId));
      standby.pause(userId);
      hasWritten = false;
    };
    for (const statement of statements) {
      if (isStart(statement)) isInTransaction = true;
      else if (!isEnd(statement) && !isPureRead(statement)) hasWritten = true;
      if (statement.sql === 'commit' && hasWritten) record();
      if (isEnd(statement)) {
        isInTransaction = false;
        hasWritten = false;
      }
      sent.push(statement);
    }
    if (!isInTransaction && hasWritten) record();
    const outcome = await run(sent, signal);
    if (at < 0) return outcome;
    // Outside of a transaction the message is one: without the record nothing of it is stored.
    const isVoid = outcome.failure !== undefined && at === sent.length - 1;
    const results = outcome.results.toSpliced(at, 1);
    return { ...outcome, results: isVoid ? results.slice(0, at - 1) : results };
  };
  return createBatchConnection(runAll, (discard) => connection.release(discard));
}

import type { Readable } from 'node:stream';
import type {
  ImportCounts,
  ImportKind,
  ImportResult,
  ImportWarningCode,
  ImportWarningCount,
} from '../../../../contract/generated/types.gen.ts';
import { ApiError, conflict, retryLater, unauthorized } from '../../../kernel/api-error.ts';
import { type Actor, change, type Recorder } from '../../../kernel/audit/change.ts';
import type { Caller } from '../../../kernel/auth/caller.ts';
import { loadEffectiveCapabilities } from '../../../kernel/auth/callers.store.ts';
import { type Db, isEmbedded, type Tx } from '../../../kernel/db/database.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { getSite } from '../../sites/index.ts';
import { loadSettings } from '../settings/settings.store.ts';
import * as gate from './gate.store.ts';
import { addWarning, formatWarnings, type ImportContext, type UserReading } from './item-reader.ts';
import * as store from './items.store.ts';
import { getImportPeriod } from './period.ts';
import { requirePreconditions } from './preconditions.ts';
import { type ImportBody, type OpenReading, readImport } from './read-import.ts';
import { insertRun } from './runs.store.ts';

/** One request to import items. */
export interface ImportRequest {
  kind: ImportKind;
  isDryRun: boolean;
  body: ImportBody;
  caller: Caller;
  actor: Actor;
  /** Job that the request is part of. */
  jobId: number | null;
}

interface ImportDependencies {
  db: Db;
  contract: Call['contract'];
}

/** Imports of other sites that this process runs at the same time; each may hold a body of 128 MiB. */
const MAX_IMPORTS_PER_PROCESS = 2;
/** Sites whose imports this process runs. On the embedded database a second request would wait for the first. */
const runningSites = new Set<number>();
const CONCURRENT_RETRY_SECONDS = 2;

const alreadyImporting = (): ApiError =>
  retryLater(
    429,
    'Another import of this site is running; one at a time is allowed',
    CONCURRENT_RETRY_SECONDS,
  );

/** @throws ApiError 429 for a request that was not admitted */
export function requireAdmission({ isBusy, isLimited, resetSeconds }: gate.Admission): void {
  if (isBusy) throw alreadyImporting();
  if (isLimited)
    throw retryLater(
      429,
      `The site has sent ${gate.REQUESTS_PER_WINDOW} requests within a minute, which is the limit`,
      resetSeconds,
    );
}

/** The turn of a site to import: until its end no other import of the site runs, in any process. */
export interface ImportTurn {
  lease: gate.LeaseKey;
  /** Time of the database at the admission. */
  now: Date;
  /** Ends the turn; `isReleased`: a transaction that is committed has ended the lease. */
  end(isReleased: boolean): Promise<void>;
}

/**
 * Takes the turn of a site, which counts to its requests of a minute.
 * @throws ApiError 429 while another import of the site runs or the requests are used up, 503 while this process runs imports of others
 */
export async function takeTurn(db: Db, { siteId, userId }: Caller): Promise<ImportTurn> {
  if (runningSites.has(siteId)) throw alreadyImporting();
  if (runningSites.size >= MAX_IMPORTS_PER_PROCESS)
    throw retryLater(503, 'Imports of other sites are running', CONCURRENT_RETRY_SECONDS);
  runningSites.add(siteId);
  try {
    const admission = await gate.admit(db, { siteId, userId, takesLease: true });
    requireAdmission(admission);
    return startTurn(db, siteId, admission);
  } catch (error) {
    runningSites.delete(siteId);
    throw error;
  }
}

function startTurn(db: Db, siteId: number, { fence, now }: gate.Admission): ImportTurn {
  const lease: gate.LeaseKey = { siteId, fence };
  // A renewal that fails is made up by the next one; a lease that is lost is noticed at the end.
  const renewal = setInterval(
    () => void gate.renewLease(db, lease).catch(() => {}),
    gate.LEASE_RENEWAL_MS,
  ).unref();
  return {
    lease,
    now,
    async end(isReleased) {
      clearInterval(renewal);
      // The lease ends by itself if the database does not answer.
      if (!isReleased) await gate.releaseLease(db, lease).catch(() => false);
      runningSites.delete(siteId);
    },
  };
}

/**
 * Imports the items of a request (shapes 6): admission, reading, and one transaction with the items, relationships, audit row and run.
 * @throws ApiError 400, 409, 413, 429, 503; nothing is stored then
 */
export async function runImport(
  { db, contract }: ImportDependencies,
  request: ImportRequest,
): Promise<ImportResult[]> {
  const { kind, caller } = request;
  const { siteId } = caller;
  requirePreconditions(await loadSettings(db, siteId), kind);
  const turn = await takeTurn(db, caller);
  const { lease, now } = turn;
  let isDone = false;
  try {
    // Before the exclusions: an address is excluded, then erased.
    const lastErasure = await store.findLastErasure(db, siteId);
    const context = await loadContext(db, siteId, kind, now);
    // The transaction begins while the body is still read. On the embedded database all other requests would wait for it.
    const copyFor = { siteId, kind: store.KIND_NUMBER[kind] };
    const options = { contract, ...(!request.isDryRun && !isEmbedded(db) && { copyFor }) };
    return await readImport(request.body, context, options, async (reading) => {
      const results = request.isDryRun
        ? await countImport(db, { request, lease, now }, reading)
        : await storeImport(db, { request, lease, now, lastErasure }, reading);
      isDone = true;
      return results;
    });
  } catch (error) {
    if (error instanceof ApiError) await recordRefusal(db, request, now, error);
    throw error;
  } finally {
    await turn.end(isDone);
  }
}

/** The state of the site that decides about items. */
async function loadContext(db: Db, siteId: number, kind: ImportKind, now: Date): Promise<ImportContext> {
  const [settings, site, { users, rules }] = await Promise.all([
    loadSettings(db, siteId),
    getSite(db, siteId),
    store.loadImportState(db, siteId),
  ]);
  return {
    kind,
    users,
    rules: { ...rules, internalDomains: settings.internalDomains },
    period: getImportPeriod(now.getTime(), site.timeZone, settings.historicalSyncPeriodDays),
  };
}

/** What a run and its transaction need of a request. */
type StoredRequest = Pick<ImportRequest, 'kind' | 'isDryRun' | 'caller' | 'jobId'>;

interface ImportStep {
  request: StoredRequest;
  lease: gate.LeaseKey;
  now: Date;
}

/** A step that stores items, and the last erasure before they were read. */
interface StoreStep extends ImportStep {
  lastErasure: number;
}

async function storeImport(
  db: Db,
  step: StoreStep & { request: ImportRequest },
  reading: OpenReading,
): Promise<ImportResult[]> {
  if (!reading.getCopy) await reading.finish();
  return change(db, step.request.actor, (tx, record) => storeReading(tx, record, step, reading));
}

/** Stores the items in a transaction that the lease must outlive. */
async function storeReading(
  tx: Tx,
  record: Recorder,
  { request, lease, now, lastErasure }: StoreStep,
  reading: OpenReading,
): Promise<ImportResult[]> {
  const { kind, caller } = request;
  const { siteId } = caller;
  // Settings and rights may have changed since the admission. From here on an erasure waits for the end of the import.
  requirePreconditions(await loadSettings(tx, siteId, 'share'), kind);
  if ((await store.findLastErasure(tx, siteId)) !== lastErasure)
    throw conflict('A person was erased during the import; send the request again');
  await requireCapability(tx, caller);
  const outcome = createOutcome();
  await storeBatches(tx, { siteId, kind }, reading, outcome);
  const { users } = await reading.finish();
  const enabled = users.filter(({ isEnabled }) => isEnabled);
  if (!(await store.touchUsers(tx, { siteId, kind, now }, enabled)))
    throw conflict('The enabled users of the site have changed during the import; send the request again');
  const { results, counts, warnings } = outcome.finish(users, now);
  record({
    action: 'relationships.import',
    subject: ['relationships', kind],
    changes: { users: [null, results.length], ...toChanges(counts) },
  });
  await insertRun(tx, {
    ...toRun(request, now),
    userCount: results.length,
    counts,
    warnings,
    results: JSON.stringify(results),
  });
  // The last write: a process whose lease has lapsed commits nothing.
  if (!(await gate.releaseLease(tx, lease))) throw lostTurn();
  return results;
}

/** The error of an import that another one has overtaken. */
const lostTurn = (): ApiError => conflict('The import took longer than its turn; send the request again');

/** Stores the batches of a reading, those of which the database has nothing by COPY where that is possible. */
async function storeBatches(
  tx: Tx,
  { siteId, kind }: { siteId: number; kind: ImportKind },
  reading: OpenReading,
  outcome: ReturnType<typeof createOutcome>,
): Promise<void> {
  let isNew = true;
  for (let index = 0; ; index += 1) {
    const copy = await reading.getCopy?.(index);
    if (reading.getCopy ? !copy : index >= (await reading.finish()).batchCount) return;
    // A request of which the database has one item often has more of them: one failed COPY is enough.
    isNew &&= copy !== undefined && (await store.copyItems(tx, siteId, copy));
    if (copy && isNew) {
      outcome.addCounts(copy.added);
      continue;
    }
    await reading.finish();
    const rows = await reading.getBatch(index);
    const result = await store.storeItems(tx, { siteId, kind }, rows);
    const replaced = result.differing.length > 0 ? await store.replaceItems(tx, { siteId, kind }, rows) : [];
    outcome.add(rows, { ...result, differing: result.differing.filter((key) => !replaced.includes(key)) });
  }
}

/**
 * Imports items of a job within its transaction, as one request of the site. The transaction has locked out erasures before it read the items.
 * @throws ApiError 400 before anything is written, and as `runImport`
 */
export async function importWithin(
  tx: Tx,
  {
    stream,
    contract,
    record,
    turn: { lease, now },
    ...part
  }: Pick<ImportRequest, 'kind' | 'caller' | 'jobId'> & {
    stream: Readable;
    contract: Call['contract'];
    record: Recorder;
    turn: ImportTurn;
  },
): Promise<ImportResult[]> {
  const { kind, caller } = part;
  const lastErasure = await store.findLastErasure(tx, caller.siteId);
  const context = await loadContext(tx, caller.siteId, kind, now);
  return readImport({ stream, isPacked: false }, context, { contract }, (reading) => {
    const request = { ...part, isDryRun: false };
    return storeReading(tx, record, { request, lease, now, lastErasure }, reading);
  });
}

/** Counts what the import would do. */
async function countImport(
  db: Db,
  { request, lease, now }: ImportStep,
  reading: OpenReading,
): Promise<ImportResult[]> {
  const { kind, caller } = request;
  const { users, batchCount } = await reading.finish();
  const outcome = createOutcome();
  for (let index = 0; index < batchCount; index += 1) {
    const rows = await reading.getBatch(index);
    outcome.add(rows, await store.countNewItems(db, { siteId: caller.siteId, kind }, rows));
  }
  const { results, counts, warnings } = outcome.finish(users, now);
  await insertRun(db, {
    ...toRun(request, now),
    userCount: results.length,
    counts,
    warnings,
    results: JSON.stringify(results),
  });
  await gate.releaseLease(db, lease);
  return results;
}

/** @throws ApiError 401 for a caller who has lost the capability since the request began */
async function requireCapability(tx: Tx, caller: Caller): Promise<void> {
  const held = await loadEffectiveCapabilities(tx, caller);
  if (!held.has('Access 4. Relationship Intelligence'))
    throw unauthorized(
      'Cannot perform the action. User capabilities are required: Access 4. Relationship Intelligence',
    );
}

const toRun = ({ caller, kind, isDryRun, jobId }: StoredRequest, now: Date) => ({
  siteId: caller.siteId,
  kind,
  isDryRun,
  jobId,
  startedDate: now,
  callerId: caller.userId,
  refusal: null,
});

const NO_COUNTS: ImportCounts = { received: 0, added: 0, alreadyProcessed: 0, skipped: 0 };

/** Records a request that was read and refused. */
async function recordRefusal(db: Db, request: ImportRequest, now: Date, error: ApiError): Promise<void> {
  const refusal = { ...toRun(request, now), userCount: 0, counts: NO_COUNTS, warnings: [], results: '[]' };
  await insertRun(db, { ...refusal, refusal: `${error.status}: ${error.message}` });
}

const toChanges = (counts: ImportCounts) =>
  Object.fromEntries(Object.entries(counts).map(([name, count]) => [name, [null, count]]));

const STATUS_TEXTS = { 1: 'Success', 2: 'User not enabled', 3: 'Partly skipped' } as const;

/** Adds up what the statements did, and formats it as the answer. */
function createOutcome() {
  const added = new Map<number, number>();
  const differing: { userId: number; uniqueId: string }[] = [];
  const addCounts = (counted: store.BatchResult['added']): void => {
    for (const { userId, count } of counted) added.set(userId, (added.get(userId) ?? 0) + count);
  };
  return {
    addCounts,
    add(
      rows: { keys: string[]; users: number[]; uniqueIds: string[]; isFirst: boolean[] },
      result: store.BatchResult,
    ): void {
      addCounts(result.added);
      const keys = new Set(result.differing);
      if (keys.size === 0) return;
      for (const [index, key] of rows.keys.entries())
        if (rows.isFirst[index] && keys.has(key))
          differing.push({ userId: rows.users[index] ?? 0, uniqueId: rows.uniqueIds[index] ?? '' });
    },
    finish(
      readings: readonly UserReading[],
      now: Date,
    ): { results: ImportResult[]; counts: ImportCounts; warnings: ImportWarningCount[] } {
      const users = new Map<number, UserReading>(
        readings.map((user) => [user.userId, { ...user, warnings: structuredClone(user.warnings) }]),
      );
      for (const { userId, uniqueId } of differing) {
        const warnings = users.get(userId)?.warnings;
        if (warnings) addWarning(warnings, 'CONTENT_DIFFERS', uniqueId);
      }
      const counts = { ...NO_COUNTS };
      const warningCounts = new Map<ImportWarningCode, number>();
      const results = [...users.values()].map((user): ImportResult => {
        const { userId, received, skipped } = user;
        const addedCount = added.get(userId) ?? 0;
        const stats = {
          received,
          added: addedCount,
          alreadyProcessed: received - addedCount - skipped,
          skipped,
        };
        const warnings = user.isEnabled
          ? user.warnings
          : { USER_NOT_ENABLED: { count: received, uniqueIds: [] } };
        for (const [code, { count }] of Object.entries(warnings))
          warningCounts.set(
            code as ImportWarningCode,
            (warningCounts.get(code as ImportWarningCode) ?? 0) + count,
          );
        for (const name of ['received', 'added', 'alreadyProcessed', 'skipped'] as const)
          counts[name] += stats[name];
        const status = !user.isEnabled ? 2 : skipped > 0 ? 3 : 1;
        return {
          userId,
          status,
          statusText: STATUS_TEXTS[status],
          operationStats: { syncDate: now.toISOString(), ...stats },
          warnings: formatWarnings(warnings),
        };
      });
      const warnings = [...warningCounts].map(([code, count]) => ({ code, count }));
      return { results, counts, warnings };
    },
  };
}

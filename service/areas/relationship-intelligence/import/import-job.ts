import { Readable } from 'node:stream';
import type {
  ImportKind,
  ImportResult,
  RelationshipImportItem,
} from '../../../../contract/generated/types.gen.ts';
import { createRequestFilling, type RequestPart } from '../../../../contract/rules/import-requests.ts';
import { ApiError, type FieldError, retryLater } from '../../../kernel/api-error.ts';
import type { Caller } from '../../../kernel/auth/caller.ts';
import { type Db, isEmbedded } from '../../../kernel/db/database.ts';
import { type Contract, loadContract } from '../../../kernel/http/contract.ts';
import { parseTimestamp } from '../../../kernel/http/parameters.ts';
import { USER_LABELS } from '../../../kernel/jobs/item-labels.store.ts';
import {
  type BatchSelection,
  type BatchStart,
  type BatchTurn,
  defineJobKind,
  type ItemOutcome,
  type JobBatch,
} from '../../../kernel/jobs/job-kind.ts';
import { pluralize } from '../../../kernel/numbers.ts';
import { CONTACTS_TASK } from '../relations/contacts.ts';
import { IMPORT_JOB } from '../settings/erase-from-jobs.ts';
import { lockAgainstErasure } from '../settings/settings.store.ts';
import { IMPORT_LIMITS, MAX_BODY_BYTES } from './item-reader.ts';
import { importWithin, type ImportTurn, takeTurn } from './run-import.ts';

interface Parameters {
  kind: ImportKind;
  fileName?: string;
}

let contract: Contract | undefined;
const getContract = (): Contract =>
  (contract ??= loadContract(new URL('../../../../contract/openapi.json', import.meta.url)));

/**
 * Job that imports e-mails or meetings. Its items are the import items of requests, in the order of a plan; it fills one request after the
 * other with them from the budget of the site, and waits when that is used up.
 */
export const importJob = defineJobKind<Parameters, RelationshipImportItem>({
  kind: IMPORT_JOB,
  operation: 'startRelationshipImport',
  itemSchema: 'RelationshipImportItem',
  wakes: [CONTACTS_TASK],
  labels: USER_LABELS,
  locksSite: () => false,
  forgetsInputs: true,
  lockInputs: lockAgainstErasure,
  describe: (_context, { kind, fileName }, items) =>
    `Import ${kind === 'emails' ? 'e-mails' : 'meetings'}${fileName ? ` from ${fileName}` : ''} in ${pluralize(items.length, 'batch', 'batches')}`,
  beginBatch,
  run: () => Promise.reject(new Error('Each batch of an import has a turn')),
});

/** On the embedded database every other request waits while the items of a request are stored. */
const EMBEDDED_PER_REQUEST: Record<ImportKind, number> = { emails: 10_000, meetings: 1_000 };

/** Limits of the requests of jobs, within those of all requests. */
export const getJobLimits = (db: Db, kind: ImportKind): { perUser: number; perRequest: number } => ({
  ...IMPORT_LIMITS[kind],
  ...(isEmbedded(db) && { perRequest: EMBEDDED_PER_REQUEST[kind] }),
});

async function beginBatch(start: BatchStart<Parameters>): Promise<BatchTurn<RelationshipImportItem>> {
  const turn = await waitForTurn(start.db, start.caller);
  return { select: () => selectItems(turn, start), end: () => turn.end(false) };
}

/** @throws ApiError 429, for which a job waits, also while this process runs imports of other sites */
async function waitForTurn(db: Db, caller: Caller): Promise<ImportTurn> {
  try {
    return await takeTurn(db, caller);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 503) throw error;
    throw retryLater(429, error.message, Number(error.headers['retry-after']));
  }
}

/** The next items of one user in a request: those of one item of the job, or of several that follow each other. */
interface Share {
  userId: number;
  /** Positions in the batch. */
  positions: number[];
}

function selectItems(
  turn: ImportTurn,
  { db, caller, jobId, parameters: { kind } }: BatchStart<Parameters>,
): BatchSelection<RelationshipImportItem> {
  const place = createRequestFilling({ ...getJobLimits(db, kind), bytes: MAX_BODY_BYTES });
  const shares: Share[] = [];
  let count = 0;
  return {
    takes(item, bytes) {
      const placement = place(toPart(item, kind, bytes));
      if (placement === 'joined') shares.at(-1)?.positions.push(count);
      if (placement === 'added') shares.push({ userId: item.userId, positions: [count] });
      if (placement !== undefined) count += 1;
      return placement !== undefined;
    },
    run: ({ tx, record, items }) =>
      importShares(shares, items, kind, (stream) =>
        importWithin(tx, { kind, caller, record, jobId, turn, contract: getContract(), stream }),
      ),
  };
}

/** The error of an item that has no list of the kind; `prefix` stands before its path. */
export const findMissingList = (item: RelationshipImportItem, kind: ImportKind, prefix = ''): FieldError[] =>
  item[kind] ? [] : [{ path: `${prefix}${kind}`, message: `is required in a job that imports ${kind}` }];

function toPart(item: RelationshipImportItem, kind: ImportKind, bytes: number): RequestPart {
  const times =
    kind === 'emails'
      ? item.emails?.map(({ sentDate }) => sentDate)
      : item.meetings?.map(({ startDate }) => startDate);
  const [first, last] = [times?.[0], times?.at(-1)];
  const span =
    first !== undefined && last !== undefined ? { first: toMs(first), last: toMs(last) } : undefined;
  return { userId: item.userId, count: times?.length ?? 0, bytes, span };
}

/** The time of an item, in UTC where it has no zone (shapes 1); NaN, which continues no part, if it is invalid: the import says so. */
function toMs(text: string): number {
  try {
    return parseTimestamp('', text).getTime();
  } catch (error) {
    if (error instanceof ApiError) return Number.NaN;
    throw error;
  }
}

/** Most times that a request is sent again without the items for which it was refused. */
const MAX_REFUSALS = 5;

/**
 * Imports shares as one request. Items that make it illegal fail, and the others are sent without them.
 * @throws ApiError for a refusal that does not name single items; the job tries fewer then
 */
async function importShares(
  shares: readonly Share[],
  items: JobBatch<object, RelationshipImportItem>['items'],
  kind: ImportKind,
  send: (stream: Readable) => Promise<ImportResult[]>,
): Promise<ItemOutcome[]> {
  const failed = new Map<Share, string>();
  const lists = new Map(shares.map((share) => [share, listShare(share, items, kind)]));
  for (const [share, list] of lists) if (typeof list === 'string') failed.set(share, list);
  for (let refusals = 0; ; refusals += 1) {
    const open = shares.filter((share) => !failed.has(share));
    if (open.length === 0) return toOutcomes(shares, failed, new Map(), items.length);
    try {
      const results = await send(Readable.from(writeRequest(open, lists, kind)));
      return toOutcomes(
        shares,
        failed,
        new Map(results.map((result) => [result.userId, result])),
        items.length,
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 400 || refusals >= MAX_REFUSALS) throw error;
      const refused = findRefused(error, open);
      if (!refused) throw error;
      for (const [share, reason] of refused) failed.set(share, reason);
    }
  }
}

/** Items of a share that are to be imported, or the reason why it has none. */
function listShare(
  { positions }: Share,
  items: readonly RelationshipImportItem[],
  kind: ImportKind,
): readonly object[] | string {
  const own = positions.flatMap((position) => items[position] ?? []);
  const [error] = own.flatMap((item) => findMissingList(item, kind));
  return error
    ? `${error.path}: ${error.message}`
    : own.flatMap((item): readonly object[] => item[kind] ?? []);
}

/**
 * Shares for which a request was refused, with the reason: those that the paths of the errors begin with, or all where the site takes no
 * imports. Undefined if the refusal concerns more than single items.
 */
function findRefused(
  { fields, message }: ApiError,
  shares: readonly Share[],
): ReadonlyMap<Share, string> | undefined {
  if (fields.length === 0) return new Map(shares.map((share) => [share, message]));
  const refused = new Map<Share, string>();
  for (const { path, message: reason } of fields) {
    const [index = '', ...names] = path.split('.');
    const share = /^\d+$/.test(index) ? shares[Number(index)] : undefined;
    if (share?.positions.length !== 1) return undefined;
    if (!refused.has(share)) refused.set(share, `${names.join('.')}: ${reason}`);
  }
  return refused;
}

/** The bytes of a request, one user at a time. */
function* writeRequest(
  shares: readonly Share[],
  lists: ReadonlyMap<Share, readonly object[] | string>,
  kind: ImportKind,
): Generator<Buffer> {
  for (const [index, share] of shares.entries())
    yield Buffer.from(
      `${index === 0 ? '[' : ','}${JSON.stringify({ userId: share.userId, handlerType: 1, [kind]: lists.get(share) })}`,
    );
  yield Buffer.from(']');
}

/** The outcomes of the items of a batch in their order. */
function toOutcomes(
  shares: readonly Share[],
  failed: ReadonlyMap<Share, string>,
  results: ReadonlyMap<number, ImportResult>,
  count: number,
): ItemOutcome[] {
  const outcomes = new Map<number, ItemOutcome>();
  for (const share of shares) {
    const reason = failed.get(share);
    const result = results.get(share.userId);
    for (const [at, position] of share.positions.entries())
      if (reason !== undefined) outcomes.set(position, { state: 'failed', reason });
      else if (result) outcomes.set(position, toOutcome(result, at === 0));
  }
  return Array.from({ length: count }, (_, position) => outcomes.get(position)).filter(
    (outcome) => outcome !== undefined,
  );
}

/** The outcome of an item; `isFirst`: of several items with one result the first has the counts. */
const toOutcome = ({ status, statusText, operationStats }: ImportResult, isFirst: boolean): ItemOutcome => {
  if (status === 2) return { state: 'failed', reason: statusText };
  const { added, alreadyProcessed, skipped } = operationStats;
  if (added === 0) return { state: 'unchanged' };
  return isFirst ? { state: 'done', before: { added, alreadyProcessed, skipped } } : { state: 'done' };
};

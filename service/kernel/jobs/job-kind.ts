import type { RouteHandlers } from '../../../contract/generated/fastify.gen.ts';
import type { Capability } from '../../../contract/generated/types.gen.ts';
import type { ExportCell } from '../../../contract/rules/tables/cells.ts';
import type { Recorder } from '../audit/change.ts';
import type { Caller } from '../auth/caller.ts';
import type { TableSheet } from '../backup-sheets.ts';
import type { Db, Tx } from '../db/database.ts';
import type { BlobStore } from '../files/blob-store.ts';
import type { FilePlace } from '../files/file-folder.ts';
import { NO_LABELS, type ItemLabels } from './item-labels.store.ts';

/** What became of an item; `reason` explains a conflict or failure in words. */
export type ItemOutcome =
  /** `before`: what the item replaced, for the inverse. */
  | { state: 'done'; before?: object }
  | { state: 'unchanged' }
  /** Changed by someone else since the plan was reviewed, and skipped. */
  | { state: 'conflict'; reason: string }
  | { state: 'failed'; reason: string };

/** What a kind works with that makes a file. */
export interface FileBatch<Parameters extends object> {
  db: Db;
  jobId: number;
  /** Store of the contents of files. */
  blobs: BlobStore;
  /** Program that converts documents to PDF (STEWARD_OFFICE). */
  officeProgram: string | undefined;
  /** Start of links in mails. */
  publicUrl: string;
  /** The owner with the rights of the start. They are checked every few seconds; `signal` fires when one is lost. */
  caller: Caller;
  parameters: Parameters;
  /** Reads the ids of the rows that the owner selected, in their order; undefined if nothing was selected. */
  readSelection(): Promise<readonly number[] | undefined>;
  /**
   * Fires when the job is paused or cancelled, its owner lost a right, the file exceeds the storage of the site, or the service stops.
   */
  signal: AbortSignal;
  /** Counts the rows written so far; stored every few seconds. */
  reportProgress(progress: { done: number; total: number }): void;
  /** Appends to the file. Resolves when more may be written. @throws Error of the file system, such as a full disk */
  write(chunk: string | Uint8Array): Promise<void>;
}

/** How far long work has come. */
export interface WorkProgress {
  done: number;
  total: number;
  /** What the job works on now: `Companies`. */
  stage?: string;
}

/** What a kind works with whose long work neither changes items nor makes a file of the job. */
export interface WorkBatch<Parameters extends object> extends FilePlace {
  db: Db;
  siteId: number;
  jobId: number;
  /** Number of this attempt; later attempts have higher ones. */
  fence: number;
  parameters: Parameters;
  /** Table sheets of all areas, in the order of a backup. */
  backupSheets: readonly TableSheet[];
  /** Start of links in mails. */
  publicUrl: string;
  /** Fires when the job is paused or cancelled, its owner lost a right, or the service stops. */
  signal: AbortSignal;
  /** Stored every few seconds. */
  reportProgress: (progress: WorkProgress) => void;
  /** Runs a transaction that writes only while this process holds the job. @throws the reason of `signal` when it does not */
  write<Result>(run: (tx: Tx) => Promise<Result>): Promise<Result>;
}

/** What a kind has done about the end of a job. */
interface Outcome {
  /** Whether it has mailed the owner, who then gets no other mail. */
  isMailed: boolean;
}

/** Long work that is done. */
export interface FinishedWork {
  /** What the notification says. */
  summary: string;
  /** Stores the result, in the transaction that ends the job. */
  save: (tx: Tx, record: Recorder) => Promise<Outcome>;
  /** Removes the result, because the job was paused, cancelled or claimed by another process before its end. */
  discard: () => Promise<void>;
}

/** A job that ended before its work was done. */
interface UnfinishedJob {
  tx: Tx;
  record: Recorder;
  siteId: number;
  jobId: number;
  parameters: object;
  /** Why the service stopped it; undefined if it was cancelled. */
  stop: Error | undefined;
  publicUrl: string;
}

/** The file that a job made. */
export interface ProducedFile {
  /** Name under which it is saved. */
  name: string;
  mediaType: string;
  rows: number;
  /** Subject of the export in the activity report: `users`. */
  subject: string;
  /** What the file contains: type, filter in words, fields, format. */
  detail: object;
  /** Days after which the file is removed; by default 7. */
  keptDays?: number;
  /** What the notification says of the file instead of its number of rows. */
  summary?: string;
  /** Stores what belongs to the file, in the transaction that ends the job. */
  save?(tx: Tx, record: Recorder): Promise<void>;
}

/** A download of the file of a job. */
export interface JobDownload {
  siteId: number;
  jobId: number;
  userId: number;
  ip: string;
  /** One of ACTIVITY_SOURCE. */
  source: number;
  /** Hash of the session or access token; undefined for a link. */
  session?: Buffer | undefined;
}

/** One transaction of a job: some of its items, to be changed together. */
export interface JobBatch<Parameters extends object, Input extends object> {
  tx: Tx;
  /** The owner with the rights of this moment. */
  caller: Caller;
  record: Recorder;
  /** Address from which the job was started. */
  ip: string;
  /** When the first batch of the job began. */
  startedAt: Date;
  parameters: Parameters;
  jobId: number;
  items: readonly Input[];
  /** Numbers of the items in the job, in the same order. */
  itemNumbers: readonly number[];
  services: JobServices;
}

/** What a batch begins with, before its transaction. */
export interface BatchStart<Parameters extends object> {
  db: Db;
  /** The owner with the rights of this moment. */
  caller: Caller;
  parameters: Parameters;
  jobId: number;
}

/** The turn of a batch that is one request, which other processes see until it ends. */
export interface BatchTurn<Input extends object> {
  /** Starts the choice of the items; called again when the transaction is repeated. */
  select(): BatchSelection<Input>;
  /** Ends the turn, whatever became of the batch. */
  end(): Promise<void>;
}

/** The items of a batch that is one request. */
export interface BatchSelection<Input extends object> {
  /** Whether the item, whose JSON has so many bytes, belongs to the batch; asked in order. The first one that does not begins the next batch. */
  takes(item: Input, bytes: number): boolean;
  /** Changes the items instead of `JobKind.run`. */
  run(batch: Pick<JobBatch<object, Input>, 'tx' | 'record' | 'items'>): Promise<readonly ItemOutcome[]>;
}

/** Dependencies of jobs besides the database. */
interface JobServices {
  /** Start of links in mails. */
  publicUrl: string;
}

/** Check of all items of a job before the first is changed. Batches come in order, so that it can compare items with earlier ones. */
interface ItemCheck<Parameters extends object, Input extends object> {
  /** Whether valid items are changed although others are invalid; otherwise the job stops and changes nothing. */
  skipsInvalid: boolean;
  /** Returns for each item, in order, why it is invalid, or undefined. It writes nothing. */
  run(batch: Omit<JobBatch<Parameters, Input>, 'record'>): Promise<readonly (string | undefined)[]>;
}

/** Request of a job: what applies to all items, and the items. */
export interface JobPlan {
  kind: string;
  parameters: object;
  items: readonly object[];
}

/** What some done items of a job need to be restored. */
interface InversePlan extends JobPlan {
  /** Items that follow those of all done items: what can only be restored when all of them are. */
  lastItems?: readonly object[];
}

/** The items of a job that is stored, for its title: a job may have more items than fit into memory. */
export interface StoredItems<Input extends object> {
  length: number;
  /**
   * The distinct combinations of these properties of the items, at most 1,000; a property that an item does not have is null.
   * Reads all items of the job.
   */
  listDistinct<Name extends keyof Input & string>(...names: Name[]): Promise<Pick<Input, Name>[]>;
  /** Number of the items that have this property. Reads all items of the job. */
  countWith(name: keyof Input & string): Promise<number>;
}

/** A column of the report of a job: what was requested of an item, or what it replaced. */
export interface ReportColumn<Input extends object> {
  heading: string;
  /** Undefined: an empty cell. Also called for items without their request, 90 days after the end of the job. */
  getValue(item: { input: Partial<Input>; before: object | null }): ExportCell | undefined;
}

/**
 * One kind of long work (architecture, "Long work"). `run` changes the items through the functions of its area and returns one outcome
 * for each, in order. If it throws an ApiError, nothing is written and the items are tried again in smaller batches; thrown for a single
 * item, the error is the item's outcome; a rate limit (429) lets the job wait until its Retry-After instead.
 */
export interface JobKind<Parameters extends object = object, Input extends object = object> {
  kind: string;
  /** The operation that starts the job: the owner needs its scope, capability and proof of presence until the end. */
  operation: keyof RouteHandlers;
  /** Capabilities that the owner needs besides those of the operation, and everybody who reads the items. */
  capabilities?: readonly Capability[];
  /** Scheduled tasks that have work after a batch. */
  wakes?: readonly string[];
  /** Changes that can remove an administrator, or change memberships of groups, exclude others of the site. */
  locksSite(parameters: Parameters): boolean;
  /** What a plan asks, as an imperative sentence without a full stop: `Set the license of 1,240 people to No License`. */
  describe(
    context: { db: Db; siteId: number },
    parameters: Parameters,
    items: StoredItems<Input>,
  ): Promise<string> | string;
  /** Name of the contract's schema of an item, for items that are uploaded in parts; without it the kind takes none. */
  itemSchema?: string;
  /** Property by which uploaded items must differ, because two of the same value contradict each other. */
  uniqueBy?: string;
  labels: ItemLabels;
  /** Begins each batch, for kinds whose batches are requests with a limit; by default their number of items follows the time that a batch takes. */
  beginBatch?(context: BatchStart<Parameters>): Promise<BatchTurn<Input>>;
  /** Items that are done or unchanged lose what was requested in the transaction that does them: personal data that nothing needs any more. */
  forgetsInputs?: boolean;
  /**
   * Lets a removal of personal data wait until the end of a transaction that uses or copies requests of items. It is called before they are
   * read, so that none comes back which was read before the removal.
   */
  lockInputs?(tx: Tx, siteId: number): Promise<void>;
  /** Loads the columns of the report after the outcome; by default one for each property that was requested or replaced. */
  loadReportColumns?(
    context: { db: Db; siteId: number },
    parameters: Parameters,
  ): Promise<readonly ReportColumn<Input>[]>;
  /** The rows of a file that the items come from, for a file of those that failed. */
  fileRows?: {
    /** Headings of the columns; undefined if the request has none. */
    getHeadings(parameters: Parameters): readonly string[] | undefined;
    /** Undefined for an item whose request was deleted. */
    getRow(input: Partial<Input>): { row: number; cells: readonly string[] } | undefined;
  };
  /** Starts the check of a job whose items depend on each other or come from a file; undefined: items are checked as they are changed. */
  startCheck?(parameters: Parameters): ItemCheck<Parameters, Input>;
  run(batch: JobBatch<Parameters, Input>): Promise<readonly ItemOutcome[]>;
  /**
   * Kinds without items write one file (`defineFileJobKind`). After a pause or a crash the file is written again. An ApiError stops the job
   * with its message.
   */
  produce?(batch: FileBatch<Parameters>): Promise<ProducedFile>;
  /**
   * Kinds with neither items nor a file of the job do their work here. After a pause, a crash or a stop of the service it is called again by
   * the next process that claims the job, and may continue what the attempt before has left. An ApiError stops the job with its message.
   */
  work?(batch: WorkBatch<Parameters>): Promise<FinishedWork>;
  /** Called in the transaction that stops or cancels a job with `work`. */
  abandon?(job: UnfinishedJob): Promise<Outcome>;
  /** Records each download of the file as an export. Without it the making of the file is recorded as one. */
  recordDownload?(tx: Tx, download: JobDownload): Promise<void>;
  /**
   * The items of a job that tries the failed items of another again; by default the same items. For kinds whose items refer to each
   * other by their numbers, which are others in the new job.
   */
  retryItems?(
    context: { tx: Tx; siteId: number; jobId: number },
    parameters: Parameters,
    failed: readonly { itemNo: number; input: Input }[],
  ): Promise<readonly object[]>;
  /**
   * The job that restores what done items replaced; undefined if nothing does. It is called with the done items in pages, because a job
   * may have more than fit into memory, and without items to learn whether the kind has an inverse.
   */
  invert?(
    parameters: Parameters,
    done: readonly { input: Input; before: object | null }[],
  ): InversePlan | undefined;
  /** `invert` gets the items from the last to the first, because later ones can depend on earlier ones. */
  invertsBackwards?: boolean;
  /** Joins the kinds and parameters that `invert` returned for two pages; by default those of all pages are equal. */
  joinInverses?(one: JobPlan, other: JobPlan): Omit<JobPlan, 'items'>;
}

/** A kind that makes a file. */
export type ProducingKind = JobKind & Required<Pick<JobKind, 'produce'>>;

export const isProducing = (kind: JobKind): kind is ProducingKind => kind.produce !== undefined;

/** A kind that does long work of its own. */
export type WorkingKind = JobKind & Required<Pick<JobKind, 'work'>>;

export const isWorking = (kind: JobKind): kind is WorkingKind => kind.work !== undefined;

/** The operation that starts jobs of a kind. @throws Error if the contract does not have it */
export function findStartOperation<Operation extends { id: string }>(
  operations: readonly Operation[],
  kind: Pick<JobKind, 'operation'>,
): Operation {
  const operation = operations.find(({ id }) => id === kind.operation);
  if (!operation) throw new Error(`The contract has no operation ${kind.operation}`);
  return operation;
}

/** All kinds by name. */
export type JobKinds = ReadonlyMap<string, JobKind>;

/**
 * Checks the types of a kind against each other and forgets them: the contract validates parameters and items of each kind before they
 * are stored, so that what the engine reads back has these types.
 */
export const defineJobKind = <Parameters extends object, Input extends object>(
  kind: JobKind<Parameters, Input>,
): JobKind => kind;

type FileJobKind<Parameters extends object> = Pick<JobKind<Parameters>, 'kind' | 'operation' | 'describe'> &
  Pick<JobKind<Parameters>, 'capabilities' | 'recordDownload'> &
  Required<Pick<JobKind<Parameters>, 'produce'>>;

const WITHOUT_ITEMS = {
  locksSite: () => false,
  labels: NO_LABELS,
  run: () => Promise.reject(new Error('Jobs of this kind have no items')),
};

/** A kind that makes a file instead of changing items. */
export const defineFileJobKind = <Parameters extends object>(kind: FileJobKind<Parameters>): JobKind =>
  defineJobKind<Parameters, object>({ ...kind, ...WITHOUT_ITEMS });

type WorkJobKind<Parameters extends object> = Pick<JobKind<Parameters>, 'kind' | 'operation' | 'describe'> &
  Required<Pick<JobKind<Parameters>, 'work' | 'abandon'>>;

/** A kind that does long work of its own. */
export const defineWorkJobKind = <Parameters extends object>(kind: WorkJobKind<Parameters>): JobKind =>
  defineJobKind<Parameters, object>({ ...kind, ...WITHOUT_ITEMS });

import type { Readable } from 'node:stream';
import type { RouteHandler } from 'fastify';
import type { RouteHandlers } from '../../../contract/generated/fastify.gen.ts';
import type { Caller, RequestOrigin } from '../auth/caller.ts';
import type { Encryption } from '../auth/encryption.ts';
import type { TableSheet } from '../backup-sheets.ts';
import type { LogRetention } from '../config.ts';
import type { Db } from '../db/database.ts';
import type { BlobStore } from '../files/blob-store.ts';
import type { Installation } from '../installation/installation.ts';
import type { JobKinds } from '../jobs/job-kind.ts';
import type { MailExample } from '../mail/examples.ts';
import type { Egress } from '../network/egress.ts';
import type { ReadItems } from './bodies/read-body.ts';
import type { UploadedFile } from './bodies/uploads.ts';
import type { Contract, Operation } from './contract.ts';
import type { OpenEvents } from './event-stream.ts';
import type { DownloadResponse, FileResponse } from './file-response.ts';

type RouteParts<Route> = Route extends RouteHandler<infer Generic> ? Generic : never;
type RoutePart<Generic, Key extends string, Otherwise> = Generic extends { [K in Key]?: infer Value }
  ? unknown extends Value
    ? Otherwise
    : NonNullable<Value>
  : Otherwise;

export type OperationId = keyof RouteHandlers;

/** The success responses of an operation by status: `{200: UserInfoResponse}`. */
type SuccessResponses<Id extends OperationId> =
  RouteParts<RouteHandlers[Id]> extends { Reply: infer Replies }
    ? Pick<Replies, Extract<keyof Replies, 200 | 202 | 204 | 302>>
    : never;

/** Dependencies of handlers and scheduled tasks besides the database; created once at start. */
export interface Services {
  /** Public address of the console, with which links in mails start. */
  publicUrl: string;
  /** Folder of this process, for files on their way to and from the store. */
  dataDir: string;
  /** Files that are not in the database: contents of files of entries, backups, files of jobs. All processes share them. */
  blobs: BlobStore;
  /** Bytes that the files of a site may use unless a limit is set for the site; null: no limit. */
  storageQuota: number | null;
  /** How long the rows of logs are kept. */
  logRetention: LogRetention;
  /** Program that converts documents to PDF (STEWARD_OFFICE); undefined: no PDF. */
  officeProgram?: string | undefined;
  /** Backup sheets of all areas, in the order in which backups hold them. */
  backupSheets: readonly TableSheet[];
  /** The mails of all areas, for previews. */
  mailExamples: readonly MailExample[];
  /** The only way to call other servers. */
  egress: Egress;
  /** What the process knows of its installation; undefined in a process that does not serve requests. */
  installation?: Installation | undefined;
  jobKinds: JobKinds;
  /** Encryption of secrets that must be read again. */
  encryption: Encryption;
  /** Runs a scheduled task now, because there is work for it. */
  wakeTask(name: string): void;
}

/** Input of a handler: the validated request in the contract's spelling, the caller, and the database. */
export interface Call<Id extends OperationId = OperationId> {
  params: RoutePart<RouteParts<RouteHandlers[Id]>, 'Params', undefined>;
  query: RoutePart<RouteParts<RouteHandlers[Id]>, 'Querystring', undefined>;
  body: RoutePart<RouteParts<RouteHandlers[Id]>, 'Body', undefined>;
  /** Files of a multipart request, in order; they are deleted after the request. */
  files: readonly UploadedFile[];
  /**
   * Reads the list of items in the body of an operation with `x-raw-body`; `itemSchema` is the name of a schema of the contract.
   * @throws ApiError 400 for invalid items or another hash than `sha256`, 413
   */
  readItems(itemSchema: string, sha256: string): Promise<ReadItems>;
  /** The body of an operation with `x-streamed-body` as it arrives. @throws Error for other operations */
  readonly bodyStream: { stream: Readable; isPacked: boolean };
  /** The contract, for bodies that the handler validates. */
  contract: Pick<Contract, 'document' | 'validateItems'>;
  ifMatch: string | undefined;
  /** `Range` header of a file download; a handler that returns a file need not evaluate it. */
  range: string | undefined;
  /** `Last-Event-ID` header: the last event that the client has received; only operations that stream events read it. */
  lastEventId: string | undefined;
  /** `Authorization` header; only the token operation reads it. */
  authorization: string | undefined;
  /** Hash of the session token in the request, valid or not; signing in ends that session. */
  sessionTokenHash: Buffer | undefined;
  /** Hash of the cookie of a known browser. */
  deviceTokenHash: Buffer | undefined;
  /** @throws Error in a public operation, which has no caller */
  caller: Caller;
  origin: RequestOrigin;
  /** All operations of the contract. */
  operations: readonly Operation[];
  db: Db;
  /** The same database for statements that only read; they are aborted when the client disconnects. */
  readDb: Db;
  /** Fires when the client disconnects. */
  signal: AbortSignal;
  /** Fires when the service stops; a handler that waits must answer then. */
  stopSignal: AbortSignal;
  services: Services;
}

/**
 * Success response: a status of the contract with its body; `json` for text that the database has serialized, `jsonParts` for text
 * that is too long for memory, a `file`, a `download`, whose bytes are created while they are sent, or `events` (event-stream.ts).
 */
export type HandlerResponse<Id extends OperationId> =
  | BodyResponse<Id>
  | { status: 200; json: string; headers?: Readonly<Record<string, string>> }
  | { status: 200; jsonParts: AsyncIterable<string>; headers?: Readonly<Record<string, string>> }
  | { status: 200; file: FileResponse }
  | { status: 200; download: DownloadResponse }
  | { status: 200; events: OpenEvents };

/** Cookies of a session that starts or gets a new token. */
export interface NewSession {
  token: string;
  expiresAt: Date;
  /** Token of the known-browser cookie; undefined if the browser is known already. */
  deviceToken?: string | undefined;
}

type BodyResponse<Id extends OperationId> = {
  [Status in keyof SuccessResponses<Id>]: {
    status: Status;
    body: SuccessResponses<Id>[Status] extends void ? undefined : SuccessResponses<Id>[Status];
    headers?: Readonly<Record<string, string>>;
    /** Session cookie of the session API: a new session, or `end`. */
    session?: NewSession | 'end';
  };
}[keyof SuccessResponses<Id>];

/** Implementation of an operation; throws ApiError for every error response. */
type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<HandlerResponse<Id>>;
export type Handlers<Ids extends OperationId = OperationId> = { [Id in Ids]: Handler<Id> };

/** Response 200 with a body. */
export const ok = <Body>(
  body: Body,
  headers?: Readonly<Record<string, string>>,
): { status: 200; body: Body; headers?: Readonly<Record<string, string>> } =>
  headers ? { status: 200, body, headers } : { status: 200, body };

/** Response 204 without a body. */
export const noContent: { status: 204; body: undefined } = { status: 204, body: undefined };

import type { RouteHandler } from 'fastify';
import type { RouteHandlers } from '../../../contract/generated/fastify.gen.ts';
import type { Caller, Origin } from '../auth/caller.ts';
import type { Seals } from '../auth/seals.ts';
import type { Db } from '../db/database.ts';
import type { Operation } from './contract.ts';
import type { FileAnswer } from './files.ts';
import type { Upload } from './uploads.ts';

type Parts<Route> = Route extends RouteHandler<infer Generic> ? Generic : never;
type Part<Generic, Key extends string, Otherwise> = Generic extends { [K in Key]?: infer Value }
  ? unknown extends Value
    ? Otherwise
    : NonNullable<Value>
  : Otherwise;

export type OperationId = keyof RouteHandlers;

/** The success answers of an operation by status: `{200: UserInfoResponse}`. */
type Successes<Id extends OperationId> =
  Parts<RouteHandlers[Id]> extends { Reply: infer Replies }
    ? Pick<Replies, Extract<keyof Replies, 200 | 202 | 204 | 302>>
    : never;

/** What handlers need besides the database; made once at start. */
export interface Services {
  /** Where people reach the console; links in mail begin with it. */
  publicUrl: string;
  /** Where files lie that are not rows: uploads, contents of fields, backups. */
  dataDir: string;
  /** Keeps secrets that have to be read again. */
  seals: Seals;
  /** Tells the outbox that a committed change left mail in it. */
  wakeMail(): void;
  /** Tells a chore that there is news for it. */
  wakeChore(name: string): void;
}

/** What a handler gets: validated input in the contract's spelling, the caller, and the database. */
export interface Call<Id extends OperationId = OperationId> {
  params: Part<Parts<RouteHandlers[Id]>, 'Params', undefined>;
  query: Part<Parts<RouteHandlers[Id]>, 'Querystring', undefined>;
  body: Part<Parts<RouteHandlers[Id]>, 'Body', undefined>;
  /** Files of a multipart request, in order; they are gone once the request is answered. */
  files: readonly Upload[];
  ifMatch: string | undefined;
  /** Part of a file that is asked for; whoever answers with a file need not look at it. */
  range: string | undefined;
  /** `Authorization` as sent; only the token operation reads it. */
  authorization: string | undefined;
  /** Hash of the session that came with the request, whether it holds or not; sign-in ends it. */
  presentedSession: Buffer | undefined;
  /** Hash of the cookie by which a browser that has signed in before is known. */
  presentedDevice: Buffer | undefined;
  /** Throws for a public operation: those have no caller. */
  caller: Caller;
  origin: Origin;
  /** Every operation of the contract. */
  operations: readonly Operation[];
  db: Db;
  /** The same for statements that read and nothing else: they end when the caller is gone. */
  reads: Db;
  /** Says when the caller no longer waits for the answer. */
  gone: AbortSignal;
  services: Services;
}

/**
 * A success: a status of the contract with the body that belongs to it; as `json` where the database has written the
 * text already, as `jsonParts` where it is too long to be held at once, or a `file`.
 */
export type Answer<Id extends OperationId> =
  | BodyAnswer<Id>
  | { status: 200; json: string; headers?: Readonly<Record<string, string>> }
  | { status: 200; jsonParts: AsyncIterable<string>; headers?: Readonly<Record<string, string>> }
  | { status: 200; file: FileAnswer };

/** A session that begins or goes on under a new secret. */
export interface NewSession {
  token: string;
  expires: Date;
  /** The secret by which this browser is known from now on; absent where it is known already. */
  device?: string | undefined;
}

type BodyAnswer<Id extends OperationId> = {
  [Status in keyof Successes<Id>]: {
    status: Status;
    body: Successes<Id>[Status] extends void ? undefined : Successes<Id>[Status];
    headers?: Readonly<Record<string, string>>;
    /** Cookies of the browser's door: a new session token, or `end`. */
    session?: NewSession | 'end';
  };
}[keyof Successes<Id>];

/** One function an operation: refusals are thrown as ApiError, everything else returned. */
type Handler<Id extends OperationId> = (call: Call<Id>) => Promise<Answer<Id>>;
export type Handlers<Ids extends OperationId = OperationId> = { [Id in Ids]: Handler<Id> };

/** The usual answer: 200 with a body. */
export const ok = <Body>(
  body: Body,
  headers?: Readonly<Record<string, string>>,
): { status: 200; body: Body; headers?: Readonly<Record<string, string>> } =>
  headers ? { status: 200, body, headers } : { status: 200, body };

/** 204: done, nothing to say. */
export const done: { status: 204; body: undefined } = { status: 204, body: undefined };

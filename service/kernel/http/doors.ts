import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { authorize } from '../auth/authorize.ts';
import type { Caller, Origin } from '../auth/caller.ts';
import { type Db, readsUntil } from '../db/database.ts';
import type { Contract, Operation } from './contract.ts';
import { ApiError, invalid, unauthorized, type FieldError } from './errors.ts';
import type { Call, NewSession, OperationId, Services } from './handler.ts';
import { type FileAnswer, sendFile } from './files.ts';
import { acceptJson } from './json.ts';
import { answerType } from './negotiate.ts';
import { begun } from './parts.ts';
import { stepHooks, type Steps } from './steps.ts';
import { acceptForms, readForm, type Upload } from './uploads.ts';

/** What every handler of the table returns, seen without its types. */
interface LooseAnswer {
  status: number;
  body?: unknown;
  json?: string;
  jsonParts?: AsyncIterable<string>;
  file?: FileAnswer;
  headers?: Readonly<Record<string, string>>;
  session?: NewSession | 'end';
}
/** Handlers by operation. Each takes the call of its own operation; the contract's validation makes that true. */
type HandlerTable = Readonly<Partial<Record<OperationId, (call: never) => Promise<LooseAnswer>>>>;

/** A way in: the programs' door (bearer tokens, `/api`) or the browser's (session cookie, `/console/api`). */
export interface Door {
  prefix: string;
  serves(operation: Operation): boolean;
  /** Finds who calls, and for whom; undefined where no credentials were sent. Throws ApiError for some that do not hold. */
  authenticate(request: FastifyRequest, operation: Operation, origin: Origin): Promise<Caller | undefined>;
  /** Runs before a caller's request is looked at any further. */
  greet?(reply: FastifyReply, caller: Caller): void;
  /** Hash of the session token that came along, unchecked. */
  presentedSession?(request: FastifyRequest): Buffer | undefined;
  /** Hash of the cookie by which the browser is known, unchecked. */
  presentedDevice?(request: FastifyRequest): Buffer | undefined;
  /** Runs before everything else of a request of this door. */
  guard?(request: FastifyRequest): void;
  /** Puts the session of an answer where this door keeps it. */
  keepSession?(reply: FastifyReply, session: NewSession | 'end'): void;
}

interface DoorSurroundings {
  db: Db;
  contract: Contract;
  handlers: HandlerTable;
  services: Services;
  steps: Steps;
  /** In tests every answer is held against the contract; one that does not fit is a 500 that says why. */
  checkAnswers: boolean;
}

const callers = new WeakMap<FastifyRequest, Caller>();
const MAX_BODY = 1_048_576;

/** Who and where from, of any request. IPv4 addresses in IPv6 clothes are undressed, so that one address has one text. */
function originOf(request: FastifyRequest): Origin {
  return {
    requestId: request.id,
    ip: request.ip.replace(/^::ffff:(?=\d+\.)/i, ''),
    userAgent: request.headers['user-agent']?.slice(0, 300),
  };
}

/** Routes every operation that the door serves: guard, 401, 403, body limits, validation, handler, answer. */
export async function openDoor(app: FastifyInstance, door: Door, around: DoorSurroundings): Promise<void> {
  await app.register(async (scope) => {
    acceptJson(scope);
    await acceptForms(scope);
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (request, body, done) => {
        const operation = request.routeOptions.config.operation;
        if (!operation?.form)
          return done(Object.assign(new Error('Unsupported Media Type'), { statusCode: 415 }));
        try {
          return done(null, formOf(body as string));
        } catch (error) {
          return done(error as Error);
        }
      },
    );
    for (const operation of around.contract.operations.filter((each) => door.serves(each))) {
      addRoute(scope, door, operation, around);
    }
  });
}

/** More fields than any form of the contract has. */
const MAX_FIELDS = 20;

/** The fields of a form; one that is given twice is a list, which no field of the contract is (RFC 6749 3.2). */
function formOf(body: string): Record<string, unknown> {
  const form = new Map<string, string | string[]>();
  let fields = 0;
  for (const [name, value] of new URLSearchParams(body)) {
    fields += 1;
    if (fields > MAX_FIELDS) throw new ApiError(413, `The form has more than ${MAX_FIELDS} fields`);
    const earlier = form.get(name);
    form.set(name, earlier === undefined ? value : [earlier, value].flat());
  }
  return Object.fromEntries(form);
}

function addRoute(app: FastifyInstance, door: Door, operation: Operation, around: DoorSurroundings): void {
  const handle = around.handlers[operation.id as OperationId];
  app.route({
    method: operation.method,
    url: door.prefix + operation.url,
    bodyLimit: operation.maxBody ?? MAX_BODY,
    config: { operation },
    onRequest: async (request, reply) => {
      door.guard?.(request);
      if (operation.access === 'public') return;
      const caller = await door.authenticate(request, operation, originOf(request));
      if (!caller) throw unauthorized(undefined, door.prefix ? undefined : 'Bearer');
      // Known before it is refused: what somebody is refused while acting is a step too.
      callers.set(request, caller);
      door.greet?.(reply, caller);
      authorize(operation, caller);
    },
    ...stepHooks(operation, around.steps, (request) => callers.get(request)),
    handler: async (request, reply) => {
      if (!request.isMultipart()) return answerTo(request, reply, { body: request.body, files: [] });
      if (!operation.multipart) throw new ApiError(415, 'This operation takes no files: send JSON');
      const { model, files, discard } = await readForm(request, around.services.dataDir);
      try {
        return await answerTo(request, reply, { body: model, files });
      } finally {
        await discard();
      }
    },
    ...(operation.binary && { compress: false }),
  });

  async function answerTo(
    request: FastifyRequest,
    reply: FastifyReply,
    { body, files }: { body: unknown; files: readonly Upload[] },
  ): Promise<FastifyReply> {
    const { parts: checked, faults } = operation.check({
      params: request.params,
      query: request.query,
      body,
    });
    if (faults.length > 0) throw refused(operation, faults);
    if (!handle) throw new ApiError(501, `${operation.id} is not built yet`);
    const answer = await handle(callOf(door, request, reply, { ...checked, files }, around) as never);
    if (answer.file) return sendFile(request, reply, answer.file);
    if (around.checkAnswers) await checkAnswer(operation, answer);
    const parts = answer.jsonParts && (await begun(answer.jsonParts));
    if (answer.session) door.keepSession?.(reply, answer.session);
    reply.code(answer.status).headers({ 'cache-control': 'no-store', ...answer.headers });
    if (operation.deprecated) reply.header('deprecation', 'true');
    const content = parts ? Readable.from(parts) : textOf(answer);
    return content === undefined
      ? reply.send()
      : reply.type(answerType(request.headers.accept)).send(content);
  }
}

/** 400 with every fault; operations with a form answer in the words of RFC 6749 5.2 besides. */
function refused(operation: Operation, faults: readonly FieldError[]): ApiError {
  const refusal = invalid(faults);
  if (!operation.form) return refusal;
  const { status, message, fields } = refusal;
  return new ApiError(status, message, fields, {}, { error: 'invalid_request', error_description: message });
}

/** Whether the connection was closed before the answer had gone out. */
function goneOf({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort();
  });
  return controller.signal;
}

function callOf(
  door: Door,
  request: FastifyRequest,
  reply: FastifyReply,
  parts: { params: unknown; query: unknown; body: unknown; files: readonly Upload[] },
  around: DoorSurroundings,
): Call {
  const gone = goneOf(reply);
  let reads: Db | undefined;
  return {
    ...(parts as Pick<Call, 'params' | 'query' | 'body' | 'files'>),
    ifMatch: request.headers['if-match'],
    range: request.headers.range,
    authorization: request.headers.authorization,
    origin: originOf(request),
    presentedSession: door.presentedSession?.(request),
    presentedDevice: door.presentedDevice?.(request),
    operations: around.contract.operations,
    db: around.db,
    services: around.services,
    gone,
    get reads(): Db {
      return (reads ??= readsUntil(around.db, gone));
    },
    get caller(): Caller {
      const caller = callers.get(request);
      if (!caller) throw new Error('A public operation asked for its caller');
      return caller;
    },
  };
}

const textOf = ({ json, body }: LooseAnswer): string | undefined =>
  json ?? (body === undefined ? undefined : JSON.stringify(body));

/** Holds an answer against the contract; one in parts is put together for it. */
async function checkAnswer(operation: Operation, answer: LooseAnswer): Promise<void> {
  if (answer.jsonParts) {
    answer.json = (await Array.fromAsync(answer.jsonParts)).join('');
    delete answer.jsonParts;
  }
  const body: unknown = answer.json === undefined ? answer.body : JSON.parse(answer.json);
  const faults = operation.checkAnswer(answer.status, body);
  if (faults.length > 0)
    throw new Error(`${operation.id} answered what the contract does not say: ${JSON.stringify(faults)}`);
}

import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ApiError, badRequest, unauthorized, type FieldError } from '../api-error.ts';
import { authorize } from '../auth/authorize.ts';
import { UNKNOWN_ADDRESS, type Caller, type RequestOrigin } from '../auth/caller.ts';
import { type AssumingDb, createBudget, type Db, openForUser, withSite } from '../db/database.ts';
import type { Budget } from '../db/driver/budget.ts';
import { createAuditTrailRecorder, type AuditTrail } from './audit-trail.ts';
import type { BodyReader } from './bodies/body-reader.ts';
import type { CheckedBody } from './bodies/read-body.ts';
import { acceptForm } from './bodies/refused-bodies.ts';
import { registerMultipart, parseMultipartForm, type UploadedFile } from './bodies/uploads.ts';
import type { Contract, Operation } from './contract.ts';
import { sendEvents, type OpenEvents } from './event-stream.ts';
import { type DownloadResponse, type FileResponse, sendDownload, sendFile } from './file-response.ts';
import { awaitFirstPart } from './first-part.ts';
import type { Call, NewSession, OperationId, Services } from './handler.ts';
import { registerJsonParsers, registerStreamParsers, negotiateMediaType } from './json.ts';
import { formatReadEtag, matchesEtag } from './parameters.ts';

/** The response of any handler, without the types of its operation. */
interface UntypedResponse {
  status: number;
  body?: unknown;
  json?: string;
  jsonParts?: AsyncIterable<string>;
  file?: FileResponse;
  download?: DownloadResponse;
  events?: OpenEvents;
  headers?: Readonly<Record<string, string>>;
  session?: NewSession | 'end';
}
/** Handlers by operation. Each expects the call of its own operation, which the validation guarantees. */
type HandlerTable = Readonly<Partial<Record<OperationId, (call: never) => Promise<UntypedResponse>>>>;

/** One of the two APIs: the bearer API (access tokens, `/api`) or the session API (session cookie, `/console/api`). */
export interface ApiSurface {
  prefix: string;
  serves(operation: Operation): boolean;
  /**
   * The caller that the request is assumed to have, before anything is read; undefined if nothing is assumed. Nothing of the request is
   * answered or committed before the assumption is confirmed, and the request starts again when it is not.
   */
  assumeCaller?(
    request: FastifyRequest,
    operation: Operation,
    origin: RequestOrigin,
  ): AssumedCaller | undefined;
  /** Finds the caller; undefined without credentials. @throws ApiError for invalid credentials */
  authenticate(
    request: FastifyRequest,
    operation: Operation,
    origin: RequestOrigin,
  ): Promise<Caller | undefined>;
  /** Runs after authentication, before authorization. */
  onAuthenticated?(reply: FastifyReply, caller: Caller): void;
  /** Hash of the session token in the request, whether it is valid or not. */
  getSessionTokenHash?(request: FastifyRequest): Buffer | undefined;
  /** Hash of the cookie of a known browser, whether it is valid or not. */
  getDeviceTokenHash?(request: FastifyRequest): Buffer | undefined;
  /** Runs first for every request. @throws ApiError for a request that this API does not accept */
  checkRequest?(request: FastifyRequest): void;
  /** Sets or clears the session cookie in the response. */
  setSession?(reply: FastifyReply, session: NewSession | 'end'): void;
}

/** A caller with the database for the request that confirms it. */
interface AssumedCaller extends AssumingDb {
  caller: Caller;
  onConfirmed(): void;
}

interface ApiDependencies {
  db: Db;
  contract: Contract;
  handlers: HandlerTable;
  services: Services;
  auditTrail: AuditTrail;
  bodyReader: BodyReader;
  /** Used by tests: every response is validated against the contract; an invalid one becomes a 500. */
  validateResponses: boolean;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The authenticated caller; while acting for a principal, the proxy. */
    caller: Caller | null;
    assumedCaller: AssumedCaller | null;
    origin: RequestOrigin | null;
  }
}

/** Adds what the service knows of a request to it. Properties cost less than weak maps, which the garbage collector examines. */
export function decorateRequests(app: FastifyInstance): void {
  for (const name of ['caller', 'assumedCaller', 'origin'] as const) app.decorateRequest(name, null);
}

/**
 * The client address. A trusted proxy may have reported something else: that is no address, and all of it counts as one in rate
 * limits.
 */
function normalizeAddress(ip: string): string {
  const address = ip.startsWith('::') ? ip.replace(/^::ffff:(?=\d+\.)/i, '') : ip;
  return isIP(address) ? address : UNKNOWN_ADDRESS;
}

/** Origin of a request. IPv4-mapped IPv6 addresses become IPv4, so that one address has one notation. */
export function getOrigin(request: FastifyRequest): RequestOrigin {
  return (request.origin ??= {
    requestId: request.id,
    ip: normalizeAddress(request.ip),
    userAgent: request.headers['user-agent']?.slice(0, 300),
  });
}

/** Adds a route for every operation of the API: request check, authentication, authorization, body limits, validation, handler. */
export async function registerApiSurface(
  app: FastifyInstance,
  surface: ApiSurface,
  dependencies: ApiDependencies,
): Promise<void> {
  await app.register(async (scope) => {
    registerJsonParsers(scope, dependencies.bodyReader);
    await registerMultipart(scope);
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'string' },
      (request, body, done) => {
        const operation = request.routeOptions.config.operation;
        if (!operation?.isForm)
          return done(Object.assign(new Error('Unsupported Media Type'), { statusCode: 415 }));
        try {
          return done(null, operation.validateBody(parseForm(body as string)));
        } catch (error) {
          return done(error as Error);
        }
      },
    );
    const operations = dependencies.contract.operations.filter((operation) => surface.serves(operation));
    for (const operation of operations)
      if (!operation.hasStreamedBody) addRoute(scope, surface, operation, dependencies);
    await scope.register(async (streamed) => {
      registerStreamParsers(streamed);
      for (const operation of operations)
        if (operation.hasStreamedBody) addRoute(streamed, surface, operation, dependencies);
    });
    addWrongMethodRoutes(scope, surface, dependencies.contract);
  });
}

/** More than any form of the contract has. */
const MAX_FORM_FIELDS = 20;

/** Parses an URL-encoded form. A repeated field becomes a list, which the validation rejects (RFC 6749 3.2). */
function parseForm(body: string): Record<string, unknown> {
  const form = new Map<string, string | string[]>();
  let fieldCount = 0;
  for (const [name, value] of new URLSearchParams(body)) {
    fieldCount += 1;
    if (fieldCount > MAX_FORM_FIELDS)
      throw new ApiError(413, `The form has more than ${MAX_FORM_FIELDS} fields`);
    const previous = form.get(name);
    form.set(name, previous === undefined ? value : [previous, value].flat());
  }
  return Object.fromEntries(form);
}

/** Body and files of a request, and the time that it may wait for the database. */
interface RequestInput {
  body: CheckedBody;
  files: readonly UploadedFile[];
  budget: Budget | undefined;
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'] as const;

/** Answers every other method of the paths of the contract with 405 and `Allow` (RFC 9110 15.5.6), without credentials. */
function addWrongMethodRoutes(app: FastifyInstance, surface: ApiSurface, { operations }: Contract): void {
  const allowedByUrl = new Map<string, Set<string>>();
  for (const operation of operations) {
    if (!surface.serves(operation)) continue;
    const allowed = allowedByUrl.get(operation.url) ?? new Set();
    allowedByUrl.set(operation.url, allowed.add(operation.method));
    // The router answers HEAD like GET.
    if (operation.method === 'GET') allowed.add('HEAD');
  }
  for (const [url, allowed] of allowedByUrl) {
    const allow = METHODS.filter((method) => allowed.has(method)).join(', ');
    app.route({
      method: METHODS.filter((method) => !allowed.has(method)),
      url: surface.prefix + url,
      // Before the body is read.
      onRequest: async ({ method }) => {
        throw new ApiError(405, `This address does not accept ${method}, only ${allow}`, [], { allow });
      },
      handler: () => {},
    });
  }
}

/** @throws Error where no area handles the operation */
function getHandler({ handlers }: ApiDependencies, { id }: Operation) {
  const handler = handlers[id as OperationId];
  if (!handler) throw new Error(`No area handles ${id}`);
  return handler;
}

function addRoute(
  app: FastifyInstance,
  surface: ApiSurface,
  operation: Operation,
  dependencies: ApiDependencies,
): void {
  const handle = getHandler(dependencies, operation);
  const recorder = createAuditTrailRecorder(
    operation,
    dependencies.auditTrail,
    ({ caller }) => caller ?? undefined,
  );
  app.route({
    method: operation.method,
    url: surface.prefix + operation.url,
    bodyLimit: operation.maxBodyBytes,
    config: { operation },
    // The hooks wait for nothing in most requests; a promise of each would cost more than what they do.
    onRequest: (request, reply, done) => {
      let isAdmitted: boolean;
      try {
        if (operation.deprecation) reply.headers(operation.deprecation);
        surface.checkRequest?.(request);
        isAdmitted = operation.access === 'public' || assumeCaller(request);
      } catch (error) {
        return done(error as Error);
      }
      if (isAdmitted) return done();
      const admit = () => {
        if (operation.hasStreamedBody) acceptForm(request);
        done();
      };
      return void authenticate(request, reply).then(admit, done);
    },
    ...(recorder && {
      preHandler: (request, _reply, done) => {
        let started: Promise<void> | undefined;
        try {
          started = recorder.start(request);
        } catch (error) {
          return done(error as Error);
        }
        if (!started) return done();
        // oxlint-disable-next-line promise/no-callback-in-promise -- as Fastify does with the promise of a hook
        return void started.then(() => done(), done);
      },
      onResponse: (request, reply, done) => {
        recorder.finish(request, reply);
        done();
      },
    }),
    // Fastify waits for the promise and passes its error on, which the type does not say.
    // oxlint-disable-next-line typescript/no-misused-promises
    errorHandler: (error, request, reply) => handleError(error, request, reply),
    handler: async (request, reply) => {
      // The statements of a streamed body last as long as the client sends.
      const budget = operation.hasStreamedBody ? undefined : createBudget(dependencies.db);
      if (!request.isMultipart()) {
        const body = (request.body as CheckedBody | undefined) ?? operation.validateBody(undefined);
        return handleRequest(request, reply, { body, files: [], budget });
      }
      if (!operation.acceptsMultipart)
        throw new ApiError(415, 'This operation does not accept files: send JSON');
      const { model, files, discard } = await parseMultipartForm(
        request,
        dependencies.services.dataDir,
        (bytes) => dependencies.bodyReader.read(operation, bytes),
      );
      try {
        return await handleRequest(request, reply, { body: model, files, budget });
      } finally {
        await discard();
      }
    },
    ...(operation.returnsFile && { compress: false }),
  });

  /** @throws ApiError 401, 403 */
  async function authenticate(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const caller = await surface.authenticate(request, operation, getOrigin(request));
    if (!caller) throw unauthorized(undefined, surface.prefix ? undefined : 'Bearer');
    // Before authorization: the audit trail of a proxy includes rejected requests.
    request.caller = caller;
    surface.onAuthenticated?.(reply, caller);
    authorize(operation, caller);
  }

  /** Whether the request goes on with an assumed caller, who may call the operation. */
  function assumeCaller(request: FastifyRequest): boolean {
    // The files of a form are received before the first statement.
    if (operation.hasStreamedBody) return false;
    if (request.headers['content-type']?.startsWith('multipart/')) return false;
    const assumed = surface.assumeCaller?.(request, operation, getOrigin(request));
    if (!assumed) return false;
    try {
      authorize(operation, assumed.caller);
    } catch {
      // Only a confirmed caller is refused.
      return false;
    }
    request.caller = assumed.caller;
    request.assumedCaller = assumed;
    return true;
  }

  /** Reports an error that occurred before the handler, such as one of the body, only to a caller who is confirmed. */
  async function handleError(error: Error, request: FastifyRequest, reply: FastifyReply): Promise<never> {
    const assumed = request.assumedCaller;
    request.assumedCaller = null;
    if (assumed && !(await assumed.isConfirmed())) await authenticate(request, reply);
    else assumed?.onConfirmed();
    throw error;
  }

  /** Calls the handler; again with the confirmed caller if the request had another one than assumed. */
  async function respond(
    request: FastifyRequest,
    reply: FastifyReply,
    input: RequestInput,
  ): Promise<UntypedResponse> {
    const assumed = request.assumedCaller;
    if (!assumed) return callHandler(request, reply, input, dependencies.db);
    let response: UntypedResponse | undefined;
    let failure: { error: unknown } | undefined;
    try {
      response = await callHandler(request, reply, input, assumed.db);
    } catch (error) {
      failure = { error };
    }
    const isConfirmed = await assumed.isConfirmed();
    request.assumedCaller = null;
    if (!isConfirmed) {
      await authenticate(request, reply);
      await recorder?.start(request);
      return callHandler(request, reply, input, dependencies.db);
    }
    assumed.onConfirmed();
    surface.onAuthenticated?.(reply, assumed.caller);
    if (response) return response;
    throw failure?.error;
  }

  function callHandler(
    request: FastifyRequest,
    reply: FastifyReply,
    { body, files, budget }: RequestInput,
    db: Db,
  ): Promise<UntypedResponse> {
    const { params, query } = request;
    const { parts, errors } = operation.validateParameters({ params, query });
    if (errors.length + body.errors.length > 0)
      throw toValidationError(operation, [...errors, ...body.errors]);
    const call = createCall(
      surface,
      request,
      reply,
      { ...parts, body, files, budget },
      { ...dependencies, db },
    );
    return handle(call as never);
  }

  async function handleRequest(
    request: FastifyRequest,
    reply: FastifyReply,
    input: RequestInput,
  ): Promise<FastifyReply> {
    const response = await respond(request, reply, input);
    const chunks = response.download && (await awaitFirstPart(response.download.chunks));
    if (dependencies.validateResponses) await requireValidResponse(operation, response);
    const jsonParts = response.jsonParts && (await awaitFirstPart(response.jsonParts));
    // What follows lasts as long as the client reads.
    input.budget?.lift();
    if (response.file)
      return sendFile(request, reply, { blobs: dependencies.services.blobs, file: response.file });
    if (response.events) return sendEvents(request, reply, response.events);
    if (response.download && chunks) return sendDownload(reply, { ...response.download, chunks });
    if (response.session) surface.setSession?.(reply, response.session);
    reply.code(response.status).header('cache-control', 'no-store');
    if (response.headers) reply.headers(response.headers);
    const content = jsonParts ? Readable.from(jsonParts) : serializeBody(response);
    if (operation.method === 'GET' && response.headers?.['etag'] && typeof content === 'string') {
      const etag = formatReadEtag(response.headers['etag'], content);
      reply.header('etag', etag);
      if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send();
    }
    return content === undefined
      ? reply.send()
      : reply.type(negotiateMediaType(request.headers.accept)).send(content);
  }
}

/** 400 with all validation errors; for forms also with the members of RFC 6749 5.2. */
function toValidationError(operation: Operation, errors: readonly FieldError[]): ApiError {
  const error = badRequest(errors);
  if (!operation.isForm) return error;
  const { status, message, fields } = error;
  return new ApiError(status, message, fields, {}, { error: 'invalid_request', error_description: message });
}

/** Fires when the connection is closed before the response has been sent completely. */
export function createDisconnectSignal({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController();
  const abort = () => {
    if (!raw.writableFinished) controller.abort();
  };
  if (raw.closed) abort();
  else raw.once('close', abort);
  return controller.signal;
}

function createCall(
  surface: ApiSurface,
  request: FastifyRequest,
  reply: FastifyReply,
  { body, budget, ...parts }: RequestInput & { params: unknown; query: unknown },
  { bodyReader, contract, db, services }: ApiDependencies,
): Call {
  const { siteId, userId } = request.caller ?? {};
  const opened = openForUser(withSite(db, siteId), userId, budget);
  let signal: AbortSignal | undefined;
  let readDb: Db | undefined;
  return {
    ...(parts as Pick<Call, 'params' | 'query' | 'files'>),
    body: body.value as Call['body'],
    async readItems(itemSchema, sha256) {
      if (!body.bytes) throw new Error('The operation does not have x-raw-body');
      const items = await bodyReader.readItems(itemSchema, sha256, body.bytes);
      if (items.errors.length > 0) throw badRequest(items.errors);
      return items;
    },
    get bodyStream() {
      if (!body.stream) throw new Error('The operation does not have x-streamed-body');
      return { stream: body.stream, isPacked: request.headers['content-encoding'] !== undefined };
    },
    contract,
    ifMatch: request.headers['if-match'],
    range: request.headers.range,
    lastEventId: request.headers['last-event-id']?.toString(),
    authorization: request.headers.authorization,
    origin: getOrigin(request),
    sessionTokenHash: surface.getSessionTokenHash?.(request),
    deviceTokenHash: surface.getDeviceTokenHash?.(request),
    operations: contract.operations,
    db: opened.db,
    services,
    // Made for those who use it: most handlers do not wait.
    get signal(): AbortSignal {
      return (signal ??= createDisconnectSignal(reply));
    },
    stopSignal: request.server.drain.signal,
    get readDb(): Db {
      return (readDb ??= opened.createReadDb(this.signal));
    },
    get caller(): Caller {
      const { caller } = request;
      if (!caller) throw new Error('A public operation has no caller');
      return caller;
    },
  };
}

const serializeBody = ({ json, body }: UntypedResponse): string | undefined =>
  json ?? (body === undefined ? undefined : JSON.stringify(body));

/** @throws Error when the response violates the contract. Joins the parts of a streamed response for this. */
async function requireValidResponse(operation: Operation, response: UntypedResponse): Promise<void> {
  if (response.file || response.events || response.download) return;
  if (response.jsonParts) {
    response.json = (await Array.fromAsync(response.jsonParts)).join('');
    delete response.jsonParts;
  }
  const body: unknown = response.json === undefined ? response.body : JSON.parse(response.json);
  const errors = operation.validateResponse(response.status, body);
  if (errors.length > 0)
    throw new Error(`The response of ${operation.id} violates the contract: ${JSON.stringify(errors)}`);
  if (operation.isConditional && !response.headers?.['etag'])
    throw new Error(`The response of ${operation.id} has no ETag`);
}

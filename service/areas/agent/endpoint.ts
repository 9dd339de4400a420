/** The endpoint of the agent server: Model Context Protocol over streamable HTTP, without sessions (shapes 8). */
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import {
  ApiError,
  badRequest,
  type FieldError,
  forbidden,
  retryLater,
  unauthorized,
} from '../../kernel/api-error.ts';
import type { RequestOrigin } from '../../kernel/auth/caller.ts';
import { createCache } from '../../kernel/cache.ts';
import {
  assume,
  type AssumingDb,
  createBudget,
  type Db,
  withAbortSignal,
  withBudget,
  withReadOnly,
  withSite,
} from '../../kernel/db/database.ts';
import { createDisconnectSignal, getOrigin } from '../../kernel/http/api-surface.ts';
import { type CheckedBody, readJsonBody } from '../../kernel/http/bodies/read-body.ts';
import type { Contract } from '../../kernel/http/contract.ts';
import { reportError } from '../../kernel/http/error-responses.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { toStorableText } from '../../kernel/texts.ts';
import { type AgentRow, findAgent, isAccessToken, selectAgent } from './access/agents.store.ts';
import { RESOURCE_METADATA_PATH } from './access/authorization-routes.ts';
import { SCOPE } from './access/authorization-server.ts';
import { requireUsable } from './access/require-usable.ts';
import { AGENT_PATH } from './access/settings.ts';
import type { LedgerRow } from './ledger.store.ts';
import type { EndedCall, Ledger, LimitCheck, PendingUse } from './ledger.ts';
import type { CallLimits } from './limits.ts';
import type { Answer, Exchange, FinishedCall, Message, Protocol } from './protocol.ts';
import { createAgentCaller } from './tools/call-tool.ts';
import { createReadRules } from './tools/read-rules.ts';
import { toolsByName } from './tools/tools.ts';

export interface AgentEndpointOptions {
  db: Db;
  contract: Contract;
  services: Services;
  ledger: Ledger;
  limits: CallLimits;
}

const MAX_BODY_BYTES = 262_144;
const MAX_CACHED_AGENTS = 10_000;
/** Time between two checks whether the agents of running calls may still read. */
const RECHECK_INTERVAL_MS = 400;
/** Longer arguments are left out of the ledger. */
const MAX_LEDGER_ARGUMENTS = 4_000;
const MAX_CLIENT_NAME = 80;

const SERVER_ERROR = -32_000;
const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;

/** A request with its agent. */
interface AgentRequest {
  agent: AgentRow;
  origin: RequestOrigin;
  secretHash: Buffer;
  /** Whether the agent is the one that the last request with this key had, and must be confirmed. */
  isAssumed: boolean;
}

/** A request while it is answered. */
interface Progress {
  /** What runs with an agent that is confirmed, or was found for this request. */
  exchange: Exchange | undefined;
  /** The message of the limit that refused the call. */
  refusal: string | undefined;
}

/** Registers the endpoint: POST for messages, 405 for everything else, because there are neither streams nor sessions. */
export async function registerAgentEndpoint(
  app: FastifyInstance,
  options: AgentEndpointOptions,
): Promise<void> {
  const { db, services, ledger } = options;
  const agents = createCache<AgentRow>({ maxEntries: MAX_CACHED_AGENTS });
  const requests = new WeakMap<FastifyRequest, AgentRequest>();
  const lastRefusals = new Map<number, number>();
  let protocol: Promise<Protocol> | undefined;
  /** Loaded with the first message, for the memory and the start of services that never get one (decision 0043). */
  const loadProtocol = (): Promise<Protocol> =>
    (protocol ??= import('./protocol.ts').then(({ createProtocol }) => createProtocol(MAX_BODY_BYTES)));
  let readOnlyDb: Db | undefined;
  /** Made with the first call, which most services never get. */
  const getReadOnlyDb = (): Db => (readOnlyDb ??= withReadOnly(db));
  const allowedOrigins = listAllowedOrigins(services.publicUrl);
  /** Checks of the calls that are running. One timer for all: most calls end before it fires. */
  const running = new Set<() => Promise<void>>();
  const timer = setInterval(() => {
    for (const recheck of running) void recheck();
  }, RECHECK_INTERVAL_MS).unref();
  app.addHook('onClose', async () => {
    clearInterval(timer);
    await (await protocol)?.close();
    await ledger.stop();
  });

  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser(
      'application/json',
      { parseAs: 'buffer' },
      async (_request: FastifyRequest, body: Buffer) => readMessage(body),
    );
    scope.setErrorHandler((error: FastifyError | ApiError, request, reply) =>
      sendRpcError(request, addChallenge(request, reply, error), error),
    );
    scope.route({
      method: 'POST',
      url: AGENT_PATH,
      bodyLimit: MAX_BODY_BYTES,
      onRequest: async (request) => {
        requireAllowedOrigin(request, allowedOrigins);
        if (request.headers['content-encoding'])
          throw new ApiError(415, 'Compressed request bodies are not accepted');
        requests.set(request, await identify(request));
      },
      handler: async (request, reply) => respond(request, reply),
    });
    scope.route({
      method: ['GET', 'HEAD', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'],
      url: AGENT_PATH,
      onRequest: async ({ method }) => {
        throw new ApiError(405, `The agent server accepts POST only, not ${method}`, [], { allow: 'POST' });
      },
      handler: () => {},
    });
  });

  /** Tells clients without a valid credential where they get one (RFC 9728 5.1). */
  function addChallenge(
    { headers }: FastifyRequest,
    reply: FastifyReply,
    error: FastifyError | ApiError,
  ): FastifyReply {
    if (!(error instanceof ApiError && error.status === 401)) return reply;
    const parts = [
      'realm="steward"',
      ...(headers.authorization === undefined ? [] : ['error="invalid_token"']),
      `resource_metadata="${services.publicUrl}${RESOURCE_METADATA_PATH}"`,
      `scope="${SCOPE}"`,
    ];
    return reply.header('www-authenticate', `Bearer ${parts.join(', ')}`);
  }

  /** The agent of the request; assumed if its key was used before. @throws ApiError 401, 403 */
  async function identify(request: FastifyRequest): Promise<AgentRequest> {
    const secret = /^bearer ([\w.~+/=-]{1,200})$/i.exec(request.headers.authorization ?? '')?.[1];
    if (secret === undefined)
      throw unauthorized('Send an agent key or an access token: Authorization: Bearer');
    const secretHash = hashSecret(secret);
    const origin = getOrigin(request);
    const known = agents.get(secretHash.toString('base64url'));
    if (known) return { agent: known, origin, secretHash, isAssumed: true };
    return { agent: await authenticate(secretHash, origin.ip), origin, secretHash, isAssumed: false };
  }

  /** @throws ApiError 401, 403 */
  async function authenticate(secretHash: Buffer, ip: string): Promise<AgentRow> {
    const key = secretHash.toString('base64url');
    const agent = await findAgent(db, secretHash, ip);
    if (!agent && (await isAccessToken(db, secretHash)))
      throw forbidden('The agent server accepts credentials of agents only, not access tokens of the API');
    requireUsable(agent, ip);
    agents.set(key, agent);
    return agent;
  }

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const message = requireMessage(request.body);
    const known = requests.get(request);
    if (!known) throw new Error('The request has no agent');
    const signal = createDisconnectSignal(reply);
    const isCall = message.method === 'tools/call';
    if (isCall && !ledger.isWritable)
      throw retryLater(503, 'The ledger of the agent server cannot be written right now', 5);
    const progress: Progress = { exchange: undefined, refusal: undefined };
    if (isCall) ledger.begin(known.agent.siteId, known.agent.keyId);
    try {
      const { status, type, text } = await exchangeMessage(request, message, known, signal, progress);
      reply.code(status).header('cache-control', 'no-store');
      if (type !== null) reply.type(type);
      return await reply.send(text === '' ? undefined : text);
    } finally {
      if (isCall) void endCall(request, message, known, progress);
    }
  }

  /** Stores a call that has begun, once it has ended. Never rejects: nobody waits for it. */
  async function endCall(
    request: FastifyRequest,
    message: Message,
    known: AgentRequest,
    { exchange, refusal }: Progress,
  ): Promise<void> {
    const { siteId, keyId } = known.agent;
    try {
      const call = await exchange?.call;
      if (exchange && call) ledger.record(toEndedCall(request, message, exchange, call));
      else if (refusal !== undefined && isFirstRefusal(keyId)) {
        const row = toRefusalRow(request, message, known, refusal);
        ledger.record({ ...row, toRow: () => row });
      } else ledger.abandon(siteId, keyId);
    } catch (error) {
      request.log.error({ err: error }, 'A call of an agent could not be added to the ledger');
      ledger.abandon(siteId, keyId);
    }
  }

  /** Answers a message; again with the confirmed agent if it is not as assumed. @throws ApiError 401, 403, 429 */
  async function exchangeMessage(
    request: FastifyRequest,
    message: Message,
    { agent, origin, secretHash, isAssumed }: AgentRequest,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<Answer> {
    const { ip } = origin;
    const isCall = message.method === 'tools/call';
    const openCheck = () => (isCall ? ledger.openCheck(agent.siteId, agent.keyId) : undefined);
    if (isAssumed) {
      const check = openCheck();
      const assumed = assumeAgent(agent, { secretHash, ip, check });
      const exchange = createExchange({ agent, origin, secretHash }, assumed.db);
      const [outcome] = await Promise.allSettled([dispatch(request, message, exchange, signal)]);
      const isConfirmed = await assumed.isConfirmed().finally(() => check?.close());
      if (isConfirmed) {
        progress.exchange = exchange;
        if (outcome.status === 'rejected') throw outcome.reason;
        return outcome.value;
      }
    }
    const check = openCheck();
    // The first call of a key reads its counters again: others may have been stored since they were read.
    const reading = isAssumed || isCall ? authenticate(secretHash, ip) : Promise.resolve(agent);
    const present = await reading.finally(() => check?.close());
    const refusal = check && findLimitRefusal(present, check.getPending(), options.limits);
    progress.refusal = refusal?.message;
    if (refusal) throw retryLater(429, refusal.message, refusal.seconds);
    progress.exchange = createExchange({ agent: present, origin, secretHash }, getReadOnlyDb());
    return dispatch(request, message, progress.exchange, signal);
  }

  /** The database for a request whose agent is assumed to be unchanged and within its limits. */
  function assumeAgent(
    agent: AgentRow,
    { secretHash, ip, check }: { secretHash: Buffer; ip: string; check: LimitCheck | undefined },
  ): AssumingDb {
    return assume(getReadOnlyDb(), selectAgent(secretHash, ip), ([row]) => {
      if (!row || !isSameAgent(row, agent)) return false;
      return !check || !findLimitRefusal(row, check.getPending(), options.limits);
    });
  }

  function createExchange(
    { agent, origin, secretHash }: Omit<AgentRequest, 'isAssumed'>,
    readOnly: Db,
  ): Exchange {
    const stop = new AbortController();
    const caller = createAgentCaller({ ...agent, tokenHash: secretHash });
    return {
      agent,
      stop,
      call: undefined,
      context: {
        caller,
        rules: createReadRules(agent.entryTypeIds, agent),
        db: withAbortSignal(
          withBudget(withSite(readOnly, agent.siteId), createBudget(readOnly)),
          stop.signal,
        ),
        signal: stop.signal,
        origin,
        contract: options.contract,
        services,
      },
    };
  }

  /** Answers the message as the protocol says, until the client disconnects or the agent may no longer read. */
  async function dispatch(
    request: FastifyRequest,
    message: Message,
    exchange: Exchange,
    disconnected: AbortSignal,
  ): Promise<Answer> {
    const { stop, context } = exchange;
    const { promise: refused, reject } = Promise.withResolvers<never>();
    refused.catch(() => {});
    const handleDisconnect = () => stop.abort();
    disconnected.addEventListener('abort', handleDisconnect, { once: true });
    const recheck = async () => {
      try {
        const present = await findAgent(db, context.caller.tokenHash, context.origin.ip);
        requireUsable(present, context.origin.ip);
        if (!isSameAgent(present, exchange.agent))
          throw retryLater(503, 'What this agent may read has changed: call again', 1);
      } catch (error) {
        // Without an answer of the database nothing is known.
        if (!(error instanceof ApiError)) return;
        stop.abort(error);
        reject(error);
      }
    };
    running.add(recheck);
    try {
      const answering = await loadProtocol();
      return await Promise.race([answering.exchange(request, message, exchange), refused]);
    } finally {
      running.delete(recheck);
      disconnected.removeEventListener('abort', handleDisconnect);
    }
  }

  /** Whether no refusal by a limit was stored for the key in this minute: an agent that goes on would fill the ledger. */
  function isFirstRefusal(keyId: number): boolean {
    const minute = Math.floor(Date.now() / 60_000);
    if (lastRefusals.get(keyId) === minute) return false;
    if (lastRefusals.size > MAX_CACHED_AGENTS) lastRefusals.clear();
    lastRefusals.set(keyId, minute);
    return true;
  }
}

/** Properties that differ with every call. */
const USE: ReadonlySet<string> = new Set<keyof AgentRow>([
  'dayCalls',
  'minuteCalls',
  'minuteRows',
  'siteMinuteCalls',
  'minuteLeft',
  'dayLeft',
]);

/** Whether two rows describe the same agent with the same rights, however much it was used. */
function isSameAgent(one: Readonly<AgentRow>, other: Readonly<AgentRow>): boolean {
  // The type of a row lists its columns.
  const names = Object.keys(one) as (keyof AgentRow)[];
  return names.every((name) => {
    if (USE.has(name)) return true;
    const [value, otherValue] = [one[name], other[name]];
    if (!Array.isArray(value) || !Array.isArray(otherValue)) return value === otherValue;
    return value.length === otherValue.length && value.every((item, at) => item === otherValue[at]);
  });
}

/** The limit that a call exceeds; `pending` includes the call itself. */
function findLimitRefusal(
  agent: AgentRow,
  pending: { key: PendingUse; siteCalls: number },
  limits: CallLimits,
): { message: string; seconds: number } | undefined {
  const { callsPerDay, minuteLeft, dayLeft } = agent;
  if (callsPerDay !== null && agent.dayCalls + pending.key.calls > callsPerDay)
    return { message: `The budget of this key is ${callsPerDay} calls in a UTC day`, seconds: dayLeft };
  if (agent.minuteCalls + pending.key.calls > limits.callsPerMinute)
    return { message: `At most ${limits.callsPerMinute} calls of a key per minute`, seconds: minuteLeft };
  if (agent.minuteRows + pending.key.rows >= limits.rowsPerMinute)
    return { message: `At most ${limits.rowsPerMinute} rows of a key per minute`, seconds: minuteLeft };
  if (agent.siteMinuteCalls + pending.siteCalls > limits.siteCallsPerMinute)
    return {
      message: `At most ${limits.siteCallsPerMinute} calls of all agents of the site per minute`,
      seconds: minuteLeft,
    };
  return undefined;
}

/** Origins whose pages may call the agent server: the console's own, and pages of this machine for a service on it. */
function listAllowedOrigins(publicUrl: string): (origin: URL) => boolean {
  const own = new URL(publicUrl);
  const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);
  return (origin) =>
    origin.origin === own.origin || (loopback.has(own.hostname) && loopback.has(origin.hostname));
}

/** Refuses requests that a page of another website sent through a browser (DNS rebinding). @throws ApiError 403 */
function requireAllowedOrigin({ headers }: FastifyRequest, isAllowed: (origin: URL) => boolean): void {
  const { origin } = headers;
  if (origin === undefined) return;
  if (!URL.canParse(origin) || !isAllowed(new URL(origin)))
    throw forbidden('This request comes from another website');
}

/**
 * Parses a body by the rules of every JSON body of the service: UTF-8, depth, names given twice and numbers that would change (shapes 1).
 * @throws RpcError
 */
function readMessage(bytes: Buffer): unknown {
  let body: CheckedBody;
  try {
    body = readJsonBody(bytes, (value) => ({ value, errors: [] }));
  } catch (error) {
    if (error instanceof ApiError) throw new RpcError(error.status, PARSE_ERROR, error.message);
    throw error;
  }
  const { value, errors } = body;
  if (errors.length === 0) return value;
  const { message, fields } = badRequest(errors);
  // An id with an error would not be the one that was sent.
  const id = errors.some(({ path }) => path === 'id') ? null : readId(value);
  throw new RpcError(400, INVALID_REQUEST, message, id, fields);
}

/** @throws RpcError for a body that is no message */
function requireMessage(body: unknown): Message {
  if (body === undefined) throw new RpcError(400, PARSE_ERROR, 'The body is not valid JSON');
  if (Array.isArray(body))
    throw new RpcError(400, INVALID_REQUEST, 'Send one message: batches are not accepted');
  if (typeof body !== 'object' || body === null)
    throw new RpcError(400, INVALID_REQUEST, 'The body is not a JSON-RPC message');
  const message = body as Message;
  if (message.method === 'subscriptions/listen')
    throw new RpcError(404, METHOD_NOT_FOUND, 'Method not found', message.id);
  return message;
}

/** An error in the form of the protocol. */
class RpcError extends ApiError {
  readonly code: number;
  readonly id: string | number | null;

  constructor(
    status: number,
    code: number,
    message: string,
    id: string | number | null = null,
    fields: readonly FieldError[] = [],
  ) {
    super(status, message, fields);
    this.code = code;
    this.id = id;
  }
}

const cleanName = (value: unknown, otherwise: string): string =>
  (typeof value === 'string' ? value : otherwise)
    .replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, ' ')
    .slice(0, MAX_CLIENT_NAME)
    .toWellFormed();

/** Name and version of the client, as it states them; older revisions state them at the handshake only. */
function readClient({ headers }: FastifyRequest, { params }: Message): { name: string; version: string } {
  const stated = Object(params?.['_meta']?.['io.modelcontextprotocol/clientInfo'] ?? params?.clientInfo) as {
    name?: unknown;
    version?: unknown;
  };
  const [product = '', version = ''] = (headers['user-agent'] ?? '').split(' ')[0]?.split('/') ?? [];
  return { name: cleanName(stated.name, product), version: cleanName(stated.version, version) };
}

const readProtocolVersion = ({ headers }: FastifyRequest): string =>
  String(headers['mcp-protocol-version'] ?? '').slice(0, 20);

function serializeArguments(args: unknown): string {
  const text = JSON.stringify(args) ?? '{}';
  const isStorable = typeof args === 'object' && args !== null && !text.includes(String.raw`\u0000`);
  return isStorable && text.length <= MAX_LEDGER_ARGUMENTS ? text.toWellFormed() : '{}';
}

function toEndedCall(
  request: FastifyRequest,
  message: Message,
  { agent, context }: Exchange,
  { tool, args, outcome: { outcome, text, bytes, durationMs, result } }: FinishedCall,
): EndedCall {
  const head = createRowHead(request, message, { agent, origin: context.origin });
  const rows = result?.rows ?? 0;
  const toRow = (): LedgerRow => {
    const read = result?.listRead();
    return {
      ...head,
      tool: tool.name,
      outcome,
      message: result ? null : toStorableText(text, 500),
      arguments: serializeArguments(args),
      entryTypeId: result?.entryTypeId ?? null,
      fieldIds: [...(read?.values.keys() ?? [])],
      valueCounts: [...(read?.values.values() ?? [])],
      entryIds: read?.entryIds ?? [],
      rows,
      bytes,
      durationMs,
      asOf: result?.asOf?.toISOString() ?? null,
      flags: read?.flags.flatMap(({ entryId, fieldId }) => [entryId, fieldId]) ?? [],
    };
  };
  return { siteId: agent.siteId, keyId: agent.keyId, rows, toRow };
}

/** A call that a limit refused. */
function toRefusalRow(
  request: FastifyRequest,
  message: Message,
  known: AgentRequest,
  text: string,
): LedgerRow {
  const tool = toolsByName.get(String(message.params?.name));
  return {
    ...createRowHead(request, message, known),
    tool: tool?.name ?? 'list_entry_types',
    outcome: 'Refused',
    message: text,
    arguments: serializeArguments(message.params?.arguments ?? {}),
    entryTypeId: null,
    fieldIds: [],
    valueCounts: [],
    entryIds: [],
    rows: 0,
    bytes: 0,
    durationMs: 0,
    asOf: null,
    flags: [],
  };
}

function createRowHead(
  request: FastifyRequest,
  message: Message,
  { agent, origin }: Pick<AgentRequest, 'agent' | 'origin'>,
) {
  const client = readClient(request, message);
  return {
    siteId: agent.siteId,
    keyId: agent.keyId,
    keyName: agent.keyName,
    userId: agent.userId,
    at: new Date().toISOString(),
    clientName: client.name,
    clientVersion: client.version,
    protocolVersion: readProtocolVersion(request),
    ip: origin.ip,
  };
}

/**
 * Sends an error as JSON-RPC, which is what clients of the protocol read; `data` has the request id for the operator, and the paths of
 * what is wrong.
 */
function sendRpcError(
  request: FastifyRequest,
  reply: FastifyReply,
  error: FastifyError | ApiError,
): FastifyReply {
  const { status, headers, message, fields } = reportError(error, request);
  const code = error instanceof RpcError ? error.code : SERVER_ERROR;
  const retryAfter = headers['retry-after'];
  return reply
    .code(status)
    .headers({ 'cache-control': 'no-store', ...headers })
    .type('application/json')
    .send(
      JSON.stringify({
        jsonrpc: '2.0',
        id: error instanceof RpcError ? error.id : readId(request.body),
        error: {
          code,
          message:
            status === 415 && !(error instanceof ApiError)
              ? 'Send JSON: Content-Type: application/json'
              : message,
          data: {
            requestId: request.id,
            ...(fields.length > 0 && { errors: fields }),
            ...(retryAfter !== undefined && { retryAfterSeconds: Number(retryAfter) }),
          },
        },
      }),
    );
}

function readId(body: unknown): string | number | null {
  const id: unknown = Object(body).id;
  return typeof id === 'string' || typeof id === 'number' ? id : null;
}

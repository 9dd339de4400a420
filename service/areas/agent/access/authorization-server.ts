/**
 * The authorization server for clients that persons connect to the agent server (OAuth 2.1 as the Model Context Protocol asks for it).
 * The protocol is the library's (oidc-provider), which runs in process: its requests come from the console (connections.ts) and from
 * the routes for tokens (authorization-routes.ts). Connections are agent keys without a secret (decisions 0068).
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { generateKeyPairSync } from 'node:crypto';
import inject from 'light-my-request';
import type { Adapter, AdapterPayload, Configuration, Provider } from 'oidc-provider';
import { ApiError } from '../../../kernel/api-error.ts';
import { change } from '../../../kernel/audit/change.ts';
import type { RequestOrigin } from '../../../kernel/auth/caller.ts';
import { createCache } from '../../../kernel/cache.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Services } from '../../../kernel/http/handler.ts';
import { hashSecret } from '../../../kernel/secret.ts';
import type { ScheduledTask } from '../../../kernel/tasks/scheduled-tasks.ts';
import { findConnectedAgent } from './agents.store.ts';
import { revokeKeys } from './keys.store.ts';
import { requireUsable } from './require-usable.ts';
import { AGENT_PATH } from './settings.ts';
import * as store from './tokens.store.ts';

/** Address for browsers, which leads to the page of the console that asks for consent. */
export const AUTHORIZE_PATH = '/api/agent/authorize';
export const TOKEN_PATH = '/api/agent/token';
export const REVOKE_PATH = '/api/agent/revoke';
/** The only scope: what an agent may read is decided with the person, not by the client. */
export const SCOPE = 'read';

const ACCESS_TOKEN_SECONDS = 15 * 60;
const CODE_SECONDS = 60;
/** Time after which a client that does not refresh must be connected again. */
const REFRESH_TOKEN_SECONDS = 30 * 86_400;
/** Time between two requests to the library for one consent. */
const INTERACTION_SECONDS = 60;
const MAX_INTERACTIONS = 1_000;

/** Redirect URIs lead to a server with TLS or to this machine of the person (MCP authorization, RFC 8252 7.3). */
const LOOPBACK_HOSTS = new Set(['localhost', '127.0.0.1', '[::1]']);
const isSafeRedirect = (uri: string): boolean => {
  const { protocol, hostname } = new URL(uri);
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK_HOSTS.has(hostname));
};

/** Database and origin of a request, for the callbacks of the library. */
interface RequestContext {
  db: Db;
  origin: RequestOrigin;
}

interface ProviderRequest {
  method: 'GET' | 'POST';
  url: string;
  headers?: Readonly<Record<string, string>>;
  payload?: string;
}

interface ProviderResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
}

/** A valid authorization request, before the person has decided. */
export interface AuthorizationRequest {
  clientId: string;
  clientName: string | undefined;
  clientUri: string | undefined;
  redirectUri: string;
  /** Ends the request. @returns the address to which the browser goes with a code */
  approve(connection: store.ConnectionId, userId: number): Promise<string>;
  /** Ends the request. @returns the address to which the browser goes with `access_denied` */
  deny(): Promise<string>;
}

export interface AuthorizationServer {
  /** Metadata by RFC 8414. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Sends a request for tokens to the library. @throws Error what the library did not expect, such as an error of the database */
  send(context: RequestContext, request: ProviderRequest): Promise<ProviderResponse>;
  /** Reads the parameters of an authorization request and the client's metadata. @throws ApiError 400 with the reason */
  open(context: RequestContext, query: string): Promise<AuthorizationRequest>;
}

const servers = new WeakMap<Services, Promise<AuthorizationServer>>();

/** The authorization server of the process; created with its first use, because most installations never load the library. */
export function getAuthorizationServer(services: Services): Promise<AuthorizationServer> {
  const existing = servers.get(services);
  if (existing) return existing;
  const created = createAuthorizationServer(services);
  servers.set(services, created);
  return created;
}

async function createAuthorizationServer(services: Services): Promise<AuthorizationServer> {
  const oidc = await import('oidc-provider');
  const { publicUrl } = services;
  const resource = `${publicUrl}${AGENT_PATH}`;
  const requests = new AsyncLocalStorage<RequestContext & { path: string; error?: unknown }>();
  const getContext = () => {
    const context = requests.getStore();
    if (!context) throw new Error('The authorization server is called outside of a request');
    return context;
  };

  /** Ends a connection: by its client, or because a credential was used twice, so that somebody else has it (RFC 9700 4.14.2). */
  async function revokeConnection(id: store.ConnectionId): Promise<void> {
    const { db, origin, path } = getContext();
    const person = await store.findConnectedPerson(db, id);
    if (!person) return;
    const reason = path === REVOKE_PATH ? 'Ended by the client' : 'A code or refresh token was used twice';
    await change(db, { siteId: id.siteId, ...person, origin }, async (tx, record) => {
      const [key] = await revokeKeys(tx, id, person.userId);
      if (!key) return;
      record({
        action: 'agent-key.revoke',
        subject: ['agent-key', key.id, key.name],
        changes: { name: [key.name, null], userId: [key.userId, null], reason: [null, reason] },
      });
    });
  }

  /** Codes and tokens, which are stored as hashes; the library reads and writes nothing else of them. */
  const createTokenAdapter = (kind: store.TokenKind): Adapter => ({
    ...emptyAdapter,
    // Everything that is stored here has a time to live.
    async upsert(id, token, seconds = 0) {
      const { jti: _, ...payload } = token;
      await store.insertToken(getContext().db, kind, hashSecret(id), {
        ...parseGrantId(payload.grantId),
        payload: JSON.stringify(payload),
        seconds,
      });
    },
    async find(id) {
      const token = await store.findToken(getContext().db, kind, hashSecret(id));
      if (!token) return undefined;
      const payload = JSON.parse(token.payload) as AdapterPayload;
      return { ...payload, jti: id, ...(token.consumedAt && { consumed: toSeconds(token.consumedAt) }) };
    },
    async consume(id) {
      const { db } = getContext();
      if (await store.consumeToken(db, hashSecret(id))) return;
      // Another request used it since it was read.
      const token = await store.findToken(db, kind, hashSecret(id));
      if (token) await revokeConnection(parseGrantId((JSON.parse(token.payload) as AdapterPayload).grantId));
      throw new oidc.errors.InvalidGrant('already used');
    },
    destroy: (id) => store.deleteToken(getContext().db, hashSecret(id)),
    revokeByGrantId: (id) => store.deleteTokensOfConnection(getContext().db, kind, parseGrantId(id)),
  });

  /** A grant is an agent key of a connected client. */
  const grantAdapter: Adapter = {
    ...emptyAdapter,
    async find(id) {
      const connectionId = parseGrantId(id);
      const connection = await store.findConnection(getContext().db, connectionId);
      return (
        connection && {
          jti: id,
          kind: 'Grant',
          accountId: toAccountId(connectionId.siteId, connection.userId),
          clientId: connection.clientId,
          iat: toSeconds(connection.createdAt),
          exp: toSeconds(connection.expiresAt),
          openid: { scope: SCOPE },
          resources: { [resource]: SCOPE },
        }
      );
    },
    destroy: (id) => revokeConnection(parseGrantId(id)),
  };

  const interactions = createCache<AdapterPayload>({
    maxEntries: MAX_INTERACTIONS,
    ttlMs: INTERACTION_SECONDS * 1_000,
  });
  /** Authorization requests between two steps of one call of the console; they never leave the process. */
  const interactionAdapter: Adapter = {
    ...emptyAdapter,
    upsert: async (id, payload) => interactions.set(id, payload),
    find: async (id) => interactions.get(id),
  };

  const adapters: Readonly<Record<string, Adapter>> = {
    AuthorizationCode: createTokenAdapter('AuthorizationCode'),
    AccessToken: createTokenAdapter('AccessToken'),
    RefreshToken: createTokenAdapter('RefreshToken'),
    Grant: grantAdapter,
    Interaction: interactionAdapter,
  };

  const features: Configuration['features'] = {
    devInteractions: { enabled: false },
    dPoP: { enabled: false },
    userinfo: { enabled: false },
    rpInitiatedLogout: { enabled: false },
    pushedAuthorizationRequests: { enabled: false },
    revocation: {
      enabled: true,
      allowedPolicy: (_context: unknown, client: { clientId: string }, token: { clientId?: string }) =>
        token.clientId === client.clientId,
    },
    clientIdMetadataDocument: {
      enabled: true,
      ack: 'draft-02',
      cacheDuration: { min: 60, max: 3_600 },
      // Without a session only documents of clients are fetched that a person has connected.
      allowFetch: async (_context: unknown, clientId: string) =>
        getContext().path.startsWith(AUTHORIZE_PATH) || store.isConnectedClient(getContext().db, clientId),
      allowClient: (
        _context: unknown,
        { redirectUris = [] }: { redirectUris?: readonly string[] | undefined },
      ) => redirectUris.every(isSafeRedirect),
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo(_context: unknown, indicator: string) {
        if (indicator !== resource) throw new oidc.errors.InvalidTarget();
        return {
          scope: SCOPE,
          audience: resource,
          accessTokenTTL: ACCESS_TOKEN_SECONDS,
          accessTokenFormat: 'opaque' as const,
        };
      },
    },
  };
  const configuration: Configuration = {
    adapter: (name) => adapters[name] ?? emptyAdapter,
    // The library wants a key for ID tokens, which are never issued.
    jwks: { keys: [createUnusedKey()] },
    scopes: [SCOPE],
    claims: {},
    responseTypes: ['code'],
    clientAuthMethods: ['none'],
    // A native application may listen on any port of its machine (RFC 8252 7.3).
    clientDefaults: {
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      id_token_signed_response_alg: 'ES256',
    },
    clockTolerance: 0,
    routes: { authorization: AUTHORIZE_PATH, token: TOKEN_PATH, revocation: REVOKE_PATH },
    features,
    pkce: { required: () => true },
    ttl: {
      AccessToken: ACCESS_TOKEN_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      RefreshToken: REFRESH_TOKEN_SECONDS,
      Interaction: INTERACTION_SECONDS,
      Session: INTERACTION_SECONDS,
      Grant: REFRESH_TOKEN_SECONDS,
      IdToken: CODE_SECONDS,
    },
    rotateRefreshToken: true,
    issueRefreshToken: async (_context, client) => client.grantTypeAllowed('refresh_token'),
    // Signing out of the console does not disconnect clients; the person's rights are read at each call.
    expiresWithSession: async () => false,
    revokeGrantPolicy: () => true,
    async findAccount(_context, accountId, token) {
      const grantId = token && 'grantId' in token ? token.grantId : undefined;
      if (grantId !== undefined && !(await isUsable(grantId))) return undefined;
      return { accountId, claims: async () => ({ sub: accountId }) };
    },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    renderError(context, body) {
      context.body = body;
    },
    fetch: (url, init) =>
      services.egress.fetch(url instanceof Request ? url.url : url, {
        ...(init?.headers && { headers: init.headers }),
        ...(init?.signal && { signal: init.signal }),
      }),
  };

  /** Whether the person of a connection could call the agent server now. @throws access_denied for what an administrator can undo */
  async function isUsable(grantId: string): Promise<boolean> {
    const { db, origin } = getContext();
    try {
      requireUsable(await findConnectedAgent(db, parseGrantId(grantId), origin.ip), origin.ip);
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status === 401) return false;
      throw new oidc.errors.AccessDenied(error.message);
    }
  }

  const provider = new oidc.Provider(publicUrl, configuration);
  // Addresses in metadata begin with the host of the request, which is always that of the public address (see `send`).
  provider.proxy = true;
  provider.on('server_error', (_context, error) => {
    const context = requests.getStore();
    if (context) context.error = error;
  });
  const dispatch = provider.callback();
  const { host, protocol } = new URL(publicUrl);

  async function send(context: RequestContext, request: ProviderRequest): Promise<ProviderResponse> {
    const state: RequestContext & { path: string; error?: unknown } = {
      ...context,
      path: request.url.split('?')[0] ?? '',
    };
    // The request begins when its promise is awaited.
    const response = await requests.run(
      state,
      async () =>
        await inject((incoming, outgoing) => void dispatch(incoming, outgoing), {
          method: request.method,
          url: request.url,
          headers: { ...request.headers, host, 'x-forwarded-proto': protocol.slice(0, -1) },
          ...(request.payload !== undefined && { payload: request.payload }),
        }),
    );
    if (state.error !== undefined) throw state.error;
    const headers = Object.entries(response.headers).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value] as const] : [],
    );
    return { status: response.statusCode, headers: Object.fromEntries(headers), text: response.payload };
  }

  async function open(context: RequestContext, query: string): Promise<AuthorizationRequest> {
    const params = new URLSearchParams(query);
    params.set('scope', SCOPE);
    const response = await send(context, { method: 'GET', url: `${AUTHORIZE_PATH}?${params.toString()}` });
    const uid = /^\/interaction\/([\w-]+)$/.exec(response.headers['location'] ?? '')?.[1];
    if (uid === undefined)
      throw new ApiError(400, `The client sent an invalid request: ${describeRefusal(response)}`);
    const interaction = await provider.Interaction.find(uid);
    if (!interaction) throw new Error('The library lost an authorization request');
    const { client_id: clientId, redirect_uri: redirectUri, response_mode: mode } = interaction.params;
    if (typeof clientId !== 'string' || typeof redirectUri !== 'string')
      throw new Error('An authorization request has neither client nor redirect URI');
    if (mode !== undefined && mode !== 'query')
      throw new ApiError(400, 'The client sent an invalid request: response_mode must be query');
    const client = await requests.run({ ...context, path: AUTHORIZE_PATH }, () =>
      provider.Client.find(clientId),
    );

    const finish = async (result: NonNullable<typeof interaction.result>): Promise<string> => {
      interaction.result = result;
      await interaction.save(INTERACTION_SECONDS);
      const { headers, text } = await send(context, {
        method: 'GET',
        url: `${AUTHORIZE_PATH}/${uid}`,
        headers: { cookie: `_interaction_resume=${uid}` },
      });
      const location = headers['location'];
      if (location === undefined || new URL(location, publicUrl).origin !== new URL(redirectUri).origin)
        throw new Error(`The library did not redirect to the client: ${text.slice(0, 200)}`);
      return location;
    };
    return {
      clientId,
      clientName: client?.clientName,
      clientUri: client?.clientUri,
      redirectUri,
      approve: ({ siteId, keyId }, userId) =>
        finish({
          login: { accountId: toAccountId(siteId, userId), remember: false },
          consent: { grantId: `${siteId}.${keyId}` },
        }),
      deny: () => finish({ error: 'access_denied', error_description: 'The person refused access' }),
    };
  }

  return { metadata: await readMetadata(provider, send), send, open };
}

/** What the library stores of kinds that this server does not use, such as its own sessions: nothing. */
const emptyAdapter: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUserCode: async () => undefined,
  findByUid: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  revokeByGrantId: async () => {},
};

const toSeconds = (date: Date): number => Math.floor(date.getTime() / 1_000);
const toAccountId = (siteId: number, userId: number): string => `${siteId}.${userId}`;

/** @throws Error for a text that the server has not created */
function parseGrantId(text: string | undefined): store.ConnectionId {
  const [siteId, keyId] = (text ?? '').split('.').map(Number);
  if (siteId === undefined || keyId === undefined) throw new Error(`Invalid grant "${text}"`);
  return { siteId, keyId };
}

const createUnusedKey = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }) as {
    kty: 'EC';
  };

/** The reason in an error of the library, in its body or in the address of the client. */
function describeRefusal({ headers, text }: ProviderResponse): string {
  const location = headers['location'];
  const error =
    location === undefined
      ? (JSON.parse(text) as Record<string, unknown>)
      : Object.fromEntries(new URL(location).searchParams);
  return String(error['error_description'] ?? error['error']).slice(0, 300);
}

/** Members of the library's metadata that concern OAuth (RFC 8414, RFC 9207, client ID metadata documents). */
const METADATA_MEMBERS = new Set([
  'issuer',
  'authorization_endpoint',
  'token_endpoint',
  'revocation_endpoint',
  'response_types_supported',
  'grant_types_supported',
  'token_endpoint_auth_methods_supported',
  'code_challenge_methods_supported',
  'authorization_response_iss_parameter_supported',
  'client_id_metadata_document_supported',
]);

async function readMetadata(
  { issuer }: Provider,
  send: AuthorizationServer['send'],
): Promise<Record<string, unknown>> {
  const { text } = await send(
    // The document needs neither database nor origin.
    { db: undefined as never, origin: { requestId: '', ip: '', userAgent: undefined } },
    { method: 'GET', url: '/.well-known/oauth-authorization-server' },
  );
  const all = Object.entries(JSON.parse(text) as Record<string, unknown>);
  return {
    ...Object.fromEntries(all.filter(([name]) => METADATA_MEMBERS.has(name))),
    issuer,
    scopes_supported: [SCOPE],
    response_modes_supported: ['query'],
    revocation_endpoint_auth_methods_supported: ['none'],
  };
}

const DAY_MS = 86_400_000;

/** Scheduled task that deletes expired codes and tokens. */
export const createTokenRetentionTask = ({ db }: { db: Db }): ScheduledTask => ({
  name: 'agent token retention',
  intervalMs: DAY_MS / 24,
  run: async () => ((await store.deleteExpiredTokens(db)) ? { runAgainInMs: 0 } : undefined),
});

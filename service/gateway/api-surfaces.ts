import type { FastifyRequest } from 'fastify';
import { isWrite } from '../../contract/rules/operations.ts';
import { isAgentKey } from '../areas/agent/index.ts';
import type { KeyUsageCounter } from '../areas/tokens/index.ts';
import { forbidden, unauthorized } from '../kernel/api-error.ts';
import { createAddressError, describeRefusedAddress, LICENSE_REFUSAL } from '../kernel/auth/authorize.ts';
import type { Caller } from '../kernel/auth/caller.ts';
import {
  assumeCaller,
  type AuthenticatedCaller,
  findAccessToken,
  findHalfCompletedSession,
  findSession,
  isTokenWithoutLicense,
} from '../kernel/auth/callers.store.ts';
import { createCache } from '../kernel/cache.ts';
import type { AssumingDb, Db } from '../kernel/db/database.ts';
import type { KnownRow } from '../kernel/db/driver/statement-batch.ts';
import type { PendingStep } from '../kernel/db/tables/index.ts';
import type { ApiSurface } from '../kernel/http/api-surface.ts';
import type { Operation } from '../kernel/http/contract.ts';
import type { OperationId } from '../kernel/http/handler.ts';
import { hashSecret } from '../kernel/secret.ts';
import {
  ACTING_HEADER,
  formatActingState,
  parsePrincipalHeader,
  resolveBearerCaller,
  resolveSessionCaller,
} from './principal.ts';

const parseBearerToken = (header: string | undefined): string | undefined =>
  /^bearer ([\w.~+/=-]{1,200})$/i.exec(header ?? '')?.[1];

/** Frequent writes whose handlers do nothing outside their transaction before its first statements are answered. */
const TRANSACTIONAL_WRITES: ReadonlySet<string> = new Set<OperationId>([
  'updateUser',
  'updateOwnProfile',
  'createEntries',
  'updateEntries',
]);

/** Operations that wait together with other requests of the process, and for that share its database. */
const WAITING_READS: ReadonlySet<string> = new Set<OperationId>([
  'streamJobs',
  'streamTopic',
  'streamTopicPositions',
  'pollPublication',
  'pollEnvironment',
]);

const MAX_CACHED_CALLERS = 10_000;
/** A caller who sends no request for so long is released. */
const CALLER_IDLE_MS = 10 * 60_000;

const getCacheKey = (tokenHash: Buffer): string => tokenHash.toString('latin1');

/**
 * The last callers of tokens, which their next requests are assumed to have: the token is read again with the first statement of each
 * request, and nothing is answered before (kernel/db, `assume`).
 */
function createCallerCache() {
  const callers = createCache<{ caller: Caller; knownRow: KnownRow }>({
    maxEntries: MAX_CACHED_CALLERS,
    ttlMs: CALLER_IDLE_MS,
    isTtlRenewedOnRead: true,
  });
  return {
    save({ caller, principal }: AuthenticatedCaller): void {
      // Who acts for another user is looked up by each request.
      if (!principal) callers.set(getCacheKey(caller.tokenHash), { caller, knownRow: {} });
    },
    assume(
      db: Db,
      operation: Operation,
      tokenHash: Buffer,
      ip: string,
    ): (AssumingDb & { caller: Caller }) | undefined {
      const { id } = operation;
      if ((isWrite(operation) && !TRANSACTIONAL_WRITES.has(id)) || WAITING_READS.has(id)) return undefined;
      const known = callers.get(getCacheKey(tokenHash));
      if (!known) return undefined;
      const { caller, knownRow } = known;
      const assuming = assumeCaller(db, caller, ip, knownRow);
      return { caller, db: assuming.db, isConfirmed: () => assuming.isConfirmed() };
    },
  };
}

/** API surface of programs: bearer tokens only, never a cookie (spec 5.1). */
export function createBearerApi(db: Db, keyUsage: Pick<KeyUsageCounter, 'count'>): ApiSurface {
  const callers = createCallerCache();
  return {
    prefix: '',
    serves: (operation) => !operation.isConsoleOnly && operation.access !== 'agent',
    assumeCaller(request, operation, origin) {
      const token = parseBearerToken(request.headers.authorization);
      if (token === undefined || request.headers['as-user'] !== undefined) return undefined;
      const assumed = callers.assume(db, operation, hashSecret(token), origin.ip);
      return (
        assumed && {
          ...assumed,
          onConfirmed() {
            if (assumed.caller.clientId !== undefined)
              keyUsage.count(assumed.caller.clientId, operation.id, origin);
          },
        }
      );
    },
    async authenticate(request, { id }, origin) {
      const header = request.headers.authorization;
      if (header === undefined) return undefined;
      const token = parseBearerToken(header);
      const principalId = parsePrincipalHeader(request.headers['as-user']);
      const found =
        token === undefined
          ? undefined
          : await findAccessToken(db, hashSecret(token), origin.ip, principalId);
      if (!found) {
        if (token !== undefined && (await isTokenWithoutLicense(db, hashSecret(token))))
          throw forbidden(LICENSE_REFUSAL);
        if (token !== undefined && (await isAgentKey(db, hashSecret(token))))
          throw forbidden('An agent key is accepted by the agent server only');
        throw unauthorized('The access token is invalid or has expired', 'Bearer');
      }
      if (found.caller.clientId !== undefined) keyUsage.count(found.caller.clientId, id, origin);
      if (found.isAddressRefused) throw await createAddressError(db, found.caller, origin.ip);
      callers.save(found);
      return resolveBearerCaller(db, found, origin);
    },
  };
}

/** Over https the `__Host-` prefix binds the cookie to this host; plain http is meant for local use. */
const getCookieName = (secure: boolean): string => (secure ? '__Host-steward' : 'steward');

/** Form of the tokens that `createSecret` returns. */
const DEVICE_TOKEN_PATTERN = /^[\w-]{43}$/;
/** Longest lifetime that browsers allow for a cookie. */
const DEVICE_COOKIE_MAX_AGE_SECONDS = 400 * 86_400;

/**
 * API surface of the console: a session cookie, and proof that the request comes from the console itself: a header that
 * no form can send and, where the browser tells it, the same origin (RFC 10017, T02).
 */
export function createSessionApi(db: Db, publicUrl: string): ApiSurface {
  const secure = publicUrl.startsWith('https:');
  const name = getCookieName(secure);
  const deviceName = `${name}-device`;
  const callers = createCallerCache();
  return {
    prefix: '/console',
    serves: (operation) => operation.id !== 'issueToken' && operation.access !== 'agent',
    checkRequest(request) {
      if (request.headers['x-steward-console'] !== '1')
        throw forbidden('Only the console may use this address');
      requireSameOrigin(request, publicUrl);
      if (request.headers['as-user'] !== undefined)
        throw forbidden(
          'AS-USER is for programs only. Start acting for another user in the console instead.',
        );
    },
    assumeCaller(request, operation, origin) {
      const token = request.cookies[name];
      const expectedActing = request.headers[ACTING_HEADER];
      const assumed = token ? callers.assume(db, operation, hashSecret(token), origin.ip) : undefined;
      const isExpected =
        assumed && (expectedActing === undefined || expectedActing === formatActingState(assumed.caller));
      return isExpected ? { ...assumed, onConfirmed: () => {} } : undefined;
    },
    async authenticate(request, { id: operationId, allowedPendingStep }, origin) {
      const token = request.cookies[name];
      if (!token) return undefined;
      const found = await findSession(db, hashSecret(token), origin.ip);
      if (!found && allowedPendingStep)
        return findPendingCaller(db, hashSecret(token), allowedPendingStep, origin.ip);
      if (!found) return undefined;
      if (found.isAddressRefused) throw await createAddressError(db, found.caller, origin.ip);
      callers.save(found);
      const expectedActing = request.headers[ACTING_HEADER];
      return resolveSessionCaller(db, found, { operationId, expectedActing, origin });
    },
    onAuthenticated(reply, caller) {
      reply.header(ACTING_HEADER, formatActingState(caller));
    },
    getSessionTokenHash(request) {
      const token = request.cookies[name];
      return token ? hashSecret(token) : undefined;
    },
    getDeviceTokenHash(request) {
      const device = request.cookies[deviceName];
      return device && DEVICE_TOKEN_PATTERN.test(device) ? hashSecret(device) : undefined;
    },
    setSession(reply, session) {
      const options = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
      if (session === 'end') reply.clearCookie(name, options);
      else {
        reply.setCookie(name, session.token, { ...options, expires: session.expiresAt });
        if (session.deviceToken)
          reply.setCookie(deviceName, session.deviceToken, {
            ...options,
            maxAge: DEVICE_COOKIE_MAX_AGE_SECONDS,
          });
      }
    },
  };
}

/** Caller whose sign-in lacks exactly the step that the operation completes. */
async function findPendingCaller(
  db: Db,
  tokenHash: Buffer,
  pending: PendingStep,
  ip: string,
): Promise<Caller | undefined> {
  const session = await findHalfCompletedSession(db, tokenHash, ip);
  if (session?.caller.pending !== pending) return undefined;
  // Before the second factor the caller is not known for certain, and learns no names.
  if (session.isAddressRefused) throw forbidden(describeRefusedAddress(ip, []));
  return session.caller;
}

function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const isOwnOrigin =
    origin === undefined ||
    origin === new URL(publicUrl).origin ||
    (URL.canParse(origin) && new URL(origin).host === request.headers.host);
  if (!isOwnOrigin || (site !== undefined && site !== 'same-origin'))
    throw forbidden('This request comes from another website');
}

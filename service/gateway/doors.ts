import type { FastifyRequest } from 'fastify';
import { refuseAddress } from '../kernel/auth/authorize.ts';
import type { KeyUse } from '../areas/tokens/index.ts';
import type { Caller } from '../kernel/auth/caller.ts';
import { findAccessToken, findHalfSession, findSession } from '../kernel/auth/store.ts';
import type { Db } from '../kernel/db/database.ts';
import type { PendingStep } from '../kernel/db/tables.ts';
import type { Door } from '../kernel/http/doors.ts';
import { forbidden, unauthorized } from '../kernel/http/errors.ts';
import type { Services } from '../kernel/http/handler.ts';
import { hashSecret } from '../kernel/secret.ts';
import { ACTING_HEADER, actingState, principalAsked, programCaller, sessionCaller } from './principal.ts';

/** The programs' door: bearer tokens only, never a cookie (spec 5.1). */
export function programsDoor(db: Db, services: Services, keyUse: Pick<KeyUse, 'count'>): Door {
  return {
    prefix: '',
    serves: (operation) => !operation.consoleOnly,
    async authenticate(request, { id }, origin) {
      const header = request.headers.authorization;
      if (header === undefined) return undefined;
      const token = /^bearer ([\w.~+/=-]{1,200})$/i.exec(header)?.[1];
      const asked = principalAsked(request.headers['as-user']);
      const found =
        token === undefined ? undefined : await findAccessToken(db, hashSecret(token), origin.ip, asked);
      if (!found) throw unauthorized('The access token is wrong or has run out', 'Bearer');
      if (found.own.clientId !== undefined) keyUse.count(found.own.clientId, id, origin);
      refuseAddress(found.refused, origin.ip);
      return programCaller({ db, services }, found, origin);
    },
  };
}

/** A site on https gets the cookie that browsers keep from every other host; plain http is for one's own machine. */
const cookieName = (secure: boolean): string => (secure ? '__Host-steward' : 'steward');

/** What `newSecret` makes. */
const DEVICE = /^[\w-]{43}$/;
/** As long as browsers keep a cookie. */
const DEVICE_SECONDS = 400 * 86_400;

/**
 * The browser's door: the session cookie, and proof that the request comes from the console itself: a header that no
 * form can send and, where the browser tells, the same origin (RFC 10017, T02).
 */
export function browsersDoor(db: Db, publicUrl: string): Door {
  const secure = publicUrl.startsWith('https:');
  const name = cookieName(secure);
  const deviceName = `${name}-device`;
  return {
    prefix: '/console',
    serves: (operation) => operation.id !== 'issueToken',
    guard(request) {
      if (request.headers['x-steward-console'] !== '1') throw forbidden('This door is for the console alone');
      requireSameOrigin(request, publicUrl);
      if (request.headers['as-user'] !== undefined)
        throw forbidden('AS-USER is for programs: a session of the console acts for somebody by itself');
    },
    async authenticate(request, { id: operationId, halfSession }, origin) {
      const token = request.cookies[name];
      if (!token) return undefined;
      const found = await findSession(db, hashSecret(token), origin.ip);
      if (!found && halfSession) return halfCaller(db, hashSecret(token), halfSession, origin.ip);
      if (!found) return undefined;
      refuseAddress(found.refused, origin.ip);
      const believed = request.headers[ACTING_HEADER];
      return sessionCaller(db, found, { operationId, believed, origin });
    },
    greet(reply, caller) {
      reply.header(ACTING_HEADER, actingState(caller));
    },
    presentedSession(request) {
      const token = request.cookies[name];
      return token ? hashSecret(token) : undefined;
    },
    presentedDevice(request) {
      const device = request.cookies[deviceName];
      return device && DEVICE.test(device) ? hashSecret(device) : undefined;
    },
    keepSession(reply, session) {
      const options = { path: '/', httpOnly: true, sameSite: 'strict', secure } as const;
      if (session === 'end') reply.clearCookie(name, options);
      else {
        reply.setCookie(name, session.token, { ...options, expires: session.expires });
        if (session.device)
          reply.setCookie(deviceName, session.device, { ...options, maxAge: DEVICE_SECONDS });
      }
    },
  };
}

/** Who has signed in but for what the operation completes. */
async function halfCaller(
  db: Db,
  tokenHash: Buffer,
  pending: PendingStep,
  ip: string,
): Promise<Caller | undefined> {
  const half = await findHalfSession(db, tokenHash, ip);
  if (half?.caller.pending !== pending) return undefined;
  refuseAddress(half.refused, ip);
  return half.caller;
}

function requireSameOrigin(request: FastifyRequest, publicUrl: string): void {
  const site = request.headers['sec-fetch-site'];
  const { origin } = request.headers;
  const own =
    origin === undefined ||
    origin === new URL(publicUrl).origin ||
    (URL.canParse(origin) && new URL(origin).host === request.headers.host);
  if (!own || (site !== undefined && site !== 'same-origin'))
    throw forbidden('This request comes from another site');
}

/** Helpers that sign in like a browser, with the cookies of the responses. */
import { argon2Sync, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Enrolled, Enrolment, PendingSignIn, Session } from '../../contract/generated/types.gen.ts';
import type { Db } from '../kernel/db/database.ts';
import { generateCode } from './authenticator.ts';
import { createApiClient, type ApiClient, type ErrorBody, type Reply } from './calls.ts';

/**
 * Hashes a password with the lowest Argon2 cost, so that tests with many sign-ins are fast. The stored text contains
 * the cost, so verification works as usual.
 */
export function hashCheaply(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { message: password, nonce, ...cost });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}

const listCookies = ({ headers }: Reply<unknown>) => [headers['set-cookie'] ?? []].flat().map(String);

/** Session token in the response's cookie. */
export const getSessionCookie = (reply: Reply<unknown>): string =>
  listCookies(reply)
    .map((cookie) => /^steward=([\w-]+)/.exec(cookie)?.[1])
    .find(Boolean) ?? '';

/** Device token in the response's cookie. */
export const getDeviceCookie = (reply: Reply<unknown>): string =>
  listCookies(reply)
    .map((cookie) => /^steward-device=([\w-]+)/.exec(cookie)?.[1])
    .find(Boolean) ?? '';

/** API client of the console with these cookies. */
export const createBrowser = (
  app: FastifyInstance,
  cookies: { steward?: string; device?: string } = {},
): ApiClient =>
  createApiClient(app, '/console', {
    'x-steward-console': '1',
    cookie: [
      ...(cookies.steward ? [`steward=${cookies.steward}`] : []),
      ...(cookies.device ? [`steward-device=${cookies.device}`] : []),
    ].join('; '),
  });

/** Signs in with a password. */
export const signInWithPassword = (
  app: FastifyInstance,
  credentials: { email: string; password: string; siteId?: number },
  cookies = {},
) => createBrowser(app, cookies).post<Session & PendingSignIn & ErrorBody>('/api/session', credentials);

/** Types of the activities of a user, oldest first. */
export async function listActivityTypes(db: Db, userId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('activity')
    .select('activity_type_id')
    .where('user_id', '=', userId)
    .orderBy('activity_id')
    .execute();
  return rows.map((row) => row.activity_type_id);
}

/** Enrols an authenticator app in this session, complete or pending. @returns its secret and the new session */
export async function enrol(
  app: FastifyInstance,
  steward: string,
): Promise<{ secret: string; recoveryCodes: string[]; cookie: string; reply: Reply<Enrolled> }> {
  const calls = createBrowser(app, { steward });
  const { body } = await calls.post<Enrolment>('/api/session/two-factor/enrolment');
  const code = await generateCode(body.secret);
  const reply = await calls.put<Enrolled>('/api/session/two-factor/enrolment', { code });
  return {
    secret: body.secret,
    recoveryCodes: reply.body.recoveryCodes,
    cookie: getSessionCookie(reply),
    reply,
  };
}

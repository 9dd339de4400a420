/** Signing in as a browser does, with what the cookies of the answers say. */
import { argon2Sync, randomBytes } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { Enrolled, Enrolment, PendingSignIn, Session } from '../../contract/generated/types.gen.ts';
import { callsWith, type Calls, type Refusal, type Reply } from './calls.ts';
import { codeOf } from './authenticator.ts';

/**
 * The stored text of a password at the least cost that Argon2 has. What is stored says what it costs to check, so tests
 * that sign many in need not wait for it; what the service stores, and how long that takes, is no subject of theirs.
 */
export function cheapHash(password: string): string {
  const nonce = randomBytes(16);
  const cost = { memory: 8, passes: 1, parallelism: 1, tagLength: 32 };
  const tag = argon2Sync('argon2id', { message: password, nonce, ...cost });
  const [salt, hash] = [nonce, tag].map((bytes) => bytes.toString('base64').replaceAll('=', ''));
  return `$argon2id$v=19$m=8,t=1,p=1$${salt}$${hash}`;
}

const cookiesOf = ({ headers }: Reply<unknown>) => [headers['set-cookie'] ?? []].flat().map(String);

/** The session that an answer put into its cookie. */
export const sessionCookie = (reply: Reply<unknown>): string =>
  cookiesOf(reply)
    .map((cookie) => /^steward=([\w-]+)/.exec(cookie)?.[1])
    .find(Boolean) ?? '';

/** The secret by which the answer wants to know the browser again. */
export const deviceCookie = (reply: Reply<unknown>): string =>
  cookiesOf(reply)
    .map((cookie) => /^steward-device=([\w-]+)/.exec(cookie)?.[1])
    .find(Boolean) ?? '';

/** Calls of the console with these cookies. */
export const browserWith = (
  app: FastifyInstance,
  cookies: { steward?: string; device?: string } = {},
): Calls =>
  callsWith(app, '/console', {
    'x-steward-console': '1',
    cookie: [
      ...(cookies.steward ? [`steward=${cookies.steward}`] : []),
      ...(cookies.device ? [`steward-device=${cookies.device}`] : []),
    ].join('; '),
  });

/** Gives the password. */
export const givePassword = (
  app: FastifyInstance,
  credentials: { email: string; password: string; siteId?: number },
  cookies = {},
) => browserWith(app, cookies).post<Session & PendingSignIn & Refusal>('/api/session', credentials);

/** Sets up an authenticator app in this session, whole or not; its secret, and the session afterwards. */
export async function enrol(
  app: FastifyInstance,
  steward: string,
): Promise<{ secret: string; recoveryCodes: string[]; cookie: string; reply: Reply<Enrolled> }> {
  const calls = browserWith(app, { steward });
  const { body } = await calls.post<Enrolment>('/api/session/two-factor/enrolment');
  const code = await codeOf(body.secret);
  const reply = await calls.put<Enrolled>('/api/session/two-factor/enrolment', { code });
  return {
    secret: body.secret,
    recoveryCodes: reply.body.recoveryCodes,
    cookie: sessionCookie(reply),
    reply,
  };
}

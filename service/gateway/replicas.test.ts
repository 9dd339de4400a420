/** Three processes of the service on one PostgreSQL: what one of them ends is over on the others, and nothing counts twice. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Enrolment } from '../../contract/generated/types.gen.ts';
import { openDatabase, type Database } from '../kernel/db/database.ts';
import { hashPassword } from '../kernel/auth/password.ts';
import { codeOf } from '../testing/authenticator.ts';
import { newPlace, type Place } from '../testing/databases.ts';
import { makePerson, makeSite, openSession, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

const cookieOf = (answer: Response) =>
  /steward=([\w-]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';

describe.skipIf(process.env['STEWARD_TEST_DATABASES'] === 'embedded')(
  'three processes on one PostgreSQL',
  () => {
    let place: Place;
    let database: Database;
    let urls: string[] = [];
    const children: { child: ChildProcess; isOver: Promise<unknown> }[] = [];
    let siteId = 0;
    let passwordHash = '';

    beforeAll(async () => {
      place = await newPlace('postgres');
      database = await openDatabase(place);
      passwordHash = await hashPassword(PASSWORD);
      siteId = await makeSite(database.db);
      const ports = await Promise.all([freePort(), freePort(), freePort()]);
      urls = ports.map((port) => `http://127.0.0.1:${port}`);
      const env = {
        ...process.env,
        DATABASE_URL: place.databaseUrl,
        STEWARD_SECRET_KEY: randomBytes(32).toString('base64'),
        STEWARD_SAMPLE: 'off',
        LOG_LEVEL: 'silent',
      };
      for (const [at, port] of ports.entries()) {
        const child = spawn(process.execPath, ['service/main.ts'], {
          // Folders of their own: what they share is the database and the key alone.
          env: { ...env, PORT: String(port), DATA_DIR: `${place.dataDir}/${at}` },
          stdio: 'ignore',
        });
        // From the start: an end that has been is not told again.
        children.push({ child, isOver: once(child, 'exit') });
      }
      await Promise.all(urls.map((url) => vi.waitUntil(() => isReady(url), { timeout: 30_000 })));
    });
    afterAll(async () => {
      for (const { child } of children) child.kill('SIGKILL');
      await Promise.all(children.map(({ isOver }) => isOver));
      await database.close();
      await place.remove();
    });

    const call = (at: number, cookie: string, method: string, path: string, body?: object) =>
      fetch(`${urls[at] ?? ''}/console${path}`, {
        method,
        headers: {
          'X-Steward-Console': '1',
          cookie: `steward=${cookie}`,
          ...(body && { 'content-type': 'application/json' }),
        },
        ...(body && { body: JSON.stringify(body) }),
      });
    const onAll = async (cookie: string) =>
      (await Promise.all([0, 1, 2].map((at) => call(at, cookie, 'GET', '/api/session')))).map(
        ({ status }) => status,
      );
    const signIn = (at: number, { email }: Pick<Person, 'email'>, password = PASSWORD) =>
      call(at, '', 'POST', '/api/session', { email, password });

    test.each([
      [
        'signing out',
        (admin: Person, who: Person, cookie: string) => call(1, cookie, 'DELETE', '/api/session'),
      ],
      [
        'deactivation',
        (admin: Person, who: Person) =>
          call(1, admin.cookie, 'PUT', '/api/rest/v1/management/user', { id: who.userId, isActive: false }),
      ],
      [
        'removal',
        (admin: Person, who: Person) =>
          call(1, admin.cookie, 'DELETE', `/api/rest/v1/management/user/${who.userId}`),
      ],
      [
        'an administrator',
        (admin: Person, who: Person) =>
          call(1, admin.cookie, 'DELETE', `/api/rest/v1/management/user/${who.userId}/sessions`),
      ],
      [
        'a new password',
        (admin: Person, who: Person, cookie: string, other: string) =>
          call(1, other, 'POST', '/api/session/security/password', {
            currentPassword: PASSWORD,
            password: 'another long password',
          }),
      ],
      [
        'a license that lets nobody in',
        (admin: Person, who: Person) =>
          call(1, admin.cookie, 'PUT', '/api/rest/v1/management/userLicense', {
            userId: who.userId,
            licenseTypeId: 4,
          }),
      ],
    ])('%s ends a session on all of them at once (T01)', async (_name, act) => {
      const admin = await makePerson(database.db, siteId);
      const who = await makePerson(database.db, siteId, { passwordHash });
      const { cookie } = who;
      const other = await openSession(database.db, siteId, who.userId);
      expect(await onAll(cookie)).toEqual([200, 200, 200]);
      const acted = await act(admin, who, cookie, other);
      expect(acted.ok).toBe(true);
      expect(await onAll(cookie)).toEqual([401, 401, 401]);
    });

    /** Sets up an app, half of it on each of two; codes of now are good afterwards. */
    const enrolled = async ({ cookie }: Person) => {
      const path = '/api/session/two-factor/enrolment';
      const { secret } = (await (await call(0, cookie, 'POST', path)).json()) as Enrolment;
      const confirmed = await call(1, cookie, 'PUT', path, { code: await codeOf(secret) });
      expect(confirmed.status).toBe(200);
      await sql`update authenticator set last_step = 1`.execute(database.db);
      return secret;
    };

    test('one code, given to all of them at the same moment, opens one session (T14)', async () => {
      const who = await makePerson(database.db, siteId, { passwordHash });
      const secret = await enrolled(who);
      const halves = await Promise.all([0, 1, 2].map(async (at) => cookieOf(await signIn(at, who))));
      const code = await codeOf(secret);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          call((at + 1) % 3, halves[at % 3] ?? '', 'POST', '/api/session/two-factor', { code }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test('five wrong codes end a sign-in, whichever of them is asked (T14)', async () => {
      const who = await makePerson(database.db, siteId, { passwordHash });
      await enrolled(who);
      const half = cookieOf(await signIn(0, who));
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          call(at % 3, half, 'POST', '/api/session/two-factor', { code: String(100_000 + at) }),
        ),
      );
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(4);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(8);
    });

    test('spraying stops on all of them, and who is known comes in meanwhile (T13)', async () => {
      const who = await makePerson(database.db, siteId, { passwordHash });
      const known = (await signIn(0, who)).headers.getSetCookie().join('; ');
      const device = /steward-device=([\w-]+)/.exec(known)?.[1] ?? '';
      await sql`insert into throttle (key, count, window_started_at) values ('sign-in:strangers', 990, now())
        on conflict (key) do update set count = 990, window_started_at = now()`.execute(database.db);
      const wave = async () => {
        const tries = Array.from({ length: 15 }, (_, at) =>
          signIn(at % 3, { email: `${at}@sprayed.test` }, 'Password2026!'),
        );
        return new Set((await Promise.all(tries)).map(({ status }) => status));
      };
      // What was under way when the limit was reached is looked at: no more than three queues hold.
      expect(await wave()).toContain(401);
      expect(await wave()).toEqual(new Set([429]));
      const owner = await Promise.all(
        [0, 1, 2].map((at) =>
          call(at, `x; steward-device=${device}`, 'POST', '/api/session', {
            email: who.email,
            password: PASSWORD,
          }),
        ),
      );
      expect(owner.map(({ status }) => status)).toEqual([200, 200, 200]);
      await sql`delete from throttle`.execute(database.db);
    });

    test('wrong passwords are counted by all of them together, and outlive a process that is killed (T13)', async () => {
      const who = await makePerson(database.db, siteId, { passwordHash });
      for (let at = 0; at < 5; at += 1) expect((await signIn(at % 2, who, 'wrong')).status).toBe(401);
      children[0]?.child.kill('SIGKILL');
      await children[0]?.isOver;
      expect((await signIn(2, who)).status).toBe(401);
      const { rows } = await sql<{ resting: boolean }>`select locked_until > now() as resting from account
      where user_id = ${who.userId}`.execute(database.db);
      expect(rows).toEqual([{ resting: true }]);
    });
  },
);

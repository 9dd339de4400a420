/** Three processes of the service on one PostgreSQL: sessions end and limits count across all of them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Enrolment } from '../../contract/generated/types.gen.ts';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { hashPassword } from '../kernel/auth/passwords.ts';
import { openDatabase, type Database } from '../kernel/db/database.ts';
import { generateCode } from '../testing/authenticator.ts';
import { createTestDatabase, type TestDatabase } from '../testing/databases.ts';
import { makePerson, makeSite, openSession, type Person } from '../testing/site.ts';

const PASSWORD = 'correct horse battery';

const isReady = (url: string) =>
  fetch(`${url}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  );

const getSessionCookie = (answer: Response) =>
  /steward=([\w-]+)/.exec(answer.headers.getSetCookie()[0] ?? '')?.[1] ?? '';

describe.skipIf(process.env['STEWARD_TEST_DATABASES'] === 'embedded')(
  'three processes on one PostgreSQL',
  () => {
    let place: TestDatabase;
    let database: Database;
    let urls: string[] = [];
    const children: { child: ChildProcess; isOver: Promise<unknown> }[] = [];
    let siteId = 0;
    let passwordHash = '';

    beforeAll(async () => {
      place = await createTestDatabase('postgres');
      database = await openDatabase(place);
      passwordHash = await hashPassword(PASSWORD);
      siteId = await makeSite(database.db);
      const ports = await Promise.all([findFreePort(), findFreePort(), findFreePort()]);
      urls = ports.map((port) => `http://127.0.0.1:${port}`);
      const env = {
        ...process.env,
        DATABASE_URL: place.databaseUrl,
        STEWARD_SECRET_KEY: randomBytes(32).toString('base64'),
        STEWARD_SAMPLE: 'off',
        LOG_LEVEL: 'silent',
      };
      for (const port of ports) {
        const child = spawn(process.execPath, ['service/main.ts'], {
          env: { ...env, PORT: String(port), DATA_DIR: place.dataDir },
          stdio: 'ignore',
        });
        // Registered at once, because a past exit is not reported again.
        children.push({ child, isOver: once(child, 'exit') });
      }
      await Promise.all(urls.map((url) => vi.waitUntil(() => isReady(url), { timeout: 55_000 })));
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
    const callAll = async (cookie: string) =>
      (await Promise.all([0, 1, 2].map((at) => call(at, cookie, 'GET', '/api/session')))).map(
        ({ status }) => status,
      );
    const signIn = (at: number, { email }: Pick<Person, 'email'>, password = PASSWORD) =>
      call(at, '', 'POST', '/api/session', { email, password });

    test.each([
      [
        'signing out',
        (admin: Person, user: Person, cookie: string) => call(1, cookie, 'DELETE', '/api/session'),
      ],
      [
        'deactivation',
        (admin: Person, user: Person) =>
          call(1, admin.cookie, 'PUT', '/api/rest/v1/management/user', { id: user.userId, isActive: false }),
      ],
      [
        'removal',
        (admin: Person, user: Person) =>
          call(1, admin.cookie, 'DELETE', `/api/rest/v1/management/user/${user.userId}`),
      ],
      [
        'an administrator',
        (admin: Person, user: Person) =>
          call(1, admin.cookie, 'DELETE', `/api/rest/v1/management/user/${user.userId}/sessions`),
      ],
      [
        'a new password',
        (admin: Person, user: Person, cookie: string, other: string) =>
          call(1, other, 'POST', '/api/session/security/password', {
            currentPassword: PASSWORD,
            password: 'another long password',
          }),
      ],
      [
        'a license without access',
        (admin: Person, user: Person) =>
          call(1, admin.cookie, 'PUT', '/api/rest/v1/management/userLicense', {
            userId: user.userId,
            licenseTypeId: 4,
          }),
      ],
    ])('%s ends a session on all processes at once (T01)', async (_name, act) => {
      const admin = await makePerson(database.db, siteId);
      const user = await makePerson(database.db, siteId, { passwordHash });
      const { cookie } = user;
      const other = await openSession(database.db, siteId, user.userId);
      expect(await callAll(cookie)).toEqual([200, 200, 200]);
      const acted = await act(admin, user, cookie, other);
      expect(acted.ok).toBe(true);
      expect(await callAll(cookie)).toEqual([401, 401, 401]);
    });

    /** Enrols an app across two processes; current codes are unused afterwards. */
    const enrol = async ({ cookie }: Person) => {
      const path = '/api/session/two-factor/enrolment';
      const { secret } = (await (await call(0, cookie, 'POST', path)).json()) as Enrolment;
      const confirmed = await call(1, cookie, 'PUT', path, { code: await generateCode(secret) });
      expect(confirmed.status).toBe(200);
      await sql`update authenticator set last_step = 1`.execute(database.db);
      return secret;
    };

    test('one code used concurrently on all processes opens one session (T14)', async () => {
      const user = await makePerson(database.db, siteId, { passwordHash });
      const secret = await enrol(user);
      const pendingCookies = await Promise.all(
        [0, 1, 2].map(async (at) => getSessionCookie(await signIn(at, user))),
      );
      const code = await generateCode(secret);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          call((at + 1) % 3, pendingCookies[at % 3] ?? '', 'POST', '/api/session/two-factor', { code }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test('five wrong codes on any processes end a sign-in (T14)', async () => {
      const user = await makePerson(database.db, siteId, { passwordHash });
      await enrol(user);
      const pendingCookie = getSessionCookie(await signIn(0, user));
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          call(at % 3, pendingCookie, 'POST', '/api/session/two-factor', { code: String(100_000 + at) }),
        ),
      );
      expect(answers.filter(({ status }) => status === 400)).toHaveLength(4);
      expect(answers.filter(({ status }) => status === 401)).toHaveLength(8);
    });

    test('password spraying is stopped on all processes, and known devices still sign in (T13)', async () => {
      const user = await makePerson(database.db, siteId, { passwordHash });
      const cookies = (await signIn(0, user)).headers.getSetCookie().join('; ');
      const device = /steward-device=([\w-]+)/.exec(cookies)?.[1] ?? '';
      await sql`insert into throttle (key, count, window_started_at) values ('sign-in:strangers', 990, now())
        on conflict (key) do update set count = 990, window_started_at = now()`.execute(database.db);
      const spray = async () => {
        const tries = Array.from({ length: 15 }, (_, at) =>
          signIn(at % 3, { email: `${at}@sprayed.test` }, 'Password2026!'),
        );
        return new Set((await Promise.all(tries)).map(({ status }) => status));
      };
      // Requests in progress when the limit is reached are still checked: at most what three queues hold.
      expect(await spray()).toContain(401);
      expect(await spray()).toEqual(new Set([429]));
      const owner = await Promise.all(
        [0, 1, 2].map((at) =>
          call(at, `x; steward-device=${device}`, 'POST', '/api/session', {
            email: user.email,
            password: PASSWORD,
          }),
        ),
      );
      expect(owner.map(({ status }) => status)).toEqual([200, 200, 200]);
      await sql`delete from throttle`.execute(database.db);
    });

    test('a poll is answered by a change in another process, and ended by a newer poll in a third', async () => {
      const person = await makePerson(database.db, siteId);
      const program = (at: number, path: string, body: object) =>
        fetch(`${urls[at] ?? ''}/api/rest/v1/${path}`, {
          method: 'POST',
          headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        });
      const poll = (at: number, timeOut: number) =>
        program(at, 'publication/poll', { topics: ['default-users'], timeOut, count: 1000 });
      const events = (await (await poll(0, 0)).json()) as { topicOffset: number }[];
      const next = (events.at(-1)?.topicOffset ?? -1) + 1;
      const acknowledged = [{ name: 'default-users', offset: next }];
      expect((await program(0, 'publication/acknowledge', acknowledged)).status).toBe(204);
      const readPoll = async () =>
        (await database.db.selectFrom('publication_consumer').select('poll_id').execute()).map(
          (row) => row.poll_id,
        );
      const before = await readPoll();
      const older = poll(0, 60_000);
      await vi.waitUntil(async () => String(await readPoll()) !== String(before), { timeout: 20_000 });
      const newer = poll(1, 60_000);
      expect(await (await older).json()).toEqual([]);
      expect((await program(2, 'management/user/group', { name: 'From the third process' })).ok).toBe(true);
      expect(await (await newer).json()).toMatchObject([{ topicOffset: next, entityType: 'UserGroups' }]);
    });

    test('wrong passwords are counted across processes and survive a killed process (T13)', async () => {
      const user = await makePerson(database.db, siteId, { passwordHash });
      for (let at = 0; at < 5; at += 1) expect((await signIn(at % 2, user, 'wrong')).status).toBe(401);
      children[0]?.child.kill('SIGKILL');
      await children[0]?.isOver;
      expect((await signIn(2, user)).status).toBe(401);
      const { rows } = await sql<{ resting: boolean }>`select locked_until > now() as resting from account
      where user_id = ${user.userId}`.execute(database.db);
      expect(rows).toEqual([{ resting: true }]);
    });
  },
);

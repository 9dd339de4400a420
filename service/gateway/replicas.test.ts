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
import { makePerson, makeSite, type Person } from '../testing/site.ts';

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
    const children: ChildProcess[] = [];
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
      for (const [at, port] of ports.entries())
        children.push(
          spawn(process.execPath, ['service/main.ts'], {
            // Folders of their own: what they share is the database and the key alone.
            env: { ...env, PORT: String(port), DATA_DIR: `${place.dataDir}/${at}` },
            stdio: 'ignore',
          }),
        );
      await Promise.all(urls.map((url) => vi.waitUntil(() => isReady(url), { timeout: 30_000 })));
    });
    afterAll(async () => {
      const ended = children.map((child) => once(child, 'exit'));
      for (const child of children) child.kill('SIGKILL');
      await Promise.all(ended);
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
    const signIn = (at: number, { email }: Person, password = PASSWORD) =>
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
      const admin = await makePerson(database.db, siteId, { passwordHash });
      const who = await makePerson(database.db, siteId, { passwordHash });
      const [cookie, other] = [cookieOf(await signIn(0, who)), cookieOf(await signIn(2, who))];
      expect(await onAll(cookie)).toEqual([200, 200, 200]);
      const acted = await act(admin, who, cookie, other);
      expect(acted.ok).toBe(true);
      expect(await onAll(cookie)).toEqual([401, 401, 401]);
    });

    test('one code, given to all of them at the same moment, opens one session (T14)', async () => {
      const who = await makePerson(database.db, siteId, { passwordHash });
      const begun = await call(0, who.cookie, 'POST', '/api/session/two-factor/enrolment');
      const { secret } = (await begun.json()) as Enrolment;
      const confirmed = await call(1, who.cookie, 'PUT', '/api/session/two-factor/enrolment', {
        code: await codeOf(secret),
      });
      expect(confirmed.status).toBe(200);
      await sql`update authenticator set last_step = 1`.execute(database.db);
      const halves = await Promise.all([0, 1, 2].map(async (at) => cookieOf(await signIn(at, who))));
      const code = await codeOf(secret);
      const answers = await Promise.all(
        Array.from({ length: 12 }, (_, at) =>
          call((at + 1) % 3, halves[at % 3] ?? '', 'POST', '/api/session/two-factor', { code }),
        ),
      );
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    });

    test('wrong passwords are counted by all of them together, and outlive a process that is killed (T13)', async () => {
      const who = await makePerson(database.db, siteId, { passwordHash });
      for (let at = 0; at < 5; at += 1) expect((await signIn(at % 2, who, 'wrong')).status).toBe(401);
      const last = children[0];
      const gone = last && once(last, 'exit');
      last?.kill('SIGKILL');
      await gone;
      expect((await signIn(2, who)).status).toBe(401);
      const { rows } = await sql<{ resting: boolean }>`select locked_until > now() as resting from account
      where user_id = ${who.userId}`.execute(database.db);
      expect(rows).toEqual([{ resting: true }]);
    });
  },
);

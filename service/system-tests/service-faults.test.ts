/**
 * Faults of the network, the disk, the clock and the process, for `npm run proof`: slow database, full disk of PostgreSQL, aborted and idle clients,
 * SIGSTOP, few files, little memory.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { appendFile, chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { installDebianPackage } from '../../scripts/testing/debian.ts';
import { runStatement, startPostgres } from '../../scripts/testing/postgres.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../testing/databases.ts';
import { DATA, makeThings, type Things } from '../testing/entries/entries.ts';
import { type ServiceProcess, startService } from '../testing/processes/service-process.ts';
import { startDatabaseProxy } from '../testing/servers/database-proxy.ts';
import { createTestApp, makePerson, makeSite, makeToken, openSession, type Person } from '../testing/site.ts';

const isProof = process.env['STEWARD_PROOF'] !== undefined && process.platform === 'linux';
const CONNECTIONS = 5_000;
const SLOW_MS = 150;
/** Megabytes of heap of the process with little memory, which uses about 100 when idle. */
const HEAP_MB = 192;
/** Replaces the clock of a process by one that follows a file. */
const FAKE_CLOCK_LIBRARY = '/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1';
const FAKE_CLOCK = {
  LD_PRELOAD: FAKE_CLOCK_LIBRARY,
  FAKETIME_NO_CACHE: '1',
  FAKETIME_DONT_FAKE_MONOTONIC: '1',
};
const ensureFakeClock = (): boolean => {
  if (!isProof) return false;
  const isThere =
    existsSync(FAKE_CLOCK_LIBRARY) || (installDebianPackage('faketime') && existsSync(FAKE_CLOCK_LIBRARY));
  if (!isThere)
    console.error(
      'Without libfaketime, the clock of PostgreSQL is not changed (Debian: apt install faketime)',
    );
  return isThere;
};
const MEBIBYTE = Buffer.alloc(1_048_576);
const run = promisify(execFile);

const getResidentMiB = (pid: number | undefined): number => {
  const [, kilobytes = '0'] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
};

/** Opens connections in groups, so that the queue of the listener is not the limit. */
async function openConnections(address: string, count: number): Promise<Socket[]> {
  const { hostname, port } = new URL(address);
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const group = Array.from({ length: Math.min(200, count - sockets.length) }, () =>
      connect(Number(port), hostname).on('error', () => {}),
    );
    await Promise.all(group.map((socket) => Promise.race([once(socket, 'connect'), once(socket, 'close')])));
    sockets.push(...group);
  }
  return sockets;
}

describe.runIf(isProof)('faults', () => {
  onEachKind((kind) => {
    let testDatabase: TestDatabase;
    let service: ServiceProcess | undefined;
    let person: Person;
    beforeEach(async () => {
      testDatabase = await createTestDatabase(kind);
      const database = await openDatabase(testDatabase);
      person = await makePerson(database.db, await makeSite(database.db));
      await database.close();
    });
    afterEach(async () => {
      service?.child.kill('SIGCONT');
      service?.child.kill('SIGKILL');
      await service?.exited;
      service = undefined;
      await testDatabase.remove();
    });
    const request = async (path: string, init: RequestInit = {}) => {
      const started = performance.now();
      const reply = await fetch(`${service?.address}${path}`, {
        ...init,
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
      });
      await reply.text();
      return { status: reply.status, ms: performance.now() - started };
    };
    const createGroup = (name: string) =>
      request('/api/rest/v1/management/user/group', { method: 'POST', body: JSON.stringify({ name }) });

    test(`${CONNECTIONS} idle connections: requests are answered, and the memory comes back (F28)`, async () => {
      service = await startService(testDatabase);
      await request('/readyz');
      const before = getResidentMiB(service.child.pid);
      const sockets = await openConnections(service.address, CONNECTIONS);
      const replies = await Promise.all(
        Array.from({ length: 50 }, (_, index) => createGroup(`Group ${index}`)),
      );
      const during = getResidentMiB(service.child.pid);
      expect(replies.every(({ status }) => status === 200)).toBe(true);
      for (const socket of sockets) socket.destroy();
      expect((await request('/readyz')).status).toBe(200);
      const slowest = Math.max(...replies.map(({ ms }) => ms));
      console.log(
        `${kind}: ${CONNECTIONS} connections take ${(during - before).toFixed(0)} MiB; slowest of 50 writes ${slowest.toFixed(0)} ms`,
      );
      expect(during - before).toBeLessThan(400);
    });

    test('2,000 requests whose clients leave: the service goes on and no connection of the pool is lost (F19)', async () => {
      service = await startService(testDatabase);
      for (let group = 0; group < 20; group += 1) {
        await Promise.all(
          Array.from({ length: 100 }, async (_, index) => {
            const controller = new AbortController();
            const running = createGroup(`Group ${group} ${index}`).catch(() => undefined);
            const aborted = request('/api/rest/v1/management/user?pageSize=1000', {
              signal: controller.signal,
            }).catch(() => undefined);
            await sleep(index % 20);
            controller.abort();
            await Promise.all([running, aborted]);
          }),
        );
      }
      const replies = await Promise.all(
        Array.from({ length: 60 }, (_, index) => createGroup(`After ${index}`)),
      );
      expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 60 }, () => 200));
    });

    test('a process that is frozen with requests under way answers all of them afterwards (F04)', async () => {
      service = await startService(testDatabase);
      for (let round = 0; round < 5; round += 1) {
        const replies = Array.from({ length: 20 }, (_, index) => createGroup(`Group ${round} ${index}`));
        await sleep(round * 7);
        service.child.kill('SIGSTOP');
        await sleep(1_000);
        service.child.kill('SIGCONT');
        const statuses = (await Promise.all(replies)).map(({ status }) => status);
        expect(statuses).toEqual(Array.from({ length: 20 }, () => 200));
      }
    });

    test(`${HEAP_MB} MB of heap: large writes at once are stored or refused, and the process goes on (F31)`, async () => {
      const database = await openDatabase(testDatabase);
      const app = await createTestApp(database);
      const things: Things = await makeThings({ app, db: database.db });
      await app.close();
      await database.close();
      service = await startService(testDatabase, { NODE_OPTIONS: `--max-old-space-size=${HEAP_MB}` });
      person = things.person;
      const fieldId = things.field('Name').id;
      const write = async (group: number) => {
        const storeRequests = Array.from({ length: 5_000 }, (_, index) => ({
          entryId: -1 - index,
          fieldId,
          value: `Entry ${index} of ${group} ${'x'.repeat(100)}`,
          ignoreNearDups: true,
        }));
        return request(`${DATA}/entrydata/Thing`, {
          method: 'POST',
          body: JSON.stringify({ storeRequests }),
        });
      };
      const replies = await Promise.all(Array.from({ length: 16 }, (_, group) => write(group)));
      const statuses = replies.map(({ status }) => status);
      console.log(`${kind}: 16 writes of 5,000 entries with ${HEAP_MB} MB of heap: ${statuses.join(', ')}`);
      expect(statuses.filter((status) => ![200, 429, 503].includes(status))).toEqual([]);
      expect([(await request('/readyz')).status, service.child.exitCode]).toEqual([200, null]);
      const answer = await fetch(`${service.address}${DATA}/entrydata/rows/query/Thing`, {
        method: 'POST',
        headers: { authorization: `Bearer ${person.token}`, 'content-type': 'application/json' },
        body: JSON.stringify({ limit: 1 }),
      });
      const { totalRecords } = (await answer.json()) as { totalRecords: number };
      expect(totalRecords).toBe(5_000 * statuses.filter((status) => status === 200).length);
    });

    test('without free file descriptors it does not end, and goes on once there are some (F32)', async () => {
      service = await startService(testDatabase);
      await request('/readyz');
      const { pid } = service.child;
      await run('prlimit', ['--pid', String(pid), '--nofile=150']);
      const sockets = await openConnections(service.address, 400);
      for (const socket of sockets) socket.destroy();
      const deadline = Date.now() + 20_000;
      let status = 0;
      while (status !== 200 && Date.now() < deadline)
        status = await createGroup(`Group ${Date.now()}`).then(
          (reply) => reply.status,
          () => 0,
        );
      expect([status, service.child.exitCode]).toEqual([200, null]);
    });
  });

  test.runIf(process.getuid?.() === 0)(
    'a full disk of PostgreSQL: 507 and nothing stored, then writes go on by themselves (F13)',
    { timeout: 300_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'steward-full-'));
      await run('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', folder]);
      vi.stubEnv('TMPDIR', folder);
      const cluster = await startPostgres(['min_wal_size=64MB', 'max_wal_size=64MB']);
      vi.unstubAllEnvs();
      const dataDir = await mkdtemp(join(tmpdir(), 'steward-test-'));
      const place = { databaseUrl: cluster.url, dataDir };
      const database = await openDatabase(place);
      const { token } = await makePerson(database.db, await makeSite(database.db));
      await database.close();
      // Segments of the write-ahead log are there: without room for one, PostgreSQL stops, which is another fault.
      for (let segment = 0; segment < 4; segment += 1) {
        await runStatement(cluster.url, 'select pg_switch_wal()');
        await runStatement(cluster.url, 'checkpoint');
      }
      const service = await startService(place);
      const url = `${service.address}/api/rest/v1/management/user/group`;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const createGroup = async (name: string) => {
        const description = name.repeat(20);
        return (await fetch(url, { method: 'POST', headers, body: JSON.stringify({ name, description }) }))
          .status;
      };
      try {
        const statuses = new Map<string, number>([['Before', await createGroup('Before')]]);
        const ballast = join(folder, 'ballast');
        const fill = async (): Promise<void> => appendFile(ballast, MEBIBYTE).then(fill);
        await expect(fill()).rejects.toThrow('ENOSPC');
        for (let at = 0; at < 300; at += 1) statuses.set(`Group ${at}`, await createGroup(`Group ${at}`));
        await rm(ballast);
        const deadline = Date.now() + 30_000;
        for (let at = 0; statuses.get('After') !== 200 && Date.now() < deadline; at += 1)
          statuses.set('After', await createGroup('After'));
        const count = (status: number) => [...statuses.values()].filter((each) => each === status).length;
        console.log(
          `full disk: ${count(200)} written, ${count(507)} refused with 507, ${count(503)} with 503`,
        );
        expect(count(507)).toBeGreaterThan(0);
        expect(count(200) + count(507) + count(503)).toBe(statuses.size);
        expect(statuses.get('After')).toBe(200);
        const answer = await fetch(`${url}?pageSize=1000`, { headers });
        const stored = new Set(((await answer.json()) as { name: string }[]).map(({ name }) => name));
        const written = [...statuses].filter(([, status]) => status === 200).map(([name]) => name);
        const refused = [...statuses].filter(([, status]) => status === 507).map(([name]) => name);
        expect(written.filter((name) => !stored.has(name))).toEqual([]);
        expect(refused.filter((name) => stored.has(name))).toEqual([]);
      } finally {
        service.child.kill('SIGKILL');
        await service.exited;
        await cluster.stop();
        await run('umount', [folder]);
        await rm(folder, { recursive: true });
        await rm(dataDir, { recursive: true });
      }
    },
  );

  test.runIf(ensureFakeClock())(
    'the clock of PostgreSQL jumps forward and back: credentials end in time, and writes and jobs go on (F18)',
    { timeout: 300_000 },
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'steward-clock-'));
      await chmod(folder, 0o755);
      const clock = join(folder, 'offset');
      const setClock = (offset: string) => writeFile(clock, offset);
      await setClock('+0');
      for (const [name, value] of Object.entries({ ...FAKE_CLOCK, FAKETIME_TIMESTAMP_FILE: clock }))
        vi.stubEnv(name, value);
      const cluster = await startPostgres();
      vi.unstubAllEnvs();
      const place = { databaseUrl: cluster.url, dataDir: folder };
      const database = await openDatabase(place);
      const person = await makePerson(database.db, await makeSite(database.db));
      const service = await startService(place);
      const call = (token: string, path: string, body?: object) =>
        fetch(`${service.address}/api/rest/v1/management/${path}`, {
          headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
          ...(body && { method: 'POST', body: JSON.stringify(body) }),
        });
      const getSessionStatus = async (cookie: string) =>
        (
          await fetch(`${service.address}/console/api/session`, {
            headers: { cookie: `steward=${cookie}`, 'x-steward-console': '1' },
          })
        ).status;
      const createGroup = async (token: string, name: string) =>
        (await call(token, 'user/group', { name })).status;
      const runJob = async (token: string) => {
        const started = await call(token, 'jobs/userUpdates', { userIds: [person.userId], isActive: true });
        const { id } = (await started.json()) as { id: number };
        const getState = async () =>
          ((await (await call(token, `jobs/${id}`)).json()) as { state: string }).state;
        await expect.poll(getState, { timeout: 60_000 }).toBe('finished');
      };
      try {
        expect([await getSessionStatus(person.cookie), await createGroup(person.token, 'Now')]).toEqual([
          200, 200,
        ]);
        await setClock('+13h');
        expect([await getSessionStatus(person.cookie), await createGroup(person.token, 'Late')]).toEqual([
          401, 401,
        ]);
        const later = {
          token: await makeToken(database.db, person),
          cookie: await openSession(database.db, person.siteId, person.userId),
        };
        expect([await getSessionStatus(later.cookie), await createGroup(later.token, 'Later')]).toEqual([
          200, 200,
        ]);
        await runJob(later.token);
        await setClock('+0');
        expect([await getSessionStatus(later.cookie), await createGroup(later.token, 'Back')]).toEqual([
          200, 200,
        ]);
        await runJob(later.token);
        const answer = await call(later.token, 'user/group?pageSize=100');
        const names = ((await answer.json()) as { name: string }[]).map(({ name }) => name);
        expect(names).toEqual(expect.arrayContaining(['Now', 'Later', 'Back']));
        expect(names).not.toContain('Late');
      } finally {
        service.child.kill('SIGKILL');
        await service.exited;
        await database.close();
        await cluster.stop();
        await rm(folder, { recursive: true });
      }
    },
  );

  test(`a database ${SLOW_MS} ms away is slow in proportion, and nothing fails (F08)`, async () => {
    const testDatabase = await createTestDatabase('postgres');
    const proxy = await startDatabaseProxy(testDatabase.databaseUrl ?? '');
    const database = await openDatabase({ ...testDatabase, databaseUrl: proxy.url });
    const app = await createTestApp(database);
    try {
      const person = await makePerson(database.db, await makeSite(database.db));
      const read = async () => {
        const started = performance.now();
        const { statusCode } = await app.inject({
          url: '/api/rest/v1/management/user/group',
          headers: { authorization: `Bearer ${person.token}` },
        });
        return { statusCode, ms: performance.now() - started };
      };
      await read();
      proxy.delay(SLOW_MS);
      const replies = await Promise.all(Array.from({ length: 40 }, read));
      const slowest = Math.max(...replies.map(({ ms }) => ms));
      console.log(`slow database: ${replies.length} reads at once, slowest ${slowest.toFixed(0)} ms`);
      expect(replies.every(({ statusCode }) => statusCode === 200)).toBe(true);
      // One round trip each, for as many requests at once as there are connections.
      expect(slowest).toBeLessThan(20 * SLOW_MS * 2);
    } finally {
      await app.close();
      await database.close();
      proxy.close();
      await testDatabase.remove();
    }
  });
});

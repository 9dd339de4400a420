/**
 * Processes behind nginx are restarted one after the other while clients read and write, and the database has a migration of a newer
 * version that is marked compatible: no request fails. One that is killed costs little. `npm test` takes two processes and restarts one;
 * `npm run proof` takes three, restarts each four times, spread over 100,000 requests, and kills one.
 */
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { sql } from 'kysely';
import { expect, test, vi } from 'vitest';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { ensureNginx, startNginx } from '../../scripts/testing/nginx.ts';
import { type Db, openDatabase } from '../kernel/db/database.ts';
import { createTestDatabase } from '../testing/databases.ts';
import { type ServiceProcess, startService } from '../testing/processes/service-process.ts';
import { makePerson, makeSite, makeToken } from '../testing/site.ts';

const isProof = process.env['STEWARD_PROOF'] !== undefined;
const [PROCESSES, RESTARTS, REQUESTS, CLIENTS] = isProof ? [3, 12, 100_000, 16] : [2, 1, 200, 8];
const TIMEOUT_MS = isProof ? 3_600_000 : 60_000;
/** Interval of the probes of a load balancer: the longest time for which it sends requests to a process that is gone. */
const PROBE_MS = 5_000;
const USERS = '/api/rest/v1/management/user';

const isSkipped = process.env['STEWARD_TEST_DATABASES'] === 'embedded' || !ensureNginx();

/** What a version that is one migration ahead does to the database. */
const NEWER_MIGRATION = [
  `alter table account add column newer text not null default 'a'`,
  'create table newer_table (site_id int not null references site)',
  `insert into kysely_migration (name, timestamp) values ('9999_newer', '2026-11-23T12:00:00Z')`,
  `insert into migration_phase (name, phase) values ('9999_newer', 'expand')`,
];

/** The clients of a test: they read and write through nginx until they are stopped, and count the outcomes. */
interface Load {
  /** Outcomes and how often they occurred: `200`, or what came instead. */
  outcomes: ReadonlyMap<string, number>;
  /** Times of `performance.now()` at which an answer other than 200 arrived. */
  failedAt: readonly number[];
  getSent: () => number;
  /** Stops after at least this many requests. */
  stop: (minRequests: number) => Promise<void>;
}

interface Cluster {
  ports: readonly number[];
  processes: Map<number, ServiceProcess>;
  start: (port: number) => Promise<ServiceProcess>;
  db: Db;
  startLoad: () => Load;
  /** Gives the clients a new token: one is valid for 15 minutes, which a slow machine exceeds. */
  renewToken: () => Promise<void>;
  stop: () => Promise<void>;
}

/** Starts processes of the service on one database behind nginx. */
async function startCluster(): Promise<Cluster> {
  const testDatabase = await createTestDatabase('postgres');
  const { db, close } = await openDatabase(testDatabase);
  const person = await makePerson(db, await makeSite(db));
  let { token } = person;
  const ports = await Promise.all(Array.from({ length: PROCESSES }, () => findFreePort()));
  const start = (port: number) =>
    startService(testDatabase, { PORT: String(port), STOP_DELAY: '1', TRUSTED_PROXIES: '127.0.0.1' });
  const processes = new Map<number, ServiceProcess>();
  for (const [at, process] of (await Promise.all(ports.map(start))).entries())
    processes.set(ports[at] ?? 0, process);
  const nginx = await startNginx(ports);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS, rejectUnauthorized: false });
  const send = (method: string, path: string, body?: string): Promise<string> =>
    new Promise((resolve) => {
      const options = {
        agent,
        method,
        path,
        host: '127.0.0.1',
        port: nginx.port,
        headers: {
          host: 'steward.example',
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
        },
      };
      request(options, (response) => {
        const status = String(response.statusCode);
        text(response).then(
          (answer) => resolve(status === '200' ? status : `${method} ${status} ${answer}`),
          (error: unknown) => resolve(`${method} ${String(error)}`),
        );
      })
        .once('error', (error) => resolve(`${method} ${String(error)}`))
        .end(body);
    });
  await expect.poll(() => send('GET', `${USERS}?pageSize=1`), { timeout: 10_000 }).toBe('200');

  const startLoad = (): Load => {
    const outcomes = new Map<string, number>();
    const failedAt: number[] = [];
    let sent = 0;
    let stopsAfter = Infinity;
    const runClient = async (client: number): Promise<void> => {
      while (sent < stopsAfter) {
        sent += 1;
        const outcome = await (sent % 4 === 0
          ? send('PUT', USERS, JSON.stringify({ id: person.userId, lastName: `Name ${client} ${sent}` }))
          : send('GET', `${USERS}/${person.userId}`));
        outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
        if (outcome !== '200') failedAt.push(performance.now());
      }
    };
    const clients = Array.from({ length: CLIENTS }, (_each, client) => runClient(client));
    return {
      outcomes,
      failedAt,
      getSent: () => sent,
      async stop(minRequests) {
        stopsAfter = minRequests;
        await Promise.all(clients);
      },
    };
  };
  return {
    ports,
    processes,
    start,
    db,
    startLoad,
    async renewToken() {
      token = await makeToken(db, person);
    },
    async stop() {
      agent.destroy();
      await nginx.stop();
      for (const { child, exited } of processes.values()) {
        child.kill('SIGKILL');
        await exited;
      }
      await close();
      await testDatabase.remove();
    },
  };
}

test.skipIf(isSkipped)(
  `a rolling restart under load beside a newer version fails no request (${REQUESTS} or more)`,
  async () => {
    const { db, ports, processes, start, startLoad, renewToken, stop } = await startCluster();
    const load = startLoad();
    for (const statement of NEWER_MIGRATION) await sql.raw(statement).execute(db);
    try {
      for (let restarts = 0; restarts < RESTARTS; restarts += 1) {
        await vi.waitUntil(() => load.getSent() >= (restarts * REQUESTS) / RESTARTS, { timeout: TIMEOUT_MS });
        await renewToken();
        const port = ports[restarts % PROCESSES] ?? 0;
        const running = processes.get(port);
        running?.child.kill('SIGTERM');
        expect(await running?.exited).toBe(0);
        processes.set(port, await start(port));
        expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
      }
      await load.stop(REQUESTS);
      expect([...load.outcomes.keys()]).toEqual(['200']);
      if (isProof) console.log(`${load.getSent()} requests during ${RESTARTS} restarts, none failed`);
    } finally {
      await load.stop(0);
      await stop();
    }
  },
  TIMEOUT_MS,
);

// Clients work for several seconds: too much for every run.
test.skipIf(isSkipped || !isProof)(
  'the loss of one process costs at most one probe of five seconds',
  async () => {
    const { ports, processes, startLoad, stop } = await startCluster();
    const load = startLoad();
    await expect.poll(load.getSent, { timeout: 30_000 }).toBeGreaterThan(CLIENTS * 4);
    const [killed = 0] = ports;
    const before = load.getSent();
    processes.get(killed)?.child.kill('SIGKILL');
    const killedAt = performance.now();
    await expect
      .poll(() => performance.now() - killedAt, { timeout: 2 * PROBE_MS })
      .toBeGreaterThan(1.5 * PROBE_MS);
    await load.stop(0);
    const sent = load.getSent() - before;
    const lastFailureMs = Math.max(0, ...load.failedAt) - killedAt;
    expect(sent).toBeGreaterThan(CLIENTS);
    expect(lastFailureMs).toBeLessThan(PROBE_MS);
    // Nothing but what the killed process was working on.
    expect(load.failedAt.length).toBeLessThanOrEqual(CLIENTS);
    console.log(
      `${sent} requests after kill -9 of one of ${PROCESSES} processes, ${load.failedAt.length} failed, the last after ${Math.max(0, Math.round(lastFailureMs))} ms`,
    );
    await stop();
  },
  300_000,
);

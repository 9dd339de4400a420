/**
 * The primary is killed while two processes write through an address that moves to its synchronous standby: no acknowledged write is
 * lost, and nobody read less than their own last write meanwhile. `npm test` does it once with few writes, `npm run proof` three times.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { runStatement, startPostgres, startStandby } from '../../scripts/testing/postgres.ts';
import { openDatabase } from '../kernel/db/database.ts';
import { DATA, makeThings } from '../testing/entries/entries.ts';
import { startService } from '../testing/processes/service-process.ts';
import { startDatabaseProxy } from '../testing/servers/database-proxy.ts';
import { createTestApp } from '../testing/site.ts';

const isProof = process.env['STEWARD_PROOF'] !== undefined;
const [ROUNDS, WRITES_BEFORE, WRITES_AFTER, WRITERS] = isProof ? [3, 2_000, 500, 8] : [1, 40, 20, 4];
const isSkipped = process.env['STEWARD_TEST_DATABASES'] === 'embedded';

interface Answer {
  status: number;
  body: string;
}

/** Sends a request; status 0 without an answer. */
function send(url: string, token: string, method: string, body?: unknown): Promise<Answer> {
  return new Promise((resolve) => {
    const fail = () => resolve({ status: 0, body: '' });
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    request(url, { method, headers }, (response) => {
      text(response).then((answer) => resolve({ status: response.statusCode ?? 0, body: answer }), fail);
    })
      .once('error', fail)
      .end(body === undefined ? undefined : JSON.stringify(body));
  });
}

const toDatabase = (clusterUrl: string): string => {
  const url = new URL(clusterUrl);
  url.pathname = '/steward';
  return url.href;
};

/** Kills a server and all its processes, which notice the end of the first one. */
async function killServer(clusterUrl: string): Promise<void> {
  const client = new Client({ connectionString: clusterUrl });
  client.on('error', () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: string }>(
    `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`,
  );
  const ended = new Promise((resolve) => client.once('end', resolve));
  process.kill(Number(rows[0]?.pid), 'SIGKILL');
  await ended;
}

async function runRound(): Promise<{
  acknowledged: number;
  lost: string[];
  stale: string[];
  pauseMs: number;
}> {
  const primary = await startPostgres(['synchronous_standby_names=keeper']);
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-failover-'));
  // A commit waits for the standby, which begins as a copy of the empty cluster.
  const standby = await startStandby(primary.url, { name: 'keeper' });
  await runStatement(primary.url, 'create database steward');
  const databaseUrl = toDatabase(primary.url);
  const setup = await openDatabase({ databaseUrl, dataDir });
  const app = await createTestApp(setup);
  const things = await makeThings({ app, db: setup.db });
  await app.close();
  await setup.close();
  const proxy = await startDatabaseProxy(databaseUrl);
  const place = { databaseUrl: proxy.url, dataDir };
  const env = { DATABASE_READ_URL: toDatabase(standby.url) };
  const processes = await Promise.all([startService(place, env), startService(place, env)]);
  onTestFinished(() => {
    for (const { child } of processes) child.kill('SIGKILL');
  });

  const acknowledged: string[] = [];
  const stale: string[] = [];
  const stopped = new AbortController();
  let lastWriteAt = 0;
  let pauseMs = 0;
  const { token } = things.person;
  const runWriter = async (writer: number): Promise<void> => {
    for (let count = 0; !stopped.signal.aborted; count += 1) {
      const name = `Written ${writer} ${count}`;
      const [writes, reads] = count % 2 === 0 ? processes : processes.toReversed();
      const storeRequests = things.items(-1, { Name: name });
      const path = `${DATA}/entrydata/${things.typeId}`;
      const { status } = await send(`${writes?.address}${path}`, token, 'POST', { storeRequests });
      if (status !== 200) continue;
      const now = performance.now();
      if (lastWriteAt > 0) pauseMs = Math.max(pauseMs, now - lastWriteAt);
      lastWriteAt = now;
      acknowledged.push(name);
      const query = new URLSearchParams({ query: `Name = "${name}"`, fields: 'Name' }).toString();
      const rows = await send(`${reads?.address}${DATA}/entrydata/rows/Thing?${query}`, token, 'GET');
      if (rows.status === 200 && !rows.body.includes(name)) stale.push(name);
    }
  };
  const writers = Array.from({ length: WRITERS }, (_each, writer) => runWriter(writer));
  const waitForWrites = async (count: number): Promise<void> => {
    await expect.poll(() => acknowledged.length, { timeout: 300_000 }).toBeGreaterThan(count);
  };
  await waitForWrites(WRITES_BEFORE);
  await killServer(primary.url);
  await runStatement(standby.url, 'select pg_promote()');
  proxy.redirect(toDatabase(standby.url));
  await waitForWrites(acknowledged.length + WRITES_AFTER);
  stopped.abort();
  await Promise.all(writers);

  const client = new Client({ connectionString: toDatabase(standby.url) });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `select c.name from unnest($1::text[]) as c(name) where not exists (select from entry e where e.name = c.name)`,
    [acknowledged],
  );
  await client.end();
  for (const { child, exited } of processes) {
    child.kill('SIGKILL');
    await exited;
  }
  proxy.close();
  await standby.stop();
  await primary.stop();
  await rm(dataDir, { recursive: true });
  return { acknowledged: acknowledged.length, lost: rows.map(({ name }) => name), stale, pauseMs };
}

test.skipIf(isSkipped)(
  'a failover to a synchronous standby loses no acknowledged write',
  async () => {
    for (let round = 0; round < ROUNDS; round += 1) {
      const { acknowledged, lost, stale, pauseMs } = await runRound();
      expect({ lost, stale }).toEqual({ lost: [], stale: [] });
      if (isProof)
        console.log(`${acknowledged} acknowledged writes, none lost; ${Math.round(pauseMs)} ms without one`);
    }
  },
  isProof ? 1_800_000 : 300_000,
);

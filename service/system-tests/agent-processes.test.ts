/**
 * Agents call three processes of the service behind one address, nginx: any process answers any message, limits count the calls of all of
 * them, and what an administrator ends has ended in each of them.
 */
import { Agent, request } from 'node:https';
import { text } from 'node:stream/consumers';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { FIELD } from '../../contract/rules/schema/fields.ts';
import { ensureNginx, startNginx } from '../../scripts/testing/nginx.ts';
import { type Database, openDatabase } from '../kernel/db/database.ts';
import { buildMessage, makeAgentKey, MCP, type RpcReply } from '../testing/agents.ts';
import { countWaiting, createTestDatabase, type TestDatabase } from '../testing/databases.ts';
import { makeEntryType } from '../testing/entries/entries.ts';
import { type ServiceProcess, startService } from '../testing/processes/service-process.ts';
import { as, createTestApp, makePerson, makeSite, type Person } from '../testing/site.ts';

const PROCESSES = 3;
const isSkipped = process.env['STEWARD_TEST_DATABASES'] === 'embedded' || !ensureNginx();

interface Answer {
  status: number;
  body: RpcReply;
  text: string;
  retryAfter: string | null;
}

describe.skipIf(isSkipped)('three processes behind one address', () => {
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  let testDatabase: TestDatabase;
  let database: Database;
  let processes: ServiceProcess[] = [];
  let nginx: Awaited<ReturnType<typeof startNginx>>;
  let app: Awaited<ReturnType<typeof createTestApp>>;
  let person: Person;
  beforeAll(async () => {
    testDatabase = await createTestDatabase('postgres');
    database = await openDatabase(testDatabase);
    processes = await Promise.all(
      Array.from({ length: PROCESSES }, () => startService(testDatabase, { TRUSTED_PROXIES: '127.0.0.1' })),
    );
    nginx = await startNginx(processes.map(({ address }) => Number(new URL(address).port)));
    // Prepares the data and the keys; agents do not call it.
    app = await createTestApp(database);
    person = await makePerson(database.db, await makeSite(database.db));
    const api = as(app, person);
    await makeEntryType(api, 'Vessel', { Draught: { fieldType: FIELD.number } });
    const { body: fields } = await api.get<{ id: number; apiName: string }[]>(
      '/api/rest/v4/schema/entrytypes/Vessel/fields',
    );
    const created = await api.post('/api/rest/v4/data/entrydata/Vessel', {
      storeRequests: fields.map(({ id, apiName }) => ({
        entryId: -1,
        fieldId: id,
        value: apiName === 'Draught' ? 7 : 'Adler',
      })),
    });
    if (created.status !== 200) throw new Error(created.text);
  }, 120_000);
  afterAll(async () => {
    agent.destroy();
    await nginx.stop();
    for (const { child, exited } of processes) {
      child.kill('SIGKILL');
      await exited;
    }
    await app.close();
    await database.close();
    await testDatabase.remove();
  });

  /** Sends a request through nginx. */
  const sendThroughProxy = (path: string, init: RequestInit = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      const headers = { ...Object.fromEntries(new Headers(init.headers)), host: 'steward.example' };
      const options = {
        agent,
        path,
        headers,
        host: '127.0.0.1',
        port: nginx.port,
        method: init.method ?? 'GET',
      };
      request(options, (response) => {
        const { statusCode = 0 } = response;
        const received = new Headers();
        for (const [name, value] of Object.entries(response.headers)) received.set(name, String(value));
        text(response).then(
          (body) =>
            resolve(new Response(body === '' ? null : body, { status: statusCode, headers: received })),
          reject,
        );
      })
        .once('error', reject)
        .end(typeof init.body === 'string' ? init.body : undefined);
    });

  /** Calls a tool in one process, or through nginx. */
  async function call(secret: string, name: string, args: object, process?: ServiceProcess): Promise<Answer> {
    const { headers, body } = buildMessage('tools/call', {
      name,
      arguments: { entryType: 'Vessel', ...args },
    });
    const init = {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${secret}` },
      body: JSON.stringify(body),
    };
    const response = await (process ? fetch(process.address + MCP, init) : sendThroughProxy(MCP, init));
    const answer = await response.text();
    return {
      status: response.status,
      body: JSON.parse(answer) as RpcReply,
      text: answer,
      retryAfter: response.headers.get('retry-after'),
    };
  }
  const count = (secret: string, process?: ServiceProcess) => call(secret, 'count_rows', {}, process);
  /** Statuses of a call in each process, and of twice as many through nginx. */
  const callEverywhere = async (secret: string): Promise<number[]> => {
    const everywhere = [...processes, ...Array.from({ length: 2 * PROCESSES }, () => undefined)];
    const answers = await Promise.all(everywhere.map((process) => count(secret, process)));
    return [...new Set(answers.map(({ status }) => status))];
  };
  /** A request of an administrator in the console, to the first process. */
  const administrate = async (method: string, path: string, body?: object): Promise<number> => {
    const response = await fetch(`${processes[0]?.address}/console${path}`, {
      method,
      headers: {
        cookie: `steward=${person.cookie}`,
        'x-steward-console': '1',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    return response.status;
  };
  const makeKey = () => makeAgentKey({ app, db: database.db }, person);
  /** Resolves when the ledger has this many calls of a key. */
  const waitForCalls = (keyId: number, expected: number) =>
    vi.waitFor(
      async () => {
        const { rows } = await sql<{ calls: number }>`
        select count(*)::int as calls from agent_call where key_id = ${keyId}`.execute(database.db);
        expect(rows[0]?.calls).toBe(expected);
      },
      { timeout: 20_000 },
    );

  test.each(['legacy', 'auto'] as const)('a client of the SDK (%s) needs no session', async (mode) => {
    const { secret, key } = await makeKey();
    const client = new Client({ name: 'sdk', version: '2.4.0' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(`https://steward.example${MCP}`), {
      requestInit: { headers: { authorization: `Bearer ${secret}` } },
      fetch: (url, init) => sendThroughProxy(new URL(String(url)).pathname, init),
    });
    await client.connect(transport);
    const calls = 4 * PROCESSES;
    for (let sent = 0; sent < calls; sent += 1) {
      const { structuredContent } = await client.callTool({
        name: 'query_rows',
        arguments: { entryType: 'Vessel', fields: ['Draught'] },
      });
      expect(structuredContent).toMatchObject({ totalRows: 1, rows: [{ values: { Draught: 7 } }] });
    }
    await client.close();
    // Nothing is lost or counted twice, whoever answered.
    await waitForCalls(key.id, calls);
    const { rows } = await sql<{ calls: number }>`
      select day_calls as calls from agent_key where key_id = ${key.id}`.execute(database.db);
    expect(rows).toEqual([{ calls }]);
  });

  test('limits of a key and of the site count the calls of all processes', async () => {
    const { db } = database;
    const [{ secret, key }, other] = [await makeKey(), await makeKey()];
    const statuses: number[] = [];
    for (let sent = 0; sent < 60; sent += 1)
      statuses.push((await count(secret, processes[sent % PROCESSES])).status);
    expect(new Set(statuses)).toEqual(new Set([200]));
    await waitForCalls(key.id, 60);
    // The minute may have ended: the counters are those of one minute.
    const setMinute = (calls: number, siteCalls: number) =>
      sql`with k as (update agent_key set minute = date_trunc('minute', now()), minute_calls = ${calls} where key_id = ${key.id})
        update agent_site set minute = date_trunc('minute', now()), minute_calls = ${siteCalls}
        where site_id = ${person.siteId}`.execute(db);
    const { rows } = await sql<{
      calls: number;
    }>`select day_calls as calls from agent_key where key_id = ${key.id}`.execute(db);
    expect(rows).toEqual([{ calls: 60 }]);
    await setMinute(rows[0]?.calls ?? 0, 0);
    for (const process of [...processes, undefined]) {
      const { status, body, retryAfter } = await count(secret, process);
      expect([status, body.error?.message]).toEqual([429, 'At most 60 calls of a key per minute']);
      expect(Number(retryAfter)).toBeGreaterThan(0);
      expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    }
    // The other key of the same person has its own limit, until the site has reached its own.
    expect(await callEverywhere(other.secret)).toEqual([200]);
    await waitForCalls(other.key.id, 3 * PROCESSES);
    await setMinute(0, 600);
    for (const process of [...processes, undefined]) {
      const { status, body } = await count(other.secret, process);
      expect([status, body.error?.message]).toEqual([
        429,
        'At most 600 calls of all agents of the site per minute',
      ]);
    }
    await setMinute(0, 0);
  });

  test('what is paused, forbidden or revoked in one process has ended in all of them', async () => {
    const { secret, key } = await makeKey();
    const path = `/api/agent/keys/${key.id}`;
    expect(await callEverywhere(secret)).toEqual([200]);
    expect(await administrate('PUT', path, { isPaused: true })).toBe(200);
    expect(await callEverywhere(secret)).toEqual([403]);
    expect(await administrate('PUT', path, { isPaused: false })).toBe(200);
    expect(await callEverywhere(secret)).toEqual([200]);

    const { rows } = await sql<{ id: number }>`
      select field_id as id from field where site_id = ${person.siteId} and api_name = 'Draught'`.execute(
      database.db,
    );
    const change = { fieldId: rows[0]?.id, isForbidden: true };
    expect(await administrate('PUT', '/api/agent/forbidden', change)).toBe(200);
    for (const process of [...processes, undefined]) {
      const answer = await call(secret, 'query_rows', {}, process);
      expect([answer.status, answer.text.includes('Adler'), answer.text.includes('Draught')]).toEqual([
        200,
        true,
        false,
      ]);
    }
    expect(await administrate('PUT', '/api/agent/forbidden', { ...change, isForbidden: false })).toBe(200);

    expect(await administrate('DELETE', path)).toBe(204);
    expect(await callEverywhere(secret)).toEqual([401]);
  });

  test('a revoked key ends the calls that run in all processes within a second', async () => {
    const { secret, key } = await makeKey();
    expect(await callEverywhere(secret)).toEqual([200]);
    const outcome = await database.db.transaction().execute(async (tx) => {
      await sql`lock table entry in access exclusive mode`.execute(tx);
      const running = processes.map((process) => call(secret, 'query_rows', {}, process));
      // The calls are seen waiting before the key is revoked.
      await expect.poll(() => countWaiting(database.db), { timeout: 10_000 }).toBe(PROCESSES);
      const revoked = await administrate('DELETE', `/api/agent/keys/${key.id}`);
      const start = performance.now();
      const answers = await Promise.all(running);
      return [revoked, ...answers.map(({ status }) => status), performance.now() - start < 1_000];
    });
    expect(outcome).toEqual([204, 401, 401, 401, true]);
  });
});

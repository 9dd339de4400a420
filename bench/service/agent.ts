/** Calls of the agent server compared with the same requests to the API, and the cost of the ledger, on PostgreSQL in this process. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { capabilities } from '../../contract/rules/people/capabilities.ts';
import { runStatement } from '../../scripts/testing/postgres.ts';
import { createApp } from '../../service/app.ts';
import { registry } from '../../service/areas/registry.ts';
import { createEncryption } from '../../service/kernel/auth/encryption.ts';
import { type Db, openDatabase } from '../../service/kernel/db/database.ts';
import { createFolderStore } from '../../service/kernel/files/folder-store.ts';
import { createEgress } from '../../service/kernel/network/egress.ts';
import { createSecret } from '../../service/kernel/secret.ts';
import { createLog } from '../../service/kernel/telemetry/log.ts';
import type { Bench, Measure } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { type LoadRequest, measureLoad } from './requests/http-load.ts';

const DATABASE = 'steward_bench_agent';
const ENTRIES = 10_000;
const ROWS = 50;
const CALLERS = 8;
const SECONDS = 4;
const ROUNDS = 3;
const LEDGER_ROUNDS = 6;
/** Time in which the ledger stores something as long as calls wait. */
const SETTLE_MS = 400;
/** Requests of a round that measures processor time, and such rounds. */
const CPU_REQUESTS = 200;
const CPU_ROUNDS = 20;
/** No limit is reached during the measurement. */
const LIMITS = { callsPerMinute: 1e8, rowsPerMinute: 1e9, siteCallsPerMinute: 1e8 };
const VERSION = '2026-07-28';

/** A site with entries, a person with an access token, and an agent key. */
async function fill(db: Db): Promise<{ token: string; secret: string }> {
  const [token, secret] = [createSecret(), createSecret()];
  const all = capabilities.map(({ name }) => name);
  await sql`
    with s as (insert into site (slug, name, has_agent_server) values ('agents', 'Agents', true) returning site_id),
    a as (insert into account (email, email_key, first_name, last_name, home_site_id)
      select 'agent@bench.test', 'agent@bench.test', 'A', 'B', site_id from s returning user_id)
    insert into membership (site_id, user_id, license_type_id) select site_id, user_id, 1 from s, a`.execute(
    db,
  );
  await sql`
    with g as (insert into user_group (site_id, name, capabilities)
      select site_id, 'All', ${all}::text[] from membership returning site_id, group_id)
    insert into group_member (site_id, group_id, user_id) select g.site_id, g.group_id, m.user_id from g, membership m`.execute(
    db,
  );
  await sql`
    with k as (insert into api_key (site_id, user_id, secret_hash, scopes)
      select site_id, user_id, ${token.hash}, '{data}' from membership returning *)
    insert into access_token (token_hash, client_id, site_id, user_id, scopes, expires_at)
    select ${token.hash}, client_id, site_id, user_id, scopes, now() + interval '1 hour' from k`.execute(db);
  await sql`insert into agent_key (site_id, user_id, name, secret_hash, expires_at)
    select site_id, user_id, 'Bench', ${secret.hash}, now() + interval '1 hour' from membership`.execute(db);
  return { token: token.plain, secret: secret.plain };
}

/** Resolves when no more calls are stored: the next measurement would take part of the work of the one before. */
async function untilStored(db: Db): Promise<void> {
  let last = -1;
  for (;;) {
    const { rows } = await sql<{ n: number }>`select count(*)::int as n from agent_call`.execute(db);
    const n = rows[0]?.n ?? 0;
    if (n === last) return;
    last = n;
    await sleep(SETTLE_MS);
  }
}

async function measure(): Promise<Measure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-bench-agent-'));
  await chooseDatabase('postgres');
  const cluster = process.env['TEST_DATABASE_URL'] ?? '';
  const databaseUrl = new URL(cluster);
  databaseUrl.pathname = `/${DATABASE}`;
  await runStatement(cluster, `drop database if exists ${DATABASE} with (force)`);
  await runStatement(cluster, `create database ${DATABASE}`);
  const database = await openDatabase({ databaseUrl: databaseUrl.href, dataDir });
  const log = createLog('silent');
  const app = await createApp({
    database,
    services: {
      publicUrl: 'http://127.0.0.1:4400',
      dataDir,
      blobs: createFolderStore(dataDir),
      storageQuota: null,
      logRetention: { activityDays: null, auditDays: null },
      egress: createEgress({ rules: [], log }),
      backupSheets: Object.values(registry.sheets),
      mailExamples: registry.mailExamples,
      jobKinds: registry.jobKinds,
      encryption: createEncryption(Buffer.alloc(32)),
      wakeTask: () => {},
    },
    trustedProxies: [],
    log,
    agentLimits: LIMITS,
  });
  try {
    const { token, secret } = await fill(database.db);
    const url = await app.listen({ port: 0, host: '127.0.0.1' });
    const api = { authorization: `Bearer ${token}` };
    const post = async <Body>(path: string, body: object): Promise<Body> => {
      const headers = { ...api, 'content-type': 'application/json' };
      const response = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) });
      if (!response.ok) throw new Error(`${response.status} of ${path}: ${await response.text()}`);
      return (await response.json()) as Body;
    };
    const names = { apiName: 'Company', singularName: 'Company', pluralName: 'Companies' };
    const { id: typeId } = await post<{ id: number }>('/api/rest/v4/schema/entrytypes', names);
    for (const apiName of ['City', 'Sector', 'Note'])
      await post(`/api/rest/v4/schema/entrytypes/${typeId}/fields`, { apiName, name: apiName, fieldType: 1 });
    const response = await fetch(`${url}/api/rest/v4/schema/entrytypes/${typeId}/fields`, { headers: api });
    const fields = (await response.json()) as { id: number; apiName: string }[];
    for (let from = 0; from < ENTRIES; from += 2_000)
      await post(`/api/rest/v4/data/entrydata/${typeId}`, {
        storeRequests: Array.from({ length: 2_000 }, (_, index) =>
          fields.map(({ id, apiName }) => ({
            entryId: -1 - index,
            fieldId: id,
            value: `${apiName} ${from + index} ${apiName === 'Note' ? 'a few words '.repeat(5) : ''}`,
            ignoreNearDups: true,
          })),
        ).flat(),
      });
    await sql`analyze`.execute(database.db);
    const query = { fields: ['Name', 'City', 'Sector', 'Note'], limit: ROWS };
    const read: LoadRequest = {
      method: 'POST',
      path: `/api/rest/v4/data/entrydata/rows/query/${typeId}`,
      headers: api,
      body: JSON.stringify({ ...query, textLimit: 500 }),
    };
    const readCount = { ...read, body: JSON.stringify({ fields: ['EntryId'], limit: 1 }) };
    const createMessage = (method: string, params: object, name: object): LoadRequest => ({
      method: 'POST',
      path: '/api/agent/mcp',
      headers: {
        authorization: `Bearer ${secret}`,
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': VERSION,
        'mcp-method': method,
        ...name,
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method,
        params: {
          ...params,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': VERSION,
            'io.modelcontextprotocol/clientInfo': { name: 'bench', version: '1' },
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    const callTool = (name: string, args: object) =>
      createMessage('tools/call', { name, arguments: args }, { 'mcp-name': name });
    const tool = callTool('query_rows', { entryType: 'Company', ...query });
    const count = callTool('count_rows', { entryType: 'Company' });
    const load = (request: LoadRequest, callers = CALLERS) =>
      measureLoad([url], () => request, { callers, seconds: SECONDS });
    await Promise.all([load(read), load(tool)]);
    // In turn, so that other work on the machine slows all of them alike.
    const rates = { read: 0, tool: 0, readCount: 0, count: 0 };
    let [readMs, toolMs] = [0, 0];
    for (let round = 0; round < ROUNDS; round += 1) {
      rates.read += (await load(read)).rate / ROUNDS;
      rates.tool += (await load(tool)).rate / ROUNDS;
      rates.readCount += (await load(readCount)).rate / ROUNDS;
      rates.count += (await load(count)).rate / ROUNDS;
      readMs += (await load(read, 1)).getLatency(0.5) / ROUNDS;
      toolMs += (await load(tool, 1)).getLatency(0.5) / ROUNDS;
    }
    /** Processor time of this process for a request without a socket, in milliseconds. */
    const measureProcessorMs = async ({ method, path, headers, body = '' }: LoadRequest): Promise<number> => {
      const before = process.cpuUsage();
      for (let sent = 0; sent < CPU_REQUESTS; sent += 1) {
        const type = { 'content-type': 'application/json' };
        const options = { method, url: path, headers: { ...headers, ...type }, payload: body };
        const { statusCode, payload } = await app.inject(options);
        if (statusCode !== 200) throw new Error(`${statusCode} of ${path}: ${payload.slice(0, 300)}`);
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1_000 / CPU_REQUESTS;
    };
    // The lowest of several rounds: other programs only ever add to it.
    const processorMs = { read: Infinity, tool: Infinity, readCount: Infinity, count: Infinity };
    const requests = { read, tool, readCount, count };
    for (let round = 0; round < CPU_ROUNDS; round += 1)
      for (const name of ['read', 'tool', 'readCount', 'count'] as const)
        processorMs[name] = Math.min(processorMs[name], await measureProcessorMs(requests[name]));
    const ledger = { stored: 0, waiting: 0 };
    const measureStored = async () => {
      ledger.stored += (await load(tool)).rate / LEDGER_ROUNDS;
    };
    const measureWaiting = async () => {
      // Calls are answered while the ledger waits for the lock, and stored afterwards.
      ledger.waiting += await database.db.transaction().execute(async (tx) => {
        await sql`lock table agent_call in share mode`.execute(tx);
        return (await load(tool)).rate / LEDGER_ROUNDS;
      });
      await untilStored(database.db);
    };
    for (let round = 0; round < LEDGER_ROUNDS; round += 1) {
      // The second of the two finds a warmer process.
      const inTurn = [measureStored, measureWaiting];
      for (const measureOne of round % 2 === 0 ? inTurn : inTurn.toReversed()) await measureOne();
    }
    return [
      {
        name: `query_rows, ${ROWS} rows, one caller (median)`,
        ours: toolMs,
        floor: readMs,
        unit: 'ms',
        maximum: readMs * 1.15,
      },
      {
        name: `query_rows, ${ROWS} rows, ${CALLERS} callers`,
        ours: rates.tool,
        floor: rates.read,
        unit: '/s',
      },
      {
        name: `count_rows, ${CALLERS} callers`,
        ours: rates.count,
        floor: rates.readCount,
        unit: '/s',
        minimum: 500,
      },
      {
        name: `query_rows, ${ROWS} rows, processor time`,
        ours: processorMs.tool * 1_000,
        floor: processorMs.read * 1_000,
        unit: 'µs',
        maximum: processorMs.read * 1_150,
      },
      {
        name: 'count_rows, processor time',
        ours: processorMs.count * 1_000,
        floor: processorMs.readCount * 1_000,
        unit: 'µs',
        maximum: processorMs.readCount * 1_150,
      },
      {
        name: 'query_rows while the ledger is written : while it is not',
        ours: ledger.stored,
        floor: ledger.waiting,
        unit: '/s',
        minimum: ledger.waiting * 0.95,
      },
    ];
  } finally {
    await app.close();
    await database.close();
    await runStatement(cluster, `drop database ${DATABASE} with (force)`);
    await rm(dataDir, { recursive: true, force: true });
  }
}

export const agent: Bench = {
  name: 'agent server',
  peerName: 'API',
  run: measure,
};

/**
 * The cost of a request beside a minimal server (requests/minimal-server.ts) on the same database, in turns. With `--delay` the
 * bytes between the servers and the database arrive that many milliseconds later in each direction.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { Pool } from 'pg';
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { hashPassword, verifyPassword } from '../../service/kernel/auth/passwords.ts';
import { type Bench, mean, type Measure, measureRate } from '../bench.ts';
import { startEntryService, type EntryService } from '../entries/entry-service.ts';
import { measureProcessorTime } from '../processor-time.ts';
import { type DelayProxy, startDelayProxy } from './requests/delay-proxy.ts';
import { type Load, type LoadRequest, measureLoad } from './requests/http-load.ts';

const CALLERS = 16;
const DELAYED_CALLERS = 32;
const TURNS = 4;
const SECONDS = 2;
const ENTRIES = 5_000;
/** Number of people who sign in, each with the password of the administrator. */
const SIGNERS = 40;
const SITE = 'northlight';
const USER = '/api/rest/v1/management/user';

interface ServerProcess {
  url: string;
  stop(): Promise<void>;
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, 'exit');
  child.kill();
  await exited;
}

async function startMinimalServer(databaseUrl: string): Promise<ServerProcess> {
  const child = spawn(process.execPath, ['bench/service/requests/minimal-server.ts'], {
    env: { ...process.env, DATABASE_URL: databaseUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [url] = (await once(createInterface(child.stdout), 'line')) as string[];
  return { url: url ?? '', stop: () => stopChild(child) };
}

/** Starts another process of a service on the same storage, with the database behind `databaseUrl`. */
async function startProcess(
  env: Readonly<Record<string, string>>,
  databaseUrl: string,
): Promise<ServerProcess> {
  const port = await findFreePort();
  const url = `http://127.0.0.1:${port}`;
  const child = spawn(process.execPath, ['service/main.ts'], {
    env: { ...process.env, ...env, DATABASE_URL: databaseUrl, PORT: String(port), STEWARD_SAMPLE: 'off' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) {
    if (child.exitCode !== null) throw new Error('The service did not start');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return { url, stop: () => stopChild(child) };
}

async function createAccessToken({ service }: EntryService): Promise<string> {
  const args = ['api-key', ada.email, '--scopes', 'user_management data', '--site', SITE, '--replace'];
  const key = z
    .object({ client_id: z.coerce.string(), client_secret: z.string() })
    .parse(await service.admin(...args));
  const body = new URLSearchParams({
    grant_type: 'client_credentials',
    scope: 'user_management data',
    ...key,
  });
  const answer = await fetch(`${service.url}/api/rest/v1/oauth/token`, { method: 'POST', body });
  return z.object({ access_token: z.string() }).parse(await answer.json()).access_token;
}

type Side = 'ours' | 'minimal';
type CreateRequest = () => LoadRequest;

interface Operation {
  name: string;
  ours: CreateRequest;
  minimal: CreateRequest;
  /** Required ratio of our rate to that of the minimal server. */
  minRatio: number;
}

/** The measured requests; each call takes the next user or entry. */
async function listOperations(entryService: EntryService, pool: Pool, token: string): Promise<Operation[]> {
  const headers = { authorization: `Bearer ${token}` };
  const users = await pool.query<{ id: number }>(
    `select user_id as id from membership m join account a using (user_id)
      where site_id = 1 and a.home_site_id = 1 and email <> $1
        and not exists (select from membership o where o.user_id = m.user_id and o.site_id <> 1)
      order by 1 limit 64`,
    [ada.email],
  );
  const entries = await pool.query<{ id: number }>(
    'select entry_id as id from entry where site_id = 1 and type_id = $1 order by 1 limit 512',
    [entryService.typeId],
  );
  const fieldId = entryService.getField('Phone').id;
  let turn = 0;
  const next = (rows: readonly { id: number }[]) => rows[turn++ % rows.length]?.id ?? 0;
  const updateUser = (path: string) => (): LoadRequest => ({
    method: 'PUT',
    path,
    headers,
    body: JSON.stringify({ id: next(users.rows), firstName: `F${turn}` }),
  });
  return [
    {
      name: 'getUser',
      ours: () => ({ method: 'GET', path: `${USER}/${next(users.rows)}`, headers }),
      minimal: () => ({ method: 'GET', path: `/user/${next(users.rows)}`, headers }),
      minRatio: 0.75,
    },
    { name: 'PUT user', ours: updateUser(USER), minimal: updateUser('/user'), minRatio: 0.55 },
    {
      name: 'entry write of one cell',
      ours: () => ({
        method: 'PUT',
        path: `/api/rest/v4/data/entrydata/${entryService.typeId}`,
        headers,
        body: JSON.stringify({
          storeRequests: [{ entryId: next(entries.rows), fieldId, value: `P${turn}` }],
        }),
      }),
      minimal: () => ({
        method: 'PUT',
        path: '/entry',
        headers,
        body: JSON.stringify({ entryId: next(entries.rows), fieldId, value: `P${turn}` }),
      }),
      minRatio: 0.5,
    },
  ];
}

/** The program of each side, whose processor time is measured: unlike rates, it can be compared on a machine with other work. */
const SCRIPTS: Record<Side, string> = { ours: 'service/main.ts', minimal: 'minimal-server.ts' };

interface TurnLoad extends Load {
  /** Milliseconds of processor time of the server's process for a request. */
  processorMs: number;
}

/** Measures both servers alternately; the first turn of each warms up. */
async function measureInTurns(
  urls: Record<Side, readonly string[]>,
  { ours, minimal }: Operation,
  callers: number,
): Promise<Record<Side, readonly TurnLoad[]>> {
  const loads: Record<Side, TurnLoad[]> = { ours: [], minimal: [] };
  for (let turn = 0; turn <= TURNS; turn += 1)
    for (const [side, createRequest] of [['ours', ours] as const, ['minimal', minimal] as const]) {
      const measureSeconds = () => measureProcessorTime(undefined, SCRIPTS[side]).service;
      const before = measureSeconds();
      const load = await measureLoad(urls[side], createRequest, { callers, seconds: SECONDS });
      const processorMs = ((measureSeconds() - before) * 1_000) / load.requests;
      if (turn > 0) loads[side].push({ ...load, processorMs });
    }
  return loads;
}

const meanRate = (loads: readonly Load[]) => mean(loads.map(({ rate }) => rate));
const meanLatency = (loads: readonly Load[], part: number) =>
  mean(loads.map(({ getLatency }) => getLatency(part)));

/** Rates with many callers, and for writes the 95th percentile of the duration. */
async function measureRates(
  urls: Record<Side, readonly string[]>,
  operations: readonly Operation[],
): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const operation of operations) {
    const { ours, minimal } = await measureInTurns(urls, operation, CALLERS);
    const floor = meanRate(minimal);
    const name = `${operation.name}, ${CALLERS} callers`;
    measures.push({ name, ours: meanRate(ours), floor, unit: '1/s', minimum: operation.minRatio * floor });
    const meanProcessorTime = (loads: readonly TurnLoad[]) =>
      mean(loads.map(({ processorMs }) => processorMs));
    measures.push({
      name: `${name}, processor time of the process`,
      ours: meanProcessorTime(ours),
      floor: meanProcessorTime(minimal),
      unit: 'ms',
    });
    if (operation.name !== 'getUser')
      measures.push({
        name: `${name}, p95`,
        ours: meanLatency(ours, 0.95),
        floor: meanLatency(minimal, 0.95),
        unit: 'ms',
        ...(operation.name === 'PUT user' && { maximum: 60 }),
      });
  }
  return measures;
}

const createSignIn = (url: string, emails: readonly string[]): CreateRequest => {
  let turn = 0;
  return () => ({
    method: 'POST',
    path: '/console/api/session',
    headers: { 'x-steward-console': '1', origin: url },
    body: JSON.stringify({ email: emails[turn++ % emails.length], password: ada.password }),
  });
};

/** People with the password of the administrator and no second factor. */
async function prepareSigners(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ email: string }>(
    `update account set password_hash = (select password_hash from account where email = $1)
      where user_id in (select user_id from membership where site_id = 1 and is_active and not two_factor_enabled
        and not ip_restrictions_enabled and license_type_id <> 4 and expires_at is null order by user_id desc limit $2)
      returning email`,
    [ada.email, SIGNERS],
  );
  return rows.map(({ email }) => email);
}

/** Sign-ins beside the password hash alone, which runs in this process. */
async function measureSignIns(url: string, pool: Pool): Promise<Measure> {
  const createRequest = createSignIn(url, await prepareSigners(pool));
  const stored = await hashPassword(ada.password);
  const ours: number[] = [];
  const floor: number[] = [];
  for (let turn = 0; turn <= TURNS; turn += 1) {
    await pool.query('delete from throttle');
    const { rate } = await measureLoad([url], createRequest, { callers: 8, seconds: SECONDS });
    if (turn > 0) ours.push(rate);
    floor.push(await measureRate(async () => void (await verifyPassword(ada.password, stored)), 8, SECONDS));
  }
  await pool.query('delete from throttle');
  return {
    name: 'sign-in, 8 callers; floor: the password hash alone',
    ours: mean(ours),
    floor: mean(floor),
    unit: '1/s',
    minimum: 0.8 * mean(floor),
  };
}

/** Durations of one caller, and the rate of PUT user with one to three processes. */
async function measureWithDelay(
  entryService: EntryService,
  pool: Pool,
  operations: readonly Operation[],
  { delay, databaseUrl }: { delay: number; databaseUrl: string },
): Promise<Measure[]> {
  const measures: Measure[] = [];
  const proxy: DelayProxy = await startDelayProxy(databaseUrl, delay);
  const processes: ServerProcess[] = [];
  const suffix = `${delay} ms to the database`;
  try {
    for (let index = 0; index < 3; index += 1)
      processes.push(await startProcess(entryService.service.storageEnv, proxy.url));
    const minimalServer = await startMinimalServer(proxy.url);
    processes.push(minimalServer);
    const serviceUrls = processes.slice(0, 3).map(({ url }) => url);
    const [first = ''] = serviceUrls;
    const urls = { ours: [first], minimal: [minimalServer.url] };
    for (const operation of operations) {
      const { ours, minimal } = await measureInTurns(urls, operation, 1);
      measures.push({
        name: `${operation.name}, 1 caller, p50, ${suffix}`,
        ours: meanLatency(ours, 0.5),
        floor: meanLatency(minimal, 0.5),
        unit: 'ms',
        ...(operation.name === 'PUT user' && { maximum: 45 }),
      });
    }
    const signIn = createSignIn(first, await prepareSigners(pool));
    await pool.query('delete from throttle');
    const load = await measureLoad([first], signIn, { callers: 1, seconds: 2 * SECONDS });
    measures.push({ name: `sign-in, 1 caller, p50, ${suffix}`, ours: load.getLatency(0.5), unit: 'ms' });
    const put = operations.find(({ name }) => name === 'PUT user');
    for (const count of [1, 2, 3]) {
      if (!put) break;
      const servers = { ours: serviceUrls.slice(0, count), minimal: [minimalServer.url] };
      const { ours } = await measureInTurns(servers, put, DELAYED_CALLERS);
      measures.push({
        name: `PUT user, ${DELAYED_CALLERS} callers, ${count} processes, ${suffix}`,
        ours: meanRate(ours),
        unit: '1/s',
        ...(count === 1 && { minimum: 200 }),
      });
    }
    return measures;
  } finally {
    await Promise.all(processes.map((each) => each.stop()));
    proxy.close();
  }
}

export const requests: Bench = {
  name: 'Cost of a request',
  peerName: 'minimal server',
  async run({ delay = 0, note }) {
    const entryService = await startEntryService('postgres', { entries: ENTRIES, changes: 0 });
    const databaseUrl = entryService.service.storageEnv['DATABASE_URL'] ?? '';
    const pool = new Pool({ connectionString: databaseUrl, max: 2 });
    const minimalServer = await startMinimalServer(databaseUrl);
    try {
      const { rows } = await pool.query<{ version: string }>('select version()');
      note(`${rows[0]?.version.split(' ', 2).join(' ')}, ${TURNS} turns of ${SECONDS} s each.`);
      const token = await createAccessToken(entryService);
      const operations = await listOperations(entryService, pool, token);
      if (delay > 0) return await measureWithDelay(entryService, pool, operations, { delay, databaseUrl });
      const { url } = entryService.service;
      const rates = await measureRates({ ours: [url], minimal: [minimalServer.url] }, operations);
      return [...rates, await measureSignIns(url, pool)];
    } finally {
      await minimalServer.stop();
      await pool.end();
      await entryService.remove();
    }
  },
};

import { readdirSync, readFileSync } from 'node:fs';
/**
 * Publications on PostgreSQL with two processes of the service: the time from a commit to a waiting poll of the other process, reading
 * a topic by poll beside the pull consumer of NATS JetStream, writers beside custom topics and waiting polls, the memory of streams,
 * and killed writers and fillers.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AckPolicy, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import pLimit from 'p-limit';
import { Pool } from 'pg';
import { z } from 'zod';
import { FIELD } from '../../contract/rules/schema/fields.ts';
import { ada } from '../../e2e/support/data/people.ts';
import { startService } from '../../e2e/support/service.ts';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { openDatabase } from '../../service/kernel/db/database.ts';
import { createSecret } from '../../service/kernel/secret.ts';
import {
  publishCells,
  startPublicationProcess,
  type PublicationTask,
} from '../../service/testing/processes/publication-process.ts';
import { startService as startProcess } from '../../service/testing/processes/service-process.ts';
import { ensureNatsServer, startNats } from '../../service/testing/servers/nats.ts';
import { TOPIC_MESSAGES } from '../../service/testing/topic-messages.ts';
import { type Bench, mean, measureMs, measureRate, type Measure, percentile } from '../bench.ts';
import { chooseDatabase } from '../database.ts';

const PUBLICATION = '/api/rest/v1/publication';
const LATENCY_EVENTS = 100;
const DRAINED_EVENTS = 20_000;
const DRAIN_BATCH = 1_000;
const CUSTOM_TOPICS = 20;
const WAITING_POLLS = 200;
const WRITERS = 4;
const WRITE_SECONDS = 2;
const WRITE_ROUNDS = 12;
const READING_ROUNDS = 4;
const STREAMS = 2_000;
/** Limits of the service (T23). */
const STREAMS_OF_USER = 5;
const STREAMS_OF_SITE = 200;
const KILL_BATCH = 500;
const BYTES_PER_KIB = 1_024;
const BYTES_PER_MIB = 1_024 ** 2;

interface Program {
  token: string;
}

/** Creates users of a site with all capabilities that the benchmark needs, each with an API key and an access token. */
async function addPrograms(pool: Pool, siteId: number, count: number): Promise<Program[]> {
  const secrets = Array.from({ length: count }, createSecret);
  const { rows: groups } = await pool.query<{ id: number }>(
    `insert into user_group (site_id, name, capabilities)
     values ($1, 'Bench ' || gen_random_uuid(), '{Access Web Service,Manage Publications,Manage Groups,Read Data,Write Data}')
     returning group_id as id`,
    [siteId],
  );
  const { rows: users } = await pool.query<{ id: number }>(
    `insert into account (email, email_key, first_name, last_name, home_site_id)
     select key, key, 'P', 'Bench', $1 from (select gen_random_uuid() || '@bench.test' as key from generate_series(1, $2::int)) made
     returning user_id as id`,
    [siteId, count],
  );
  const ids = users.map(({ id }) => id);
  await pool.query(
    'insert into membership (site_id, user_id, license_type_id) select $1, id, 1 from unnest($2::int[]) id',
    [siteId, ids],
  );
  await pool.query(
    'insert into group_member (site_id, group_id, user_id) select $1, $2, id from unnest($3::int[]) id',
    [siteId, groups[0]?.id, ids],
  );
  const scopes = ['data', 'publish', 'user_management'];
  await pool.query(
    `with k as (
      insert into api_key (site_id, user_id, secret_hash, scopes)
      select $1, id, hash, $4 from unnest($2::int[], $3::bytea[]) as x(id, hash) returning client_id, user_id, secret_hash)
    insert into access_token (token_hash, client_id, site_id, user_id, scopes, expires_at)
    select secret_hash, client_id, $1, user_id, $4, now() + interval '1 hour' from k`,
    [siteId, ids, secrets.map(({ hash }) => hash), scopes],
  );
  return secrets.map(({ plain }) => ({ token: plain }));
}

const headersOf = ({ token }: Program) => ({
  authorization: `Bearer ${token}`,
  'content-type': 'application/json',
});

async function call(
  url: string,
  path: string,
  program: Program,
  init: { method?: string; body?: unknown; signal?: AbortSignal; headers?: Record<string, string> } = {},
): Promise<unknown> {
  const response = await fetch(url + path, {
    method: init.method ?? 'POST',
    headers: { ...headersOf(program), ...init.headers },
    ...(init.body !== undefined && { body: JSON.stringify(init.body) }),
    ...(init.signal && { signal: init.signal }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${response.status} of ${path}: ${text}`);
  return text === '' ? undefined : JSON.parse(text);
}

const LastEvent = z.object({ topicOffset: z.number() });
const Events = z.array(z.object({ topicOffset: z.number(), modifiedAt: z.string() }));
const poll = async (url: string, program: Program, body: object, signal?: AbortSignal) =>
  Events.parse(await call(url, `${PUBLICATION}/poll`, program, { body, ...(signal && { signal }) }));
const acknowledge = (url: string, program: Program, name: string, offset: number) =>
  call(url, `${PUBLICATION}/acknowledge`, program, { body: [{ name, offset }] });

/** Milliseconds from the insert of an event, just before its commit, to the answer of a poll at another process. */
async function measureLatency(
  writeUrl: string,
  pollUrl: string,
  [writer, reader]: readonly [Program, Program],
) {
  const name = 'default-users';
  const old = await poll(pollUrl, reader, { topics: [name], timeOut: 0, count: 1_000 });
  let next = (old.at(-1)?.topicOffset ?? -1) + 1;
  await acknowledge(pollUrl, reader, name, next);
  const waits: number[] = [];
  const reading = (async () => {
    while (waits.length < LATENCY_EVENTS) {
      const events = await poll(pollUrl, reader, { topics: [name], timeOut: 60_000 });
      const receivedAt = Date.now();
      for (const { modifiedAt } of events) waits.push(receivedAt - Date.parse(modifiedAt));
      next = (events.at(-1)?.topicOffset ?? next - 1) + 1;
      await acknowledge(pollUrl, reader, name, next);
    }
  })();
  for (let index = 0; index < LATENCY_EVENTS; index += 1) {
    await call(writeUrl, '/api/rest/v1/management/user/group', writer, {
      body: { name: `G${index} ${Math.random()}` },
    });
    await sleep(20 + Math.random() * 100);
  }
  await reading;
  return waits;
}

/**
 * Events a second that a consumer reads and acknowledges in batches, and the texts of the messages. It accepts compressed responses, as
 * `fetch` does, or none, as JetStream sends them.
 */
async function drainByPoll(
  url: string,
  reader: Program,
  encoding: 'gzip, deflate, br' | 'identity',
): Promise<{ rate: number; texts: string[] }> {
  const batches: unknown[][] = [];
  let next = 0;
  const ms = await measureMs(async () => {
    while (next < DRAINED_EVENTS) {
      const body = { topics: ['default-data'], timeOut: 0, count: DRAIN_BATCH };
      const headers = { 'accept-encoding': encoding };
      const events = await call(url, `${PUBLICATION}/poll`, reader, { body, headers });
      if (!Array.isArray(events)) throw new Error('No list of events');
      batches.push(events);
      next = LastEvent.parse(events.at(-1)).topicOffset + 1;
      await acknowledge(url, reader, 'default-data', next);
    }
  });
  const texts = batches.flat().map((event) => JSON.stringify(event));
  return { rate: (texts.length * 1_000) / ms, texts };
}

/** Messages a second that a pull consumer of JetStream reads, with a file store, after another has read them. */
async function drainJetStream(
  program: string,
  texts: readonly string[],
  ackPolicy: AckPolicy,
): Promise<number> {
  const server = await startNats(program);
  const nats = await connect({ servers: `127.0.0.1:${server.port}` });
  try {
    const manager = await jetstreamManager(nats);
    await manager.streams.add({ name: 'bench', subjects: ['bench'] });
    const client = jetstream(nats);
    const limit = pLimit(500);
    await Promise.all(texts.map((text) => limit(() => client.publish('bench', text))));
    const drain = async (name: string) => {
      await manager.consumers.add('bench', {
        durable_name: name,
        ack_policy: ackPolicy,
        max_ack_pending: -1,
      });
      const consumer = await client.consumers.get('bench', name);
      let count = 0;
      const ms = await measureMs(async () => {
        while (count < texts.length) {
          const messages = await consumer.fetch({ max_messages: DRAIN_BATCH, expires: 5_000 });
          let left = Math.min(DRAIN_BATCH, texts.length - count);
          for await (const message of messages) {
            message.json();
            count += 1;
            left -= 1;
            if (ackPolicy === AckPolicy.Explicit || left === 0) message.ack();
          }
        }
        await nats.flush();
      });
      return (count * 1_000) / ms;
    };
    await drain('first');
    return await drain('second');
  } finally {
    await nats.close();
    await server.remove();
  }
}

interface Cell {
  typeId: number;
  fieldId: number;
  entryIds: number[];
}

async function findCells(pool: Pool): Promise<Cell> {
  const { rows } = await pool.query<Cell>(
    `select f.type_id as "typeId", max(f.field_id) as "fieldId", (array_agg(distinct e.entry_id))[1:50] as "entryIds"
     from field f join entry e on e.site_id = f.site_id and e.type_id = f.type_id
     where f.site_id = 1 and f.kind = $1 and f.formula is null and f.deleted_at is null and not f.is_multi
     group by 1 order by count(*) desc limit 1`,
    [FIELD.text],
  );
  const [cells] = rows;
  if (!cells) throw new Error('The sample has no entry with a text field');
  return cells;
}

/** Changes of one cell a second, by four callers, and milliseconds of processor time for each, of the services and the database. */
async function measureWrites(
  { url, pool }: Setup,
  writers: readonly Program[],
  { typeId, fieldId, entryIds }: Cell,
): Promise<{ rate: number; processorMs: number }> {
  let turn = 0;
  const before = await readProcessorMs(pool);
  const rate = await measureRate(
    async () => {
      turn += 1;
      const writer = writers[turn % writers.length];
      if (!writer) throw new Error('No writer');
      const storeRequests = [
        { entryId: entryIds[turn % entryIds.length], fieldId, value: `V${turn} ${Math.random()}` },
      ];
      await call(url, `/api/rest/v4/data/entrydata/${typeId}`, writer, {
        method: 'PUT',
        body: { storeRequests },
      });
    },
    WRITERS,
    WRITE_SECONDS,
  );
  return { rate, processorMs: ((await readProcessorMs(pool)) - before) / turn };
}

/** Polls that wait again as soon as they are answered and acknowledged. The last topic is the only one that may have events. */
async function keepPolling(
  url: string,
  readers: readonly Program[],
  topics: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const name = topics.at(-1) ?? '';
  await Promise.all(
    readers.map(async (reader) => {
      while (!signal.aborted)
        await poll(url, reader, { topics, timeOut: 60_000 }, signal)
          .then((events) => {
            const [first] = events;
            return first && acknowledge(url, reader, name, (events.at(-1)?.topicOffset ?? 0) + 1);
          })
          .catch(() => sleep(50));
    }),
  );
}

const readResidentBytes = (pid: number): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * BYTES_PER_KIB;

const TICKS_PER_SECOND = 100;

/** Processor time in milliseconds of the services of this process and of the database server, their former children included. */
async function readProcessorMs(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ pid: number }>('select pg_backend_pid() as pid');
  const processes = new Map<number, { parent: number; ticks: number }>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
      processes.set(Number(name), { parent: Number(fields[1]), ticks });
    } catch {
      // The process has ended.
    }
  }
  const server = processes.get(rows[0]?.pid ?? 0)?.parent ?? 0;
  const counts = (pid: number): boolean => {
    const parent = processes.get(pid)?.parent;
    return pid === server || parent === server || parent === process.pid || (!!parent && counts(parent));
  };
  let ticks = 0;
  for (const [pid, found] of processes) if (counts(pid)) ticks += found.ticks;
  return (ticks * 1_000) / TICKS_PER_SECOND;
}

const Targets = z.array(z.object({ webSocketDebuggerUrl: z.string() }));

/** Collects the garbage of a process that was started with `--inspect`. */
async function collectGarbage(port: number): Promise<void> {
  const [target] = Targets.parse(await (await fetch(`http://127.0.0.1:${port}/json`)).json());
  const socket = new WebSocket(target?.webSocketDebuggerUrl ?? '');
  await new Promise((resolve) => socket.addEventListener('open', resolve));
  const answered = new Promise((resolve) => socket.addEventListener('message', resolve));
  socket.send(JSON.stringify({ id: 1, method: 'HeapProfiler.collectGarbage' }));
  await answered;
  socket.close();
}

/** Memory that open streams take in a process of their own. */
async function measureStreams({ pool, databaseUrl }: Setup): Promise<Measure[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-bench-'));
  const inspectPort = await findFreePort();
  const service = await startProcess(
    { databaseUrl, dataDir },
    // The young generation of `npm start`.
    { NODE_OPTIONS: `--inspect=127.0.0.1:${inspectPort} --max-semi-space-size=4` },
  );
  const agent = new Agent({ keepAlive: false, maxSockets: Infinity });
  const ends: (() => void)[] = [];
  const open = (program: Program) =>
    new Promise<void>((resolve, reject) => {
      const request = get(
        `${service.address}${PUBLICATION}/stream?topic=default-data`,
        { agent, headers: headersOf(program) },
        (response) => {
          response.resume();
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${response.statusCode} of a stream`));
        },
      ).on('error', reject);
      ends.push(() => request.destroy());
    });
  try {
    const perSite = STREAMS_OF_SITE / STREAMS_OF_USER;
    const programs: Program[] = [];
    for (let opened = 0; opened < STREAMS; opened += STREAMS_OF_SITE) {
      const { rows } = await pool.query<{ id: number }>(
        `insert into site (slug, name, identity_mode) values ('b' || gen_random_uuid(), 'Bench', 'password') returning site_id as id`,
      );
      programs.push(...(await addPrograms(pool, rows[0]?.id ?? 0, perSite)));
    }
    const { pid = 0 } = service.child;
    const limit = pLimit(20);
    const openAll = (readers: readonly Program[]) =>
      Promise.all(
        readers.flatMap((program) =>
          Array.from({ length: STREAMS_OF_USER }, () => limit(() => open(program))),
        ),
      );
    // The first streams load and compile what all of them use; few, so that their memory is not that of the others.
    await openAll(programs.slice(0, 2));
    for (const end of ends.splice(0)) end();
    await collectGarbage(inspectPort);
    await sleep(2_000);
    const before = readResidentBytes(pid);
    await openAll(programs);
    await collectGarbage(inspectPort);
    await sleep(2_000);
    const bytes = readResidentBytes(pid) - before;
    return [{ name: `${STREAMS} streams`, ours: bytes / BYTES_PER_MIB, unit: 'MiB', maximum: 50 }];
  } finally {
    for (const end of ends) end();
    agent.destroy();
    service.child.kill('SIGKILL');
    await service.exited;
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Kills writers and fillers again and again until there are `count` events; returns the number of kills. @throws Error for a gap or double */
async function killProcesses(
  pool: Pool,
  databaseUrl: string,
  siteId: number,
  count: number,
): Promise<number> {
  const key = Buffer.alloc(32).toString('base64');
  const start = (role: PublicationTask['role']) =>
    startPublicationProcess({ role, databaseUrl, siteId, key, batchSize: KILL_BATCH });
  let kills = 0;
  const readNumber = async (statement: string): Promise<number> => {
    const { rows } = await pool.query<{ number: number }>(statement, [siteId]);
    return rows[0]?.number ?? 0;
  };
  const hasWritten = async () =>
    (await readNumber(
      `select next::int as number from topic where site_id = $1 and name = 'default-data'`,
    )) >= count;
  const hasFilled = async () =>
    (await readNumber(
      `select min(d.source_next - t.next)::int as number from topic t join topic_definition d using (site_id)
       where t.site_id = $1 and t.name = 'default-data'`,
    )) === 0;
  let acknowledged = 0;
  while (!(await hasWritten())) {
    const [writer, filler] = [start('write'), start('fill')];
    await writer.waitFor(String(KILL_BATCH));
    await sleep(Math.random() * 4_000);
    for (const { child } of [writer, filler]) child.kill('SIGKILL');
    await Promise.all([writer.exited, filler.exited]);
    acknowledged += writer.lines.length * KILL_BATCH;
    kills += 2;
  }
  const last = start('fill');
  while (!(await hasFilled())) await sleep(500);
  last.child.kill('SIGKILL');
  await last.exited;
  await pool.query('analyze topic, topic_event');
  const { rows } = await pool.query<Record<'next' | 'events' | 'ids' | 'end', number> & { name: string }>(
    `select name, next::int, count(*)::int as events, count(distinct payload ->> 'eventId')::int as ids, max(off)::int + 1 as end
     from ${TOPIC_MESSAGES} as message where site_id = $1 and name in ('default-data', 'all') group by name, next`,
    [siteId],
  );
  for (const { name, next, events, ids, end } of rows)
    if (events !== next || ids !== next || end !== next || next < acknowledged)
      throw new Error(
        `${name}: ${events} events, ${ids} of them different, up to ${end} of ${next}; ${acknowledged} were acknowledged`,
      );
  if (rows.length !== 2) throw new Error(`${rows.length} topics have events`);
  return kills;
}

async function addSite(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ id: number }>(
    `insert into site (slug, name, identity_mode) values ('k' || gen_random_uuid(), 'Bench', 'password') returning site_id as id`,
  );
  const siteId = rows[0]?.id ?? 0;
  await pool.query(
    `insert into topic (site_id, name) select $1, unnest('{default-data,default-users,default-schema,all}'::text[])`,
    [siteId],
  );
  await pool.query(
    `insert into topic_definition (site_id, topic_id, format, entry_types, source_next)
     select $1, topic_id, 'Cells', '[{"entryTypeId": 5}]', 0 from topic where site_id = $1 and name = 'all'`,
    [siteId],
  );
  return siteId;
}

/** Two processes of the service on one PostgreSQL. */
interface Setup {
  /** Address of the process that is written to, and of the other one. */
  url: string;
  otherUrl: string;
  databaseUrl: string;
  dataDir: string;
  pool: Pool;
}

async function withServices(run: (setup: Setup) => Promise<Measure[]>): Promise<Measure[]> {
  await chooseDatabase('postgres');
  const service = await startService({ sample: true, administrator: ada });
  const databaseUrl = service.storageEnv['DATABASE_URL'] ?? '';
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-bench-'));
  const other = await startProcess({ databaseUrl, dataDir });
  const pool = new Pool({ connectionString: databaseUrl, max: 5 });
  try {
    return await run({ url: service.url, otherUrl: other.address, databaseUrl, dataDir, pool });
  } finally {
    await pool.end();
    other.child.kill('SIGKILL');
    await other.exited;
    await rm(dataDir, { recursive: true, force: true });
    await service.remove();
  }
}

async function measureWaits({ url, otherUrl, pool }: Setup): Promise<Measure[]> {
  const [writer, reader] = await addPrograms(pool, 1, 2);
  if (!writer || !reader) throw new Error('No program');
  const waits = await measureLatency(url, otherUrl, [writer, reader]);
  const name = 'commit to poll of another process';
  return [
    { name: `${name}, p50`, ours: percentile(waits, 0.5), unit: 'ms' },
    { name: `${name}, p95`, ours: percentile(waits, 0.95), unit: 'ms', maximum: 150 },
  ];
}

/** Waits until all polls of a round have begun, so that their start is not part of what is measured. */
async function waitForPolls(pool: Pool): Promise<void> {
  const { rows } = await pool.query<{ now: Date }>('select clock_timestamp() as now');
  for (;;) {
    const { rows: found } = await pool.query<{ count: number }>(
      `select count(distinct client_id)::int as count from publication_consumer where polled_at > $1::timestamptz - interval '100 ms'`,
      [rows[0]?.now],
    );
    if ((found[0]?.count ?? 0) >= WAITING_POLLS) return;
    await sleep(50);
  }
}

/** Circumstances of the writers: custom topics of the site, and topics in which polls of the other process wait. */
interface Situation {
  name: string;
  hasTopics?: boolean;
  polled?: readonly string[];
  /** Least rate as a share of writes alone. */
  minimum?: number;
}

const ALONE: Situation = { name: 'alone' };

const SITUATIONS: readonly Situation[] = [
  ALONE,
  { name: `beside ${WAITING_POLLS} waiting polls`, polled: ['default-schema'] },
  { name: `beside ${CUSTOM_TOPICS} topics`, hasTopics: true },
  {
    name: `beside ${CUSTOM_TOPICS} topics and ${WAITING_POLLS} waiting polls`,
    hasTopics: true,
    polled: ['default-schema'],
    minimum: 0.95,
  },
];

/** Measured afterwards: the updates of its consumers are vacuumed while the next situation is measured. */
const READING: readonly Situation[] = [
  ALONE,
  {
    name: `beside ${CUSTOM_TOPICS} topics and ${WAITING_POLLS} polls that read one of them`,
    hasTopics: true,
    polled: ['default-schema', 'bench-0'],
  },
];

/** Adds the custom topics of the site, which begin with the next event. */
const addTopics = (pool: Pool, { typeId }: Cell) =>
  pool.query(
    `with made as (
      insert into topic (site_id, name) select 1, 'bench-' || n from generate_series(0, $1::int - 1) n returning topic_id)
    insert into topic_definition (site_id, topic_id, format, entry_types, source_next)
    select 1, topic_id, 'Rows', jsonb_build_array(jsonb_build_object('entryTypeId', $2::int)),
      (select next from topic where site_id = 1 and name = 'default-data') from made`,
    [CUSTOM_TOPICS, typeId],
  );
/** Removes the topics: the definitions first, whose rows are the leases of the process that fills. The events stay: their deletion would last into what is measured next. */
async function removeTopics(pool: Pool): Promise<void> {
  await pool.query('delete from topic_definition where site_id = 1');
  await pool.query(`delete from topic where site_id = 1 and name like 'bench-%'`);
}

async function measureWriters(setup: Setup): Promise<Measure[]> {
  const programs = await addPrograms(setup.pool, 1, WAITING_POLLS + WRITERS);
  const cells = await findCells(setup.pool);
  const writers = programs.slice(0, WRITERS);
  const readers = programs.slice(WRITERS);
  await measureWrites(setup, writers, cells);
  const measureAll = (situations: readonly Situation[], rounds: number) =>
    measureSituations(setup, { writers, readers, cells }, situations, rounds);
  return [...(await measureAll(SITUATIONS, WRITE_ROUNDS)), ...(await measureAll(READING, READING_ROUNDS))];
}

/**
 * Writes in each situation beside those of the first one, in turns, because the tables grow and the machine may become busier or quieter;
 * backwards in every second round, so that what one situation leaves to the next one, such as dead rows, is shared.
 */
async function measureSituations(
  setup: Setup,
  { writers, readers, cells }: { writers: Program[]; readers: Program[]; cells: Cell },
  situations: readonly Situation[],
  rounds: number,
): Promise<Measure[]> {
  const { otherUrl, pool } = setup;
  const measured = situations.map((situation) => ({
    ...situation,
    rates: new Array<number>(),
    costs: new Array<number>(),
  }));
  for (let round = 0; round < rounds; round += 1)
    for (const { hasTopics, polled, rates, costs } of round % 2 === 0 ? measured : measured.toReversed()) {
      if (hasTopics) await addTopics(pool, cells);
      const stop = new AbortController();
      const polling = polled && keepPolling(otherUrl, readers, polled, stop.signal);
      if (polling) await waitForPolls(pool);
      const { rate, processorMs } = await measureWrites(setup, writers, cells);
      stop.abort();
      await polling;
      if (hasTopics) await removeTopics(pool);
      rates.push(rate);
      costs.push(processorMs);
    }
  const [alone] = measured;
  const [floor, floorMs] = [mean(alone?.rates ?? []), mean(alone?.costs ?? [])];
  return measured.slice(1).flatMap(({ name, minimum, rates, costs }): Measure[] => [
    {
      name: `writes ${name}`,
      ours: mean(rates),
      floor,
      unit: '1/s',
      ...(minimum !== undefined && { minimum: minimum * floor }),
    },
    { name: `processor time of each of the writes ${name}`, ours: mean(costs), floor: floorMs, unit: 'ms' },
  ]);
}

async function measureDraining({ url, databaseUrl, dataDir, pool }: Setup): Promise<Measure[]> {
  const database = await openDatabase({ databaseUrl, dataDir });
  for (let from = 0; from < DRAINED_EVENTS; from += KILL_BATCH)
    await publishCells(database.db, 1, Array(KILL_BATCH).fill('x'.repeat(300)));
  await database.close();
  await pool.query('vacuum analyze topic_event');
  const programs = await addPrograms(pool, 1, 6);
  /** Each consumer drains once: what it has acknowledged is read. */
  const drainOurs = async (encoding: Parameters<typeof drainByPoll>[2]) => {
    const program = programs.pop();
    if (!program) throw new Error('No program');
    return drainByPoll(url, program, encoding);
  };
  // The first ones of a process are slower, here as with the peer.
  for (const encoding of ['identity', 'gzip, deflate, br'] as const) await drainOurs(encoding);
  const [plain, packed] = [await drainOurs('identity'), await drainOurs('gzip, deflate, br')];
  const { texts } = plain;
  const natsServer = ensureNatsServer();
  const drain = async (policy: AckPolicy) =>
    natsServer === undefined ? undefined : drainJetStream(natsServer, texts, policy);
  const each = await drain(AckPolicy.Explicit);
  const batches = await drain(AckPolicy.All);
  // Again after the peer, because the machine may have become busier or quieter.
  const [plainAgain, packedAgain] = [await drainOurs('identity'), await drainOurs('gzip, deflate, br')];
  const size = Math.round((texts[0] ?? '').length);
  const compare = (name: string, rates: readonly { rate: number }[], floor: number | undefined): Measure => ({
    name: `messages of ${size} characters drained, ${name}`,
    ours: mean(rates.map(({ rate }) => rate)),
    ...(floor !== undefined && { floor, minimum: floor }),
    unit: '1/s',
  });
  return [
    compare('each acknowledged', [plain, plainAgain], each),
    compare('each batch acknowledged', [plain, plainAgain], batches),
    compare('compressed, each acknowledged', [packed, packedAgain], each),
  ];
}

const bench = (
  subject: string,
  measure: (setup: Setup, options: { rows: number }) => Promise<Measure[]>,
  text?: string,
): Bench => ({
  name: `Publications: ${subject}`,
  peerName: subject === 'draining' ? 'JetStream' : 'alone',
  run({ rows = 20_000, note }) {
    if (text !== undefined) note(text);
    return withServices((setup) => measure(setup, { rows }));
  },
});

export const publications: readonly Bench[] = [
  bench('waiting', measureWaits),
  bench('writers', measureWriters, 'Custom topics have every written field.'),
  bench('streams', measureStreams, 'The memory is read after a garbage collection.'),
  bench('kills', async ({ pool, databaseUrl }, { rows }) => [
    {
      name: `kills of writers and fillers over ${rows} events without gap, double or loss`,
      ours: await killProcesses(pool, databaseUrl, await addSite(pool), rows),
      unit: '',
    },
  ]),
  bench('draining', measureDraining, 'By poll always a batch of 1,000 is acknowledged.'),
];

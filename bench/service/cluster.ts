/** Many sites on a coordinator and two workers with Citus, beside the same sites on one PostgreSQL (docs/scaling.md). */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { startService, type Service } from '../../e2e/support/service.ts';
import { findCitusPrograms, startPostgres } from '../../scripts/testing/postgres.ts';
import { DISTRIBUTED_TABLES } from '../../service/kernel/db/cluster.ts';
import {
  createOnEachServer,
  distributeDatabase,
  startCitusServers,
} from '../../service/testing/servers/citus.ts';
import { type Bench, type Measure, measureMs, percentile, toPercentiles } from '../bench.ts';
import { createAccessToken, createCaller, paths } from '../entries/entry-service.ts';

const SITES = 500;
const ENTRIES_PER_SITE = 200;
/** Sites whose rows are read and written. */
const MEASURED_SITES = 20;
const ROUNDS = 15;
const WINDOW = 100;
const SETTINGS = ['shared_buffers=512MB'];
const SHARDS = 'citus.shard_count=32';
/** Highest allowed p95 of a window of the grid as a multiple of that of one PostgreSQL. */
const MAX_RATIO = 1.5;
const TEMPLATE_SLUG = 'northlight';

const Nodes = z.array(z.object({ isCoordinator: z.boolean(), sites: z.number() }));
const Rows = z.object({ rows: z.array(z.object({ EntryId: z.number() })) });

type Caller = ReturnType<typeof createCaller>;

/** A service with its database of many sites. */
interface Installation {
  service: Service;
  databaseUrl: string;
  typeId: number;
  /** Id of the field Name. */
  nameFieldId: number;
  /** Callers of the API of the measured sites, with new tokens, which are valid for 15 minutes. */
  signIn(): Promise<Caller[]>;
  remove(): Promise<void>;
}

/** The distributed tables, each after those to which it refers. */
async function listTablesInOrder(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ from: string; to: string }>(
    `select conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint where contype = 'f'`,
  );
  const ordered: string[] = [];
  const add = (table: string) => {
    if (ordered.includes(table)) return;
    for (const { to } of rows.filter(({ from, to: other }) => from === table && other !== table))
      if ((DISTRIBUTED_TABLES as readonly string[]).includes(to)) add(to);
    ordered.push(table);
  };
  DISTRIBUTED_TABLES.forEach(add);
  // Triggers count the entries.
  return ordered.filter((table) => table !== 'entry_block');
}

interface TableRows {
  table: string;
  columns: string;
  rows: string[];
}

/** The rows of the first site, without what Relationship Intelligence stores. */
async function readTemplate(client: Client): Promise<TableRows[]> {
  const tables: TableRows[] = [];
  for (const table of await listTablesInOrder(client)) {
    const { rows } = await client.query<{ row: string }>(
      `select to_jsonb(t)::text as row from ${table} t where site_id = 1`,
    );
    const { rows: columns } = await client.query<{ names: string }>(
      `select string_agg(quote_ident(attname), ', ' order by attnum) as names from pg_attribute
       where attrelid = '${table}'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`,
    );
    if (rows.length > 0 && !table.startsWith('ri_'))
      tables.push({ table, columns: columns[0]?.names ?? '', rows: rows.map(({ row }) => row) });
  }
  return tables;
}

/** Adds a site with the rows of the template, of which triggers may have made some, and the administrator as a member who may read and write. */
async function addSite(client: Client, slug: string, template: readonly TableRows[]): Promise<void> {
  await client.query('begin');
  const { rows } = await client.query<{ id: number }>(
    `insert into site (slug, name) values ($1, $1) returning site_id as id`,
    [slug],
  );
  const siteId = rows[0]?.id ?? 0;
  await client.query(
    `insert into membership (site_id, user_id, license_type_id)
     select $1, user_id, 1 from account where email_key = lower($2)`,
    [siteId, ada.email],
  );
  await client.query(
    `with g as (insert into user_group (site_id, name, capabilities)
       values ($1, 'All', array['Access Web Service', 'Read Data', 'Write Data']) returning group_id)
     insert into group_member (site_id, group_id, user_id)
     select $1, g.group_id, m.user_id from g, membership m where m.site_id = $1`,
    [siteId],
  );
  for (const { table, columns, rows: texts } of template)
    await client.query(
      `insert into ${table} (${columns}) overriding system value
       select ${columns} from jsonb_populate_recordset(null::${table}, $1::jsonb) on conflict do nothing`,
      [`[${texts.map((text) => text.replace('"site_id": 1,', `"site_id": ${siteId},`)).join(',')}]`],
    );
  await client.query('commit');
}

/** Adds sites to the installation that equal its first one. Returns their slugs. */
async function fillSites(client: Client): Promise<string[]> {
  const template = await readTemplate(client);
  const slugs = Array.from({ length: SITES - 1 }, (_, at) => `bench-${at + 1}`);
  for (const slug of slugs) await addSite(client, slug, template);
  await client.query('analyze');
  return slugs;
}

/** Ids of the type Prospect and of its field Name, which are the same on all sites. */
async function readIds(client: Client): Promise<{ typeId: number; nameFieldId: number }> {
  const { rows } = await client.query<{ typeId: number; nameFieldId: number }>(
    `select t.type_id as "typeId", f.field_id as "nameFieldId" from entry_type t join field f using (site_id, type_id)
     where t.site_id = 1 and t.api_name = 'Prospect' and f.api_name = 'Name'`,
  );
  const [ids] = rows;
  if (!ids) throw new Error('The first site has no type Prospect');
  return ids;
}

/** Starts a service on a database with 500 equal sites. */
async function createInstallation(databaseUrl: string, stop: () => Promise<void>): Promise<Installation> {
  const env = { DATABASE_URL: databaseUrl };
  const service = await startService({ sample: true, administrator: ada, env });
  const remove = async () => {
    await service.remove();
    await stop();
  };
  const client = new Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    await service.admin('load', '--site', TEMPLATE_SLUG, '--entries', String(ENTRIES_PER_SITE));
    const slugs = await fillSites(client);
    const every = Math.floor(slugs.length / MEASURED_SITES);
    const measured = slugs.filter((_, at) => at % every === 0).slice(0, MEASURED_SITES);
    const signIn = async () => {
      const calls: Caller[] = [];
      for (const slug of measured) calls.push(createCaller(service, await createAccessToken(service, slug)));
      return calls;
    };
    const ids = await readIds(client);
    await client.end();
    return { service, databaseUrl, ...ids, signIn, remove };
  } catch (error) {
    await client.end();
    await remove();
    throw error;
  }
}

async function createPlain(): Promise<Installation> {
  const server = await startPostgres(SETTINGS, findCitusPrograms());
  const [url = ''] = await createOnEachServer([server]);
  return createInstallation(url, () => server.stop());
}

async function createCluster(): Promise<Installation> {
  const nodes = await startCitusServers([...SETTINGS, SHARDS]);
  const dataDir = await mkdtemp(join(tmpdir(), 'steward-cluster-'));
  const urls = await createOnEachServer(nodes);
  await distributeDatabase(urls, dataDir);
  return createInstallation(urls[0] ?? '', async () => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(dataDir, { recursive: true, force: true });
  });
}

type Work = (installation: Installation, call: Caller) => Promise<unknown>;

/** A window of the grid at any place of the list. */
const readWindow: Work = ({ typeId }, call) =>
  call('POST', paths.rows(typeId), {
    query: {},
    fields: ['Name', 'Stage', 'Owner', 'Revenue', 'Source'],
    orderBy: 'Name',
    skip: Math.floor(Math.random() * (ENTRIES_PER_SITE - WINDOW)),
    limit: WINDOW,
  });

const writeName: Work = async ({ typeId, nameFieldId }, call) => {
  const skip = Math.floor(Math.random() * ENTRIES_PER_SITE);
  const { rows } = Rows.parse(
    JSON.parse(await call('POST', paths.rows(typeId), { query: {}, fields: ['Name'], skip, limit: 1 })),
  );
  const item = { entryId: rows[0]?.EntryId, fieldId: nameFieldId, value: `Name ${Math.random()}` };
  await call('PUT', paths.write(typeId), { storeRequests: [item] });
};

/** A caller of each measured site on both installations. */
async function signInToBoth(ours: Installation, floor: Installation): Promise<[Caller, Caller][]> {
  const others = await floor.signIn();
  return (await ours.signIn()).flatMap((call, at): [Caller, Caller][] => {
    const other = others[at];
    return other ? [[call, other]] : [];
  });
}

/** Measures the work on all sites of both installations in turns. */
async function measurePair(
  name: string,
  [ours, floor]: readonly [Installation, Installation],
  work: Work,
  maxRatio?: number,
): Promise<Measure[]> {
  const durations = { ours: [] as number[], floor: [] as number[] };
  const callers = await signInToBoth(ours, floor);
  for (let round = -1; round < ROUNDS; round += 1)
    for (const [call, other] of callers) {
      const pair = {
        ours: await measureMs(() => work(ours, call)),
        floor: await measureMs(() => work(floor, other)),
      };
      if (round < 0) continue;
      durations.ours.push(pair.ours);
      durations.floor.push(pair.floor);
    }
  const maximum = maxRatio === undefined ? undefined : percentile(durations.floor, 0.95) * maxRatio;
  return toPercentiles(name, durations, maximum);
}

const Moves = z.object({ rows: z.array(z.object({ state: z.string(), moves: z.number() })) });

/** Lets Citus move shards to where they should be, and waits for it. Returns the number of groups of shards that were moved. */
async function rebalance(client: Client, options: string): Promise<number> {
  await client.query(`select citus_rebalance_start(${options})`);
  await client.query('select citus_rebalance_wait()');
  const result = await client.query(
    `select j.state::text, (select count(*)::int from pg_dist_background_task t where t.job_id = j.job_id) as moves
     from pg_dist_background_job j order by j.job_id desc limit 1`,
  );
  const [job] = Moves.parse(result).rows;
  if (job?.state !== 'finished') throw new Error(`The rebalancer ended as ${job?.state ?? 'nothing'}`);
  return job.moves;
}

/** Reads and writes on all sites while Citus empties a worker, as before it is taken away, and fills it again, as after one was added. */
async function measureRebalancing(
  [ours, floor]: readonly [Installation, Installation],
  note: (text: string) => void,
): Promise<Measure[]> {
  const client = new Client({ connectionString: ours.databaseUrl });
  await client.connect();
  const worker = `(select nodename from pg_dist_node order by nodeid desc limit 1),
    (select nodeport from pg_dist_node order by nodeid desc limit 1), 'shouldhaveshards'`;
  const moved = new AbortController();
  const move = async (): Promise<number> => {
    await client.query(`select citus_set_node_property(${worker}, false)`);
    const emptied = await rebalance(client, 'drain_only := true');
    await client.query(`select citus_set_node_property(${worker}, true)`);
    return emptied + (await rebalance(client, ''));
  };
  const durations = { ours: [] as number[], floor: [] as number[] };
  const failures: string[] = [];
  let requests = 0;
  const callers = await signInToBoth(ours, floor);
  /** Works on all sites in turns until the shards are moved. */
  const workOnAll = async (work: (call: Caller, other: Caller) => Promise<void>): Promise<void> => {
    while (!moved.signal.aborted)
      for (const [call, other] of callers) {
        requests += 1;
        await work(call, other).catch((error: unknown) => failures.push(String(error)));
      }
  };
  const write = async (call: Caller): Promise<void> => {
    await writeName(ours, call);
  };
  const read = async (call: Caller, other: Caller): Promise<void> => {
    durations.ours.push(await measureMs(() => readWindow(ours, call)));
    durations.floor.push(await measureMs(() => readWindow(floor, other)));
  };
  try {
    const startedAt = performance.now();
    const moving = move().finally(() => moved.abort());
    const [moves] = await Promise.all([moving, workOnAll(read), workOnAll(write)]);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    note(
      `Citus made ${moves} moves in ${seconds} s, during which ${requests} requests were sent. ${failures[0] ?? ''}`,
    );
    return [
      ...toPercentiles('window of 100 rows while shards are moved and a caller writes', durations),
      { name: 'failed requests while shards are moved', ours: failures.length, unit: '', maximum: 0 },
    ];
  } finally {
    await client.end();
  }
}

export const cluster: Bench = {
  name: 'Cluster',
  peerName: 'one PostgreSQL',
  getSkipReason: () =>
    findCitusPrograms() === undefined ? 'Citus is not installed (CITUS_PROGRAMS)' : undefined,
  async run({ note }) {
    process.env['STEWARD_E2E_DATABASE'] = 'embedded';
    const plain = await createPlain();
    try {
      const distributed = await createCluster();
      try {
        const pair = [distributed, plain] as const;
        const measures = [
          ...(await measurePair('window of 100 rows', pair, readWindow, MAX_RATIO)),
          ...(await measurePair('a row read and a name written', pair, writeName)),
        ];
        const nodes = Nodes.parse(await distributed.service.admin('cluster', 'status'));
        const sites = nodes.filter(({ isCoordinator }) => !isCoordinator).map((node) => node.sites);
        note(`Sites on the workers: ${sites.join(' and ')}.`);
        return [...measures, ...(await measureRebalancing(pair, note))];
      } finally {
        await distributed.remove();
      }
    } finally {
      await plain.remove();
    }
  },
};

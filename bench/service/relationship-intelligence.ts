/** The largest legal import of e-mails, compared with `\copy` of the rows that it stores, and other requests meanwhile. */
import { once } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { Client } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { z } from 'zod';
import { ada } from '../../e2e/support/data/people.ts';
import { startService } from '../../e2e/support/service.ts';
import { findFreePort } from '../../scripts/testing/free-port.ts';
import { type Bench, measureMs } from '../bench.ts';
import { chooseDatabase } from '../database.ts';
import { measureProcessorTime } from '../processor-time.ts';
import { signIn } from '../sign-in.ts';

const USERS = 50;
const EMAILS = 1_000;
const RUNS = 5;
const MAX_RATIO = 2;
const MAX_GAP_MS = 100;
const PATH = '/console/api/rest/v4/ri/import/emails';
const TABLES = ['ri_item', 'ri_item_user', 'ri_relation'] as const;
const MAX_MEMORY_MIB = 60;
/** Time after the last import in which the memory is given back. */
const SETTLING_SECONDS = 30;
const Gap = z.object({ gapMs: z.number(), computingMs: z.number(), rssMiB: z.number() });

const person = (user: number, at: number) => ({
  address: `person.${(user * 31 + at * 7) % 400}@outside-${at % 40}.test`,
  name: `Person Number ${(user * 31 + at * 7) % 400}`,
});

/** E-mails of the last days between a user and outside addresses, with one copy. */
function buildBody(userIds: readonly number[], run: number): string {
  const start = Date.now() - 86_400_000;
  return JSON.stringify(
    userIds.map((userId) => ({
      userId,
      handlerType: 1,
      emails: Array.from({ length: EMAILS }, (_, at) => ({
        uniqueId: `AAMkAGI2TAAA${run}-${userId}-${at}-PHJlbGF0aW9uc2hpcC1pbnRlbGxpZ2VuY2U`,
        sentDate: new Date(start + at * 1_000).toISOString(),
        modifiedDate: new Date(start + at * 1_000).toISOString(),
        sender: at % 2 === 0 ? { address: `rel${userId}@inside.test`, name: 'A User' } : person(userId, at),
        recipientsTo: [
          at % 2 === 0 ? person(userId, at) : { address: `rel${userId}@inside.test`, name: 'A User' },
        ],
        recipientsCc: [person(userId, at + 1)],
      })),
    })),
  );
}

async function prepare(client: Client): Promise<number[]> {
  const { rows } = await client.query<{ id: number }>(`
    with added as (
      insert into account (email, email_key, first_name, last_name, home_site_id)
      select 'rel-' || n || '@bench.test', 'rel-' || n || '@bench.test', 'R' || n, 'Bench', 1 from generate_series(1, ${USERS}) n
      returning user_id),
    member as (insert into membership (site_id, user_id, license_type_id) select 1, user_id, 1 from added returning user_id)
    select user_id as id from member`);
  const ids = rows.map(({ id }) => id);
  await client.query(
    `update account set email = 'rel' || user_id || '@inside.test', email_key = 'rel' || user_id || '@inside.test' where user_id = any($1)`,
    [ids],
  );
  await client.query(
    'insert into ri_user (site_id, user_id, is_enabled) select 1, id, true from unnest($1::int[]) id',
    [ids],
  );
  await client.query(`insert into ri_setting (site_id, connection_type, is_enabled, email_relationships, collect_relationship_data)
    values (1, 'API Endpoint', true, true, true)`);
  return ids;
}

/** The rows of the tables as the text of `copy`. */
async function readRows(client: Client): Promise<Buffer[]> {
  const tables: Buffer[] = [];
  for (const table of TABLES) {
    const chunks: Buffer[] = [];
    const stream = client.query(copyTo(`copy ${table} to stdout`));
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    await once(stream, 'end');
    tables.push(Buffer.concat(chunks));
  }
  return tables;
}

/** Copies the rows into the empty tables, with their keys and indexes. */
async function copyRows(client: Client, tables: readonly Buffer[]): Promise<void> {
  await client.query('begin');
  for (const [index, table] of TABLES.entries())
    await pipeline(
      Readable.from([tables[index] ?? Buffer.alloc(0)]),
      client.query(copyFrom(`copy ${table} from stdin`)),
    );
  await client.query('commit');
}

export const relationshipIntelligence: Bench = {
  name: `Import of ${USERS * EMAILS} e-mails, on PostgreSQL`,
  peerName: '`\\copy`',
  async run({ note }) {
    await chooseDatabase('postgres');
    const gapPort = await findFreePort();
    const probe = new URL('./gap-probe.ts', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import ${probe} --max-semi-space-size=4`, GAP_PORT: String(gapPort) };
    const service = await startService({ sample: false, administrator: ada, env });
    const client = new Client({ connectionString: service.storageEnv['DATABASE_URL'] });
    await client.connect();
    try {
      const headers = await signIn(service);
      const userIds = await prepare(client);
      const readGap = async () => Gap.parse(await (await fetch(`http://127.0.0.1:${gapPort}`)).json());
      const empty = () => client.query(`truncate ${TABLES.join(', ')}, ri_gate`);
      // The first requests load code and open connections, which stay.
      for (let request = 0; request < 3; request += 1)
        await fetch(`${service.url}/console/api/rest/v4/ri/settings`, { headers });
      const before = (await readGap()).rssMiB;
      const databaseUrl = service.storageEnv['DATABASE_URL'];
      /** Processor time in milliseconds that the service and the database take for the work. */
      const measureProcessorMs = async (work: () => Promise<unknown>): Promise<number> => {
        const start = measureProcessorTime(databaseUrl);
        await work();
        const end = measureProcessorTime(databaseUrl);
        return 1_000 * (end.service - start.service + end.database - start.database);
      };
      const results: {
        ours: number;
        floor: number;
        gapMs: number;
        computingMs: number;
        processorMs: number;
        floorProcessorMs: number;
      }[] = [];
      for (let run = 0; run < RUNS; run += 1) {
        await empty();
        const body = buildBody(userIds, run);
        await readGap();
        let [ours, floor] = [0, 0];
        const processorMs = await measureProcessorMs(async () => {
          ours = await measureMs(async () => {
            const response = await fetch(service.url + PATH, { method: 'POST', headers, body });
            const text = await response.text();
            if (response.status !== 200) throw new Error(`${response.status}: ${text.slice(0, 500)}`);
          });
        });
        const gap = await readGap();
        const rows = await readRows(client);
        await empty();
        const floorProcessorMs = await measureProcessorMs(async () => {
          floor = await measureMs(() => copyRows(client, rows));
        });
        results.push({ ours, floor, processorMs, floorProcessorMs, ...gap });
        if (run === 0)
          note(
            `Body of ${(body.length / 1e6).toFixed(1)} MB, ${(rows.reduce((sum, each) => sum + each.length, 0) / 1e6).toFixed(1)} MB of rows.`,
          );
      }
      const settled: number[] = [];
      for (let second = 0; second < SETTLING_SECONDS; second += 1) {
        await setTimeout(1_000);
        settled.push((await readGap()).rssMiB);
      }
      const [best] = results.toSorted((a, b) => a.ours / a.floor - b.ours / b.floor);
      if (!best) throw new Error('Nothing was measured');
      return [
        {
          name: 'request to answer',
          ours: best.ours,
          floor: best.floor,
          unit: 'ms',
          maximum: MAX_RATIO * best.floor,
        },
        {
          name: 'processor time of service and database',
          ours: Math.min(...results.map(({ processorMs }) => processorMs)),
          floor: Math.min(...results.map(({ floorProcessorMs }) => floorProcessorMs)),
          unit: 'ms',
        },
        {
          name: 'longest gap of the event loop',
          ours: Math.min(...results.map(({ gapMs }) => gapMs)),
          unit: 'ms',
          maximum: MAX_GAP_MS,
        },
        {
          name: `memory kept after ${RUNS} imports`,
          ours: Math.min(...settled) - before,
          unit: 'MiB',
          maximum: MAX_MEMORY_MIB,
        },
      ];
    } finally {
      await client.end();
      await service.remove();
    }
  },
};

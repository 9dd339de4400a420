/**
 * An experiment for docs/decisions/0042: how events get their offsets in a topic that all writers of a site share. `one by one`: a
 * round trip for each statement; `together`: counter and event in one statement that is sent with the COMMIT; `appender`: events are
 * committed to a queue, and one process at a time moves them to the topic.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client } from 'pg';
import { z } from 'zod';
import { startPostgres } from '../../scripts/testing/postgres.ts';
import { type Bench, type Measure, sum } from '../bench.ts';
import { startDelayProxy } from './requests/delay-proxy.ts';

const CALLERS = 32;
const SECONDS = 3;
const SCHEMA = `drop table if exists topic, event, queue, audit;
  create table topic (next bigint); insert into topic values (0);
  create table event (off bigint primary key, payload jsonb, at timestamptz default now());
  create table queue (id bigint generated always as identity primary key, payload jsonb);
  create table audit (id bigint generated always as identity primary key, row jsonb)`;

const Output = z.object({ commits: z.number(), median: z.number() });

/** Runs the variant in some processes with 32 callers in total. @throws Error if the offsets have gaps */
async function measure(directUrl: string, url: string, variant: string, processes: number) {
  const client = new Client({ connectionString: directUrl });
  await client.connect();
  try {
    await client.query(SCHEMA);
    const callers = String(Math.round(CALLERS / processes));
    const args = ['bench/service/requests/topic-writer.ts', url, variant, callers, String(SECONDS)];
    const outputs = await Promise.all(
      Array.from({ length: processes }, async () => {
        const { stdout } = await promisify(execFile)(process.execPath, args);
        return Output.parse(JSON.parse(stdout));
      }),
    );
    const { rows } = await client.query<{ isComplete: boolean }>(
      'select count(*) = (select next from topic) and coalesce(max(off) + 1, 0) = count(*) as "isComplete" from event',
    );
    if (rows[0]?.isComplete !== true) throw new Error(`${variant}: the offsets have gaps`);
    return {
      rate: sum(outputs.map(({ commits }) => commits)) / SECONDS,
      median: sum(outputs.map(({ median }) => median)) / processes,
    };
  } finally {
    await client.end();
  }
}

export const topicLock: Bench = {
  name: 'Offsets of a topic',
  peerName: 'one by one',
  async run() {
    const cluster = await startPostgres();
    const measures: Measure[] = [];
    try {
      for (const delay of [0, 5]) {
        const proxy = delay > 0 ? await startDelayProxy(cluster.url, delay) : undefined;
        const url = proxy?.url ?? cluster.url;
        for (const processes of [1, 2, 3]) {
          const floor = await measure(cluster.url, url, 'one by one', processes);
          for (const variant of ['together', 'appender']) {
            const { rate, median } = await measure(cluster.url, url, variant, processes);
            const name = `${variant}, ${delay} ms, ${processes} processes`;
            measures.push({ name, ours: rate, floor: floor.rate, unit: '1/s' });
            measures.push({ name: `${name}, p50`, ours: median, floor: floor.median, unit: 'ms' });
          }
        }
        proxy?.close();
      }
      return measures;
    } finally {
      await cluster.stop();
    }
  },
};

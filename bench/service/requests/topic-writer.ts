/**
 * One process of the experiment topic-lock.ts: transactions that append an event to one topic. Arguments: database URL, variant,
 * number of callers, seconds. Prints the number of commits and the median wait in milliseconds.
 */
import { Client } from 'pg';
import { percentile } from '../../bench.ts';

const [url = '', variant = '', callers = '1', seconds = '1'] = process.argv.slice(2);

const AUDIT = { name: 'audit', text: "insert into audit (row) values ('{}')" };
const COUNT = { name: 'count', text: 'update topic set next = next + 1 returning next - 1 as off' };
const INSERT = { name: 'insert', text: "insert into event (off, payload) values ($1, '{}')" };
const PUBLISH = {
  name: 'publish',
  text: `with counted as (update topic set next = next + 1 returning next - 1 as off)
    insert into event (off, payload) select off, '{}' from counted`,
};
const QUEUE = { name: 'queue', text: "insert into queue (payload) values ('{}')" };
/** Gives the committed events of the queue their offsets; the lock of the counter lets one appender work at a time. */
const APPEND = {
  name: 'append',
  text: `with counter as materialized (select next from topic for update),
      taken as (delete from queue where (select next from counter) is not null returning id, payload),
      counted as (update topic set next = topic.next + (select count(*) from taken))
    insert into event (off, payload)
      select (select next from counter) + row_number() over (order by id) - 1, payload from taken`,
};

/** Sends all statements at once; the answer of the last one means that all are answered. */
const sendTogether = (client: Client, ...statements: readonly (string | { name: string; text: string })[]) =>
  Promise.all(statements.map((statement) => client.query(statement)));

const TRANSACTIONS: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
  async 'one by one'(client) {
    await client.query('begin');
    await client.query(AUDIT);
    const { rows } = await client.query<{ off: number }>(COUNT);
    await client.query({ ...INSERT, values: [rows[0]?.off] });
    await client.query('commit');
  },
  together: (client) => sendTogether(client, 'begin', AUDIT, PUBLISH, 'commit'),
  appender: (client) => sendTogether(client, 'begin', AUDIT, QUEUE, 'commit'),
};

async function connect(): Promise<Client> {
  const client = new Client({ connectionString: url, pipeline: variant !== 'one by one' });
  await client.connect();
  return client;
}

const end = performance.now() + Number(seconds) * 1000;
const waits: number[] = [];
const run = TRANSACTIONS[variant];
if (!run) throw new Error(`Unknown variant: ${variant}`);

async function runCaller(): Promise<void> {
  const client = await connect();
  while (performance.now() < end) {
    const started = performance.now();
    await run?.(client);
    waits.push(performance.now() - started);
  }
  await client.end();
}

async function runAppender(): Promise<void> {
  const client = await connect();
  while (performance.now() < end) await client.query(APPEND);
  await client.end();
}

const workers = Array.from({ length: Number(callers) }, runCaller);
if (variant === 'appender') workers.push(runAppender());
await Promise.all(workers);
console.log(JSON.stringify({ commits: waits.length, median: percentile(waits, 0.5) }));

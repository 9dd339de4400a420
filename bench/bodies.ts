/** How long refused bodies keep the service from answering others: the longest gap of its event loop while it reads them. */
import { z } from 'zod';
import { ada } from '../e2e/support/people.ts';
import { type Service, startService } from '../e2e/support/service.ts';
import { findFreePort } from '../scripts/testing/free-port.ts';
import type { Bench, Measure } from './bench.ts';
import { chooseDatabase } from './database.ts';
import { signIn } from './sign-in.ts';

const MAX_GAP_MS = 100;
const RUNS = 3;
const MEGABYTE = 1_000_000;
const ENTRIES = '/console/api/rest/v4/data/entrydata/Company';
const ROWS = '/console/api/rest/v4/data/entrydata/rows/query/Company';
const LINK = '/console/api/session/link';
const Gap = z.object({ gapMs: z.number(), computingMs: z.number() });

const writeItems = (item: object) =>
  JSON.stringify({ storeRequests: Array.from({ length: 10_000 }, () => item) });
const countTo = (count: number, write: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => write(index)).join();

interface Case {
  name: string;
  path: string;
  body: string;
  /** Number of requests at once. */
  count?: number;
  status: number;
}

const CASES: readonly Case[] = [
  {
    name: '10,000 items with unknown properties',
    path: ENTRIES,
    body: writeItems({ a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }),
    status: 400,
  },
  {
    name: '10,000 items of an unknown field',
    path: ENTRIES,
    body: writeItems({ entryId: -1, fieldId: 2_000_000_000, value: 'x' }),
    status: 400,
  },
  { name: '15 MB of `[],`', path: ENTRIES, body: `[${'[],'.repeat(5 * MEGABYTE)}[]]`, status: 413 },
  {
    name: '16 MB of numbers',
    path: ENTRIES,
    body: `{"storeRequests":[${countTo(750, () => `{"entryId":"x","fieldId":1,"value":[${'1,'.repeat(9_999)}1]}`)}]}`,
    status: 400,
  },
  {
    name: '256 KB of unknown properties',
    path: ENTRIES,
    body: `{${countTo(24_000, (index) => `"${index}":1`)}}`,
    status: 400,
  },
  {
    name: 'a query text of 1 MB',
    path: ROWS,
    body: JSON.stringify({ query: `{${countTo(80_000, (index) => `"${index}":1`)}}` }),
    status: 400,
  },
  {
    name: 'a query text of 65 KB in JSON5',
    path: ROWS,
    body: JSON.stringify({ query: `{${countTo(7_000, (index) => `n${index}:1`)}}` }),
    status: 400,
  },
  {
    name: '20 × 1 MB without credentials',
    path: LINK,
    body: `{"token":"${'x'.repeat(MEGABYTE)}"}`,
    count: 20,
    status: 413,
  },
];

/** The smallest of several results: what else the machine does only makes a gap longer. */
async function measureCase(
  service: Service,
  gapPort: number,
  headers: Record<string, string>,
  { path, body, count = 1, status }: Case,
): Promise<z.infer<typeof Gap>> {
  const send = async () => {
    const response = await fetch(service.url + path, { method: 'POST', headers, body });
    const text = await response.text();
    if (response.status !== status) throw new Error(`${response.status} of ${path}: ${text.slice(0, 500)}`);
  };
  const readGap = async () => Gap.parse(await (await fetch(`http://127.0.0.1:${gapPort}`)).json());
  // The first request compiles the validators of the operation and starts the thread for large bodies.
  await send();
  const gaps = [];
  for (let run = 0; run < RUNS; run += 1) {
    await readGap();
    await Promise.all(Array.from({ length: count }, send));
    gaps.push(await readGap());
  }
  return {
    gapMs: Math.min(...gaps.map(({ gapMs }) => gapMs)),
    computingMs: Math.min(...gaps.map(({ computingMs }) => computingMs)),
  };
}

export const bodies: Bench = {
  name: 'Bodies that are refused, on the embedded database',
  async run() {
    await chooseDatabase('embedded');
    const gapPort = await findFreePort();
    const probe = new URL('./bodies/gap-probe.ts', import.meta.url).href;
    const env = { NODE_OPTIONS: `--import ${probe}`, GAP_PORT: String(gapPort) };
    const service = await startService({ sample: true, administrator: ada, env });
    try {
      const headers = await signIn(service);
      const measures: Measure[] = [];
      for (const each of CASES) {
        const { gapMs, computingMs } = await measureCase(service, gapPort, headers, each);
        measures.push(
          { name: `${each.name}: longest gap`, ours: gapMs, unit: 'ms', maximum: MAX_GAP_MS },
          { name: 'of it computing', ours: computingMs, unit: 'ms', maximum: MAX_GAP_MS },
        );
      }
      return measures;
    } finally {
      await service.remove();
    }
  },
};

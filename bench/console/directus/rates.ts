/** Requests per second of both servers for the same rows, measured alternately over keep-alive connections. */
import { z } from 'zod';
import { type Measure, measureMs, sum } from '../../bench.ts';
import { CONNECTIONS, type EntryService } from '../../entries/entry-service.ts';
import { toColumnName, ITEMS_PATH } from './fill.ts';
import type { Directus } from './server.ts';

const PAGE_SIZE = 1000;
const FIELDS = ['Name', 'Stage', 'Employees', 'City', 'LastContact'];
/** Required ratio of our rate to that of Directus. */
const MIN_RATIO = 3;
const REQUESTS_PER_ROUND = 240;
const ROUNDS = 4;

type Side = 'ours' | 'theirs';

/** Sends one request and returns the body of the response. `index` is the number of the request. */
type SendRequest = (index: number) => Promise<string>;

interface RateQuery {
  name: string;
  ours: object;
  theirs: Record<string, string>;
  /** Number of rows to skip, by the number of the request. */
  skip?: (index: number) => number;
  /** Requests per round; lower for slow queries. */
  requests?: number;
}

function listQueries({ getField: field, entries }: EntryService): readonly RateQuery[] {
  const stage = field('Stage').choiceValues[0];
  const half = Math.floor(entries / 2);
  return [
    { name: 'rows, 1000 with 5 fields', ours: {}, theirs: {} },
    {
      name: 'rows, 10% of the entries, with total',
      ours: { query: { Stage: stage?.id } },
      theirs: { 'filter[stage][_eq]': stage?.name ?? '', meta: 'filter_count' },
    },
    {
      name: `sorted by name, skip ${half}`,
      ours: { orderBy: 'Name' },
      theirs: { sort: 'name' },
      // Positions differ, so that no request continues another.
      skip: (index) => half - 7 * index,
      requests: 16,
    },
  ];
}

const buildRequests = (
  entryService: EntryService,
  directus: Directus,
  { ours, theirs, skip }: RateQuery,
): Record<Side, SendRequest> => ({
  ours: (index) =>
    entryService.queryRows({ fields: FIELDS, limit: PAGE_SIZE, ...ours, ...(skip && { skip: skip(index) }) }),
  theirs(index) {
    const query = new URLSearchParams({
      fields: ['id', ...FIELDS.map(toColumnName)].join(','),
      limit: String(PAGE_SIZE),
      ...theirs,
      ...(skip && { offset: String(skip(index)) }),
    });
    return directus.call('GET', `${ITEMS_PATH}?${query}`);
  },
});

/** Sends `requests` requests over `CONNECTIONS` connections, numbered from `from`; returns the duration in milliseconds. */
function measureBurst(send: SendRequest, from: number, requests: number): Promise<number> {
  let index = from;
  const worker = async () => {
    // One request at a time per connection.
    while (index < from + requests) await send(index++);
  };
  return measureMs(() => Promise.all(Array.from({ length: CONNECTIONS }, worker)));
}

/** Requests per second of both servers, measured alternately so that both run under the same conditions. */
async function measureRates(
  senders: Record<Side, SendRequest>,
  requests: number,
): Promise<Record<Side, number>> {
  const durations: Record<Side, number[]> = { ours: [], theirs: [] };
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const side of ['ours', 'theirs'] as const) {
      const ms = await measureBurst(senders[side], round * requests, requests);
      // The first round is a warm-up.
      if (round > 0) durations[side].push(ms);
    }
  const rate = (times: readonly number[]) => (requests * ROUNDS * 1000) / sum(times);
  return { ours: rate(durations.ours), theirs: rate(durations.theirs) };
}

/**
 * Checks that both servers return a full page of the same rows. Rows sorted by name are only counted, because Directus sorts
 * case-sensitively.
 * @throws {Error} If the rows differ.
 */
async function assertSameRows(
  { ours, theirs }: Record<Side, SendRequest>,
  { name, skip }: RateQuery,
): Promise<void> {
  const Ours = z.object({ rows: z.array(z.object({ EntryId: z.number() })) });
  const Theirs = z.object({ data: z.array(z.object({ id: z.number() })) });
  const ourIds = Ours.parse(JSON.parse(await ours(0))).rows.map((row) => row.EntryId);
  const theirIds = Theirs.parse(JSON.parse(await theirs(0))).data.map((row) => row.id);
  const same = skip ? ourIds.length === theirIds.length : ourIds.join() === theirIds.join();
  if (ourIds.length !== PAGE_SIZE || !same) throw new Error(`${name}: the rows differ`);
}

export async function measureRequestRates(
  entryService: EntryService,
  directus: Directus,
): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const rateQuery of listQueries(entryService)) {
    const { name, requests = REQUESTS_PER_ROUND } = rateQuery;
    const senders = buildRequests(entryService, directus, rateQuery);
    await assertSameRows(senders, rateQuery);
    const { ours, theirs } = await measureRates(senders, requests);
    measures.push({ name, ours, floor: theirs, unit: '1/s', minimum: MIN_RATIO * theirs });
  }
  return measures;
}

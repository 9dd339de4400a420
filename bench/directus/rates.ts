/** Requests a second of two servers for the same rows, in turns, over connections that stay open. */
import { z } from 'zod';
import { type Measure, measureMs, sum } from '../bench.ts';
import { CONNECTIONS, type Place } from '../entries/place.ts';
import { called, items } from './fill.ts';
import type { Directus } from './server.ts';

const PAGE = 1000;
const FIVE = ['Name', 'Stage', 'Employees', 'City', 'LastContact'];
/** How many times theirs ours is to be. */
const TIMES = 3;
const REQUESTS = 240;
const ROUNDS = 4;

type Side = 'ours' | 'theirs';

/** One request of a program, answered with status 200; its number says which of many it is. */
type Ask = (turn: number) => Promise<string>;

interface Question {
  name: string;
  ours: object;
  theirs: Record<string, string>;
  /** What is asked of each turn besides. */
  skip?: (turn: number) => number;
  /** A slow question is asked less often. */
  requests?: number;
}

function questions({ field, entries }: Place): readonly Question[] {
  const stage = field('Stage').choiceValues[0];
  const half = Math.floor(entries / 2);
  return [
    { name: 'rows, 1000 with 5 fields', ours: {}, theirs: {} },
    {
      name: 'the same of a tenth, with its total',
      ours: { query: { Stage: stage?.id } },
      theirs: { 'filter[stage][_eq]': stage?.name ?? '', meta: 'filter_count' },
    },
    {
      name: `sorted by name, skip ${half}`,
      ours: { orderBy: 'Name' },
      theirs: { sort: 'name' },
      // Each elsewhere, so that none follows on another.
      skip: (turn) => half - 7 * turn,
      requests: 16,
    },
  ];
}

const asksOf = (place: Place, directus: Directus, { ours, theirs, skip }: Question): Record<Side, Ask> => ({
  ours: (turn) => place.rows({ fields: FIVE, limit: PAGE, ...ours, ...(skip && { skip: skip(turn) }) }),
  theirs(turn) {
    const query = new URLSearchParams({
      fields: ['id', ...FIVE.map(called)].join(','),
      limit: String(PAGE),
      ...theirs,
      ...(skip && { offset: String(skip(turn)) }),
    });
    return directus.ask('GET', `${items}?${query}`);
  },
});

/** Milliseconds for so many requests, some of them under way at once; the first is number `from`. */
function burst(ask: Ask, from: number, requests: number): Promise<number> {
  let turn = from;
  const worker = async () => {
    // Each connection has one request at a time.
    while (turn < from + requests) await ask(turn++);
  };
  return measureMs(() => Promise.all(Array.from({ length: CONNECTIONS }, worker)));
}

/** Requests a second of both, in turns, so that both see the same machine. */
async function rateOf(asks: Record<Side, Ask>, requests: number): Promise<Record<Side, number>> {
  const took: Record<Side, number[]> = { ours: [], theirs: [] };
  for (let round = 0; round <= ROUNDS; round += 1)
    for (const side of ['ours', 'theirs'] as const) {
      const ms = await burst(asks[side], round * requests, requests);
      // The first warms both up.
      if (round > 0) took[side].push(ms);
    }
  const rate = (times: readonly number[]) => (requests * ROUNDS * 1000) / sum(times);
  return { ours: rate(took.ours), theirs: rate(took.theirs) };
}

/** That both answer as many rows, and the same ones where their order is: by name, capitals make a difference to Directus. */
async function compare({ ours, theirs }: Record<Side, Ask>, { name, skip }: Question): Promise<void> {
  const Ours = z.object({ rows: z.array(z.object({ EntryId: z.number() })) });
  const Theirs = z.object({ data: z.array(z.object({ id: z.number() })) });
  const mine = Ours.parse(JSON.parse(await ours(0))).rows.map((row) => row.EntryId);
  const other = Theirs.parse(JSON.parse(await theirs(0))).data.map((row) => row.id);
  const same = skip ? mine.length === other.length : mine.join() === other.join();
  if (mine.length !== PAGE || !same) throw new Error(`${name}: the rows differ`);
}

export async function rates(place: Place, directus: Directus): Promise<Measure[]> {
  const measures: Measure[] = [];
  for (const question of questions(place)) {
    const { name, requests = REQUESTS } = question;
    const asks = asksOf(place, directus, question);
    await compare(asks, question);
    const { ours, theirs } = await rateOf(asks, requests);
    measures.push({ name, ours, floor: theirs, unit: '1/s', minimum: TIMES * theirs });
  }
  return measures;
}

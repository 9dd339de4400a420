import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { client } from '../../../api/generated/client.gen.ts';
import type { RowQueryRequest, RowVm } from '../../../api/generated/types.gen.ts';
import { orderedPages } from './ordered.ts';

/** What entries are ordered by, by their ids; before each answer something is written. */
const site = { rank: new Map<number, number>(), writes: [] as (() => void)[] };

function idsIn(query: unknown): { after: number; among: Set<number> | undefined } {
  const text = JSON.stringify(query ?? {});
  const among = /"\$in":\[([\d,]*)\]/.exec(text)?.[1];
  return {
    after: Number(/"\$gt":(\d+)/.exec(text)?.[1] ?? 0),
    among: among === undefined ? undefined : new Set(among.split(',').map(Number)),
  };
}

const before = client.getConfig().fetch;
beforeEach(() => {
  client.setConfig({
    baseUrl: 'http://steward.test/console',
    async fetch(input, init) {
      site.writes.shift()?.();
      const {
        query,
        orderBy,
        skip = 0,
        limit = 0,
      } = (await new Request(input, init).json()) as RowQueryRequest;
      const { after, among } = idsIn(query);
      const found = [...site.rank]
        .filter(([id]) => id > after && (among?.has(id) ?? true))
        .toSorted(([a, x], [b, y]) => (orderBy === undefined ? a - b : x - y || a - b))
        .slice(skip, skip + limit)
        .map(([EntryId]) => ({ EntryId }));
      return Response.json({ totalRecords: site.rank.size, rows: found });
    },
  });
});
afterEach(() => client.setConfig({ fetch: before }));

async function read(): Promise<number[]> {
  const rows: RowVm[] = [];
  for await (const page of orderedPages(1, { fields: ['Name'] }, 'Rank')) rows.push(...page);
  return rows.map(({ EntryId }) => EntryId);
}

const MANY = 2300;
const begin = () => {
  site.rank = new Map(Array.from({ length: MANY }, (_, at) => [at + 1, (at * 7919) % MANY]));
};

test('the order is kept where nobody writes', async () => {
  begin();
  const wanted = [...site.rank].toSorted(([, x], [, y]) => x - y).map(([id]) => id);
  expect(await read()).toEqual(wanted);
});

test('whatever is written meanwhile, who is there all the while is read once, and nobody twice', async () => {
  const write = fc.record({ id: fc.integer({ min: 1, max: MANY + 50 }), rank: fc.option(fc.nat(MANY)) });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(write, { maxLength: 40 }), { maxLength: 12 }), async (rounds) => {
      begin();
      const gone = new Set<number>();
      site.writes = rounds.map((writes) => () => {
        for (const { id, rank } of writes) {
          // Null takes an entry away; ids that are not there yet come to be.
          if (rank === null) site.rank.delete(id);
          else if (!gone.has(id)) site.rank.set(id, rank);
          if (rank === null || id > MANY) gone.add(id);
        }
      });
      const ids = await read();
      expect(new Set(ids).size).toBe(ids.length);
      const seen = new Set(ids);
      expect([...site.rank.keys()].filter((id) => !gone.has(id) && !seen.has(id))).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

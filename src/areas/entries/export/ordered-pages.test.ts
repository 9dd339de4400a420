import * as fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RowQueryRequest, RowVm } from '../../../../contract/generated/types.gen.ts';
import { client } from '../../../api/generated/client.gen.ts';
import { loadOrderedPages } from './ordered-pages.ts';

/** Sort values by entry id, and a write to apply before each response. */
const site = { rank: new Map<number, number>(), writes: [] as (() => void)[] };

function parseIdConditions(query: unknown): { after: number; included: Set<number> | undefined } {
  const text = JSON.stringify(query ?? {});
  const list = /"\$in":\[([\d,]*)\]/.exec(text)?.[1];
  return {
    after: Number(/"\$gt":(\d+)/.exec(text)?.[1] ?? 0),
    included: list === undefined ? undefined : new Set(list.split(',').map(Number)),
  };
}

const originalFetch = client.getConfig().fetch;
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
      const { after, included } = parseIdConditions(query);
      const rows = [...site.rank]
        .filter(([id]) => id > after && (included?.has(id) ?? true))
        .toSorted(([idA, rankA], [idB, rankB]) =>
          orderBy === undefined ? idA - idB : rankA - rankB || idA - idB,
        )
        .slice(skip, skip + limit)
        .map(([EntryId]) => ({ EntryId }));
      return Response.json({ totalRecords: site.rank.size, rows });
    },
  });
});
afterEach(() => client.setConfig({ fetch: originalFetch }));

async function loadIds(): Promise<number[]> {
  const rows: RowVm[] = [];
  for await (const page of loadOrderedPages(1, { fields: ['Name'] }, 'Rank')) rows.push(...page);
  return rows.map(({ EntryId }) => EntryId);
}

const ENTRY_COUNT = 2300;
const resetSite = () => {
  site.rank = new Map(Array.from({ length: ENTRY_COUNT }, (_, at) => [at + 1, (at * 7919) % ENTRY_COUNT]));
};

test('keeps the order without concurrent writes', async () => {
  resetSite();
  const expected = [...site.rank].toSorted(([, rankA], [, rankB]) => rankA - rankB).map(([id]) => id);
  expect(await loadIds()).toEqual(expected);
});

test('yields every entry that exists throughout exactly once, and none twice, during any writes', async () => {
  const write = fc.record({
    id: fc.integer({ min: 1, max: ENTRY_COUNT + 50 }),
    rank: fc.option(fc.nat(ENTRY_COUNT)),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(write, { maxLength: 40 }), { maxLength: 12 }), async (rounds) => {
      resetSite();
      const unstableIds = new Set<number>();
      site.writes = rounds.map((writes) => () => {
        for (const { id, rank } of writes) {
          // Null deletes an entry; a new id creates one.
          if (rank === null) site.rank.delete(id);
          else if (!unstableIds.has(id)) site.rank.set(id, rank);
          if (rank === null || id > ENTRY_COUNT) unstableIds.add(id);
        }
      });
      const ids = await loadIds();
      const uniqueIds = new Set(ids);
      expect(uniqueIds.size).toBe(ids.length);
      expect([...site.rank.keys()].filter((id) => !unstableIds.has(id) && !uniqueIds.has(id))).toEqual([]);
    }),
    { numRuns: 25 },
  );
});

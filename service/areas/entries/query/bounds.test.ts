import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Refusal } from '../../../testing/calls.ts';
import { DATA, makeThings } from '../../../testing/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

onEachApp((house) => {
  test('an answer that nobody could hold is refused, and what would make it smaller is told', async () => {
    const big = await makeThings(house());
    const first = await big.create({ Name: 'Big 0', Memo: 'x'.repeat(1_000_000) });
    // The same value in many entries, without sending it as often.
    const memo = String(big.field('Memo').id);
    const entryIds = [
      ...first,
      ...(await big.create(...Array.from({ length: 34 }, (_, at) => ({ Name: `B${at}` })))),
    ];
    await sql`update entry set vals = vals || jsonb_build_object(${memo}::text, repeat('x', 1000000))
      where site_id = ${big.siteId}`.execute(house().db);
    const words = 'would be answered with more than 32 MiB: ask for less at once';
    const fieldId = Number(memo);
    const past = { entryTypeId: big.typeId, fromDate: new Date(Date.now() + 60_000).toISOString() };
    for (const [path, asked, place] of [
      ['rows/query/Thing', {}, 'limit'],
      ['get', entryIds.map((entryId) => ({ entryId, fieldId })), 'body'],
      ['getHistoricalData', past, 'entries'],
    ] as const) {
      const { status, body } = await big.api.post<Refusal>(`${DATA}/entrydata/${path}`, asked);
      expect([status, body.errors]).toEqual([400, [{ path: place, message: words }]]);
    }
    expect((await big.query({}, { limit: 5 })).rows).toHaveLength(5);
    // Of a page that may hold a thousand such a row is a large one: it comes all the same, and in its place.
    const few = (await big.query({ $or: [{ Name: 'Big 0' }, { Name: 'B1' }] })).rows;
    expect(few.map(({ Name, Memo }) => [Name, String(Memo).length])).toEqual([
      ['Big 0', 1_000_000],
      ['B1', 1_000_000],
    ]);
    expect((await big.query({}, { fields: ['Name'] })).rows).toHaveLength(35);
  }, 60_000);
});

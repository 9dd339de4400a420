import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { ErrorBody } from '../../../testing/calls.ts';
import { DATA, makeThings } from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

onEachApp((context) => {
  test('rejects a response beyond 32 MiB and names the property to reduce', async () => {
    const big = await makeThings(context());
    const first = await big.create({ Name: 'Big 0', Memo: 'x'.repeat(1_000_000) });
    // Copied in the database, because 35 requests of this size would be slow.
    const memo = String(big.field('Memo').id);
    const entryIds = [
      ...first,
      ...(await big.create(...Array.from({ length: 34 }, (_, index) => ({ Name: `B${index}` })))),
    ];
    await sql`update entry set vals = vals || jsonb_build_object(${memo}::text, repeat('x', 1000000))
      where site_id = ${big.siteId}`.execute(context().db);
    const message = 'leads to a response of more than 32 MiB: request less at once';
    const fieldId = Number(memo);
    const historicalRequest = {
      entryTypeId: big.typeId,
      fromDate: new Date(Date.now() + 60_000).toISOString(),
    };
    for (const [path, request, property] of [
      ['rows/query/Thing', {}, 'limit'],
      ['get', entryIds.map((entryId) => ({ entryId, fieldId })), 'body'],
      ['getHistoricalData', historicalRequest, 'entries'],
    ] as const) {
      const { status, body } = await big.api.post<ErrorBody>(`${DATA}/entrydata/${path}`, request);
      expect([status, body.errors]).toEqual([400, [{ path: property, message }]]);
    }
    expect((await big.query({}, { limit: 5 })).rows).toHaveLength(5);
    // On a page of up to a thousand rows such a row is large: it is still returned, at its position.
    const largeRows = (await big.query({ $or: [{ Name: 'Big 0' }, { Name: 'B1' }] })).rows;
    expect(largeRows.map(({ Name, Memo }) => [Name, String(Memo).length])).toEqual([
      ['Big 0', 1_000_000],
      ['B1', 1_000_000],
    ]);
    expect((await big.query({}, { fields: ['Name'] })).rows).toHaveLength(35);
  }, 60_000);
});

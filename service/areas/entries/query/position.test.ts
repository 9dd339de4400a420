import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { calculate, makeThings, setReady, type Things } from '../../../testing/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

onEachApp((house) => {
  let things: Things;
  let ids: number[];

  beforeAll(async () => {
    const { db } = house();
    things = await makeThings(house());
    const some = (from: number) =>
      things.create(
        ...Array.from({ length: 6 }, (_, at) => ({
          Name: `Thing ${from + at}`,
          Note: `Note of ${from + at}`,
          ...(at % 3 !== 2 && { Score: at % 2, Price: { value: from, currencyCode: 'EUR' } }),
        })),
      );
    ids = await some(0);
    for (const [from, leap] of [
      [6, 4096],
      [12, 9000],
      [18, 0],
    ] as const) {
      // Ids are counted by blocks: these stand in several, with empty ones between.
      await sql`select setval(pg_get_serial_sequence('entry', 'entry_id'), ${Math.max(...ids) + leap})`.execute(
        db,
      );
      ids.push(...(await some(from)));
    }
    await calculate(db);
    await setReady(db, things.siteId, true);
  });

  test.each([
    ['', {}],
    ['-EntryId', {}],
    ['Score', {}],
    ['-Score', {}],
    ['-Note', {}],
    ['', { Note: { $contains: 'note of 1' } }],
    ['-EntryId', { Note: { $contains: 'note of 1' } }],
    ['-Price', { $or: [{ Score: 1 }, { Score: '$noData' }] }],
    ['EntryId', { Score: 0 }],
  ])('in the order "%s" of %j each entry is where its position says', async (orderBy, query) => {
    const { rows } = await things.query(query, { orderBy });
    const inList = rows.map(({ EntryId }) => EntryId);
    expect(inList.length).toBeGreaterThan(5);
    const told = await Promise.all(
      ids.map((positionOf) => things.query(query, { orderBy, limit: 1, fields: ['Name'], positionOf })),
    );
    expect(told.map(({ position }) => position)).toEqual(
      ids.map((entryId) => (inList.includes(entryId) ? inList.indexOf(entryId) : null)),
    );
  });

  test('what is gone or was never there has no position, and nobody is told one unasked', async () => {
    const [gone = 0] = await things.create({ Name: 'Gone' });
    await things.remove(gone);
    for (const positionOf of [gone, 2_147_483_647])
      expect((await things.query({}, { limit: 1, positionOf })).position).toBeNull();
    expect(await things.query({}, { limit: 1 })).not.toHaveProperty('position');
  });
});

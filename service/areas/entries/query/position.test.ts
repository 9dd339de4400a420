import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { recalculate, makeThings, setIndexesReady, type Things } from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';

onEachApp((context) => {
  let things: Things;
  let ids: number[];

  beforeAll(async () => {
    const { db } = context();
    things = await makeThings(context());
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
    await recalculate(db);
    await setIndexesReady(db, things.siteId, true);
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
  ])('returns the position of each entry, sorted by "%s" with filter %j', async (orderBy, query) => {
    const { rows } = await things.query(query, { orderBy });
    const listIds = rows.map(({ EntryId }) => EntryId);
    expect(listIds.length).toBeGreaterThan(5);
    const responses = await Promise.all(
      ids.map((positionOf) => things.query(query, { orderBy, limit: 1, fields: ['Name'], positionOf })),
    );
    expect(responses.map(({ position }) => position)).toEqual(
      ids.map((entryId) => (listIds.includes(entryId) ? listIds.indexOf(entryId) : null)),
    );
  });

  test('returns null for an entry that is not in the list, and no position unless requested', async () => {
    const [deletedId = 0] = await things.create({ Name: 'Deleted' });
    await things.remove(deletedId);
    for (const positionOf of [deletedId, 2_147_483_647])
      expect((await things.query({}, { limit: 1, positionOf })).position).toBeNull();
    expect(await things.query({}, { limit: 1 })).not.toHaveProperty('position');
  });
});

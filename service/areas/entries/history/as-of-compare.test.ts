/** Lists as of a date since which so many entries have changed that they are compared before the page is read. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RowsAsOf } from '../../../../contract/generated/types.gen.ts';
import { untilSomebodyWaits } from '../../../testing/databases.ts';
import { DATA, makeThings, nextTimestamp, type Things } from '../../../testing/entries/entries.ts';
import { onEachApp } from '../../../testing/site.ts';
import { asOfLimits } from './as-of-compare.ts';

const DEFAULT_LIMITS = { ...asOfLimits };
const setLimits = (limits: Partial<typeof asOfLimits>) => Object.assign(asOfLimits, limits);

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(context());
  });
  afterEach(() => {
    setLimits(DEFAULT_LIMITS);
  });
  const queryAsOf = (body: object) => things.api.post<RowsAsOf>(`${DATA}/entrydata/rows/asof/Thing`, body);

  test('compares and sorts a list with many changes once, and includes later changes', async () => {
    const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];
    const ids = await things.create(...names.map((Name, Score) => ({ Name, Score })));
    const [one = 0, two = 0, three = 0] = ids;
    for (const id of ids.slice(0, 6)) await things.update(id, { Score: 100 - id });
    const [nine = 0] = await things.create({ Name: 'Nine', Score: 3.5 });
    // Dates these changes back, so that only later ones are compared again.
    await sql`update entry_change set any_at = now() - interval '1 hour', created_at = now() - case
      when entry_id = ${nine} then interval '1 hour' else interval '3 hours' end`.execute(context().db);
    await sql`update cell_log set at = now() - interval '1 hour'`.execute(context().db);
    const at = new Date(Date.now() - 2 * 3_600_000).toISOString();
    setLimits({ maxInline: 5, batchSize: 2 });
    const request = { asOf: at, fields: ['Name', 'Score'], orderBy: '-Score' };
    const page = async (more: object = {}) => {
      const { totalRecords, added, removed, changed, rows } = (await queryAsOf({ ...request, ...more })).body;
      return [totalRecords, added, removed, changed, rows.map(({ EntryId }) => EntryId)];
    };
    const then = ids.toReversed();
    expect(await page({ skip: 2, limit: 3 })).toEqual([8, 1, 0, 6, then.slice(2, 5)]);
    // A second full comparison would be rejected.
    setLimits({ maxChanged: 6 });
    expect(await page({ withAdded: true })).toEqual([9, 1, 0, 6, then.toSpliced(4, 0, nine)]);
    expect(await page({ only: 'changed', limit: 2 })).toEqual([6, 1, 0, 6, then.slice(2, 4)]);
    expect(await page({ only: 'changed', orderBy: '', skip: 4 })).toEqual([6, 1, 0, 6, ids.slice(4, 6)]);
    await things.remove(one);
    await things.update(two, { Score: 1 });
    const [ten = 0] = await things.create({ Name: 'Ten', Score: 9 });
    expect(await page({ skip: 5 })).toEqual([8, 2, 1, 4, then.slice(5)]);
    expect(await page({ withAdded: true, limit: 1 })).toEqual([10, 2, 1, 4, [ten]]);
    expect(await page({ only: 'removed', orderBy: '' })).toEqual([1, 2, 1, 4, [one]]);
    expect(await page({ orderBy: '', skip: 1, limit: 2 })).toEqual([8, 2, 1, 4, [two, three]]);

    setLimits({ maxListed: 7 });
    const text = async (more: object) => (await queryAsOf({ ...request, ...more })).text;
    expect(await text({ orderBy: 'Name' })).toContain('and more than 7 match');
    expect(await text({ asOf: new Date(Date.parse(at) - 1).toISOString() })).toContain(
      'more than 6 entries have changed since then',
    );
  });

  test('includes a change that is committed after a later one', async () => {
    const { db, database } = context();
    // The embedded database runs one transaction at a time.
    if (database.kind === 'embedded') return;
    const [one = 0, two = 0] = await things.create({ Name: 'One' }, { Name: 'Two' });
    const asOf = await nextTimestamp();
    const changed = async () =>
      (await queryAsOf({ asOf, fields: ['Name', 'Parent'] })).body.differences.map(({ entryId }) => entryId);
    const holding = await db.startTransaction().execute();
    // The first change waits for this row after it has taken its timestamp.
    await sql`insert into entry_multi (site_id, field_id, v, entry_id)
      values (${things.siteId}, ${things.field('Parent').id}, ${two}, ${one})`.execute(holding);
    const first = things.update(one, { Parent: two });
    await untilSomebodyWaits(db);
    await things.update(two, { Name: 'Two again' });
    const seen = [await changed()];
    await holding.rollback().execute();
    await first;
    seen.push(await changed());
    expect(seen).toEqual([[two], [one, two]]);
  });

  test('uses one comparison for all pages, even if all entries changed at the same time', async () => {
    const ids = await things.create(...['One', 'Two', 'Three', 'Four'].map((Name) => ({ Name })));
    await sql`update entry_change set created_at = now() - interval '3 hours', any_at = now() - interval '1 hour'
      where entry_id = any(${ids}::int[])`.execute(context().db);
    const request = { asOf: new Date(Date.now() - 2 * 3_600_000).toISOString(), orderBy: 'Name', limit: 1 };
    setLimits({ maxInline: 2 });
    expect((await queryAsOf(request)).status).toBe(200);
    // A second comparison would be rejected.
    setLimits({ maxChanged: 3 });
    expect((await queryAsOf({ ...request, skip: 1 })).body.rows[0]?.EntryId).toBe(ids[0]);
    expect((await queryAsOf({ ...request, query: { Name: 'One' } })).status).toBe(400);
  });
});

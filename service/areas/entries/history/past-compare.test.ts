/** Lists at a moment since which so much has changed that it is compared before the page, and once. */
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RowsAsOf } from '../../../../contract/generated/types.gen.ts';
import { DATA, makeThings, moment, type Things } from '../../../testing/entries.ts';
import { onEachApp } from '../../../testing/site.ts';
import { pastBounds } from './past-compare.ts';

const BOUNDS = { ...pastBounds };

onEachApp((house) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(house());
  });
  afterEach(() => {
    Object.assign(pastBounds, BOUNDS);
  });
  const ask = (body: object) => things.api.post<RowsAsOf>(`${DATA}/entrydata/rows/asof/Thing`, body);

  test('where much has changed, a list is put in order once and what changes while somebody looks is told', async () => {
    const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight'];
    const made = await things.create(...names.map((Name, Score) => ({ Name, Score })));
    const [one = 0, two = 0, three = 0] = made;
    for (const id of made.slice(0, 6)) await things.update(id, { Score: 100 - id });
    const [nine = 0] = await things.create({ Name: 'Nine', Score: 3.5 });
    // All of this is long ago: what changes from now on is compared by itself.
    await sql`update entry_change set any_at = now() - interval '1 hour', created_at = now() - case
      when entry_id = ${nine} then interval '1 hour' else interval '3 hours' end`.execute(house().db);
    await sql`update cell_log set at = now() - interval '1 hour'`.execute(house().db);
    const at = new Date(Date.now() - 2 * 3_600_000).toISOString();
    Object.assign(pastBounds, { few: 5, atOnce: 2 });
    const asked = { asOf: at, fields: ['Name', 'Score'], orderBy: '-Score' };
    const page = async (more: object = {}) => {
      const { totalRecords, added, removed, changed, rows } = (await ask({ ...asked, ...more })).body;
      return [totalRecords, added, removed, changed, rows.map(({ EntryId }) => EntryId)];
    };
    const then = made.toReversed();
    expect(await page({ skip: 2, limit: 3 })).toEqual([8, 1, 0, 6, then.slice(2, 5)]);
    // Whoever compared all of them again would be refused.
    Object.assign(pastBounds, { most: 6 });
    expect(await page({ withAdded: true })).toEqual([9, 1, 0, 6, then.toSpliced(4, 0, nine)]);
    expect(await page({ only: 'changed', limit: 2 })).toEqual([6, 1, 0, 6, then.slice(2, 4)]);
    expect(await page({ only: 'changed', orderBy: '', skip: 4 })).toEqual([6, 1, 0, 6, made.slice(4, 6)]);
    await things.remove(one);
    await things.update(two, { Score: 1 });
    const [ten = 0] = await things.create({ Name: 'Ten', Score: 9 });
    expect(await page({ skip: 5 })).toEqual([8, 2, 1, 4, then.slice(5)]);
    expect(await page({ withAdded: true, limit: 1 })).toEqual([10, 2, 1, 4, [ten]]);
    expect(await page({ only: 'removed', orderBy: '' })).toEqual([1, 2, 1, 4, [one]]);
    expect(await page({ orderBy: '', skip: 1, limit: 2 })).toEqual([8, 2, 1, 4, [two, three]]);

    Object.assign(pastBounds, { listed: 7 });
    const text = async (more: object) => (await ask({ ...asked, ...more })).text;
    expect(await text({ orderBy: 'Name' })).toContain('and more than 7 are asked for');
    expect(await text({ asOf: new Date(Date.parse(at) - 1).toISOString() })).toContain(
      'more than 6 entries have changed since then',
    );
  });

  test('a change that is committed after a later one is told all the same', async () => {
    const { db, database } = house();
    // Of the transactions of the embedded database one comes after the other.
    if (database.kind === 'embedded') return;
    const [one = 0, two = 0] = await things.create({ Name: 'One' }, { Name: 'Two' });
    const asOf = await moment();
    const changed = async () =>
      (await ask({ asOf, fields: ['Name', 'Parent'] })).body.differences.map(({ entryId }) => entryId);
    const holding = await db.startTransaction().execute();
    // The first change waits for this row with its moment already taken.
    await sql`insert into entry_multi (site_id, field_id, v, entry_id)
      values (${things.siteId}, ${things.field('Parent').id}, ${two}, ${one})`.execute(holding);
    const first = things.update(one, { Parent: two });
    await vi.waitUntil(
      async () => (await sql`select from pg_locks where not granted`.execute(db)).rows.length > 0,
      { timeout: 10_000, interval: 10 },
    );
    await things.update(two, { Name: 'Two again' });
    const seen = [await changed()];
    await holding.rollback().execute();
    await first;
    seen.push(await changed());
    expect(seen).toEqual([[two], [one, two]]);
  });

  test('what was compared stands for all pages, also where everything changed at one moment', async () => {
    const made = await things.create(...['One', 'Two', 'Three', 'Four'].map((Name) => ({ Name })));
    await sql`update entry_change set created_at = now() - interval '3 hours', any_at = now() - interval '1 hour'
      where entry_id = any(${made}::int[])`.execute(house().db);
    const asked = { asOf: new Date(Date.now() - 2 * 3_600_000).toISOString(), orderBy: 'Name', limit: 1 };
    Object.assign(pastBounds, { few: 2 });
    expect((await ask(asked)).status).toBe(200);
    // To compare once more would be refused.
    Object.assign(pastBounds, { most: 3 });
    expect((await ask({ ...asked, skip: 1 })).body.rows[0]?.EntryId).toBe(made[0]);
    expect((await ask({ ...asked, query: { Name: 'One' } })).status).toBe(400);
  });
});

/** Whoever reads on gets the rows of this moment, whatever was read and written before. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { makeThings, setReady, type Things } from '../../../testing/entries.ts';
import { makePerson, onEachApp, type Person } from '../../../testing/site.ts';
import { markSql, unchangedSql } from '../cache/marks.store.ts';

onEachApp((house) => {
  let things: Things;
  let ids: number[];
  let other: Person;

  beforeAll(async () => {
    things = await makeThings(house());
    const [root = 0, branch = 0] = await things.create({ Name: 'a root' }, { Name: 'z branch' });
    const more = await things.create(
      ...Array.from({ length: 12 }, (_, at) => ({
        Name: `Thing ${at}`,
        Note: `Note ${at % 4}`,
        ...(at % 5 !== 4 && { Score: at % 3, Memo: `Memo ${at % 7}`, Parent: at % 2 ? root : branch }),
      })),
    );
    ids = [root, branch, ...more];
    other = await makePerson(house().db, things.siteId);
    for (const at of [4, 7, 9]) await things.update(thing(at), { Owner: other.userId });
    await setReady(house().db, things.siteId, true);
  });

  const idsOf = async (asked: object, query: object = {}): Promise<number[]> =>
    (await things.query(query, { fields: ['Name'], ...asked })).rows.map(({ EntryId }) => EntryId);

  /** Reads pages, does something, and reads on: what came, and what stands there in the whole list. */
  async function readOn(
    orderBy: string,
    query: object,
    work: () => Promise<unknown>,
  ): Promise<[came: number[][], stands: number[][]]> {
    const page = (skip: number) => idsOf({ orderBy, limit: 4, skip }, query);
    await page(0);
    await page(4);
    await work();
    const came = [await page(8), await page(4)];
    // Asked for like this for the first time: nothing that was kept can answer it.
    const anew = { $and: [query, { Name: { $doesntContain: randomUUID() } }] };
    const whole = await idsOf({ orderBy }, anew);
    return [came, [whole.slice(8, 12), whole.slice(4, 8)]];
  }

  const thing = (at: number): number => ids[at] ?? 0;
  const named = (name: string) =>
    house().db.updateTable('account').set({ first_name: name }).where('user_id', '=', other.userId).execute();
  const moved = (at: number, values: object) => () => things.update(thing(at), { ...values });

  test.each([
    ['Score', {}],
    ['-Score', {}],
    ['Name', {}],
    ['-EntryId', {}],
    ['Memo', {}],
    ['-Memo', {}],
    ['Memo', { Memo: { $contains: 'memo' } }],
    ['EntryId', { Memo: { $doesntContain: 'Memo 9' } }],
    ['-Name', { Memo: { $doesntContain: 'Memo 9' } }],
  ] as const)('in the order %s of %j', async (orderBy, query) => {
    let made: number[] = [];
    for (const work of [
      moved(13, { Name: '0 first', Score: 9, Memo: 'A memo at first' }),
      moved(13, { Name: 'zzz last', Score: -10, Memo: 'ZZ memo at last' }),
      async () => {
        made = await things.create({ Name: '1 new', Score: 1, Memo: 'Memo 1' });
      },
      () => things.remove(...made),
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one change after the other
      const [came, stands] = await readOn(orderBy, query, work);
      expect(came).toEqual(stands);
      expect(came[0]?.length).toBeGreaterThan(1);
    }
  });

  test.each([
    ['Parent', () => things.update(thing(0), { Name: 'zzz root' })],
    ['Parent', () => things.update(thing(0), { Name: 'a root' })],
    ['Owner', () => things.update(thing(3), { Owner: things.person.userId })],
    ['Owner', () => named('Zoe')],
    ['Owner', () => named('Aaron')],
  ])('by names of others, in the order %s', async (orderBy, work) => {
    const [came, stands] = await readOn(orderBy, {}, work);
    expect(came).toEqual(stands);
  });

  test('what was changed since is told by types and fields, and what is forgotten counts as changed', async () => {
    const { db } = house();
    const { id: score } = things.field('Score');
    const { id: memo } = things.field('Memo');
    const [typeId, elsewhere] = [things.typeId, things.typeId + 1];
    const followed = [
      { typeId, fieldIds: [score] },
      { typeId, fieldIds: [memo, score] },
      { typeId, fieldIds: [memo] },
      { typeId, fieldIds: [] },
      { typeId: elsewhere, fieldIds: [score] },
      undefined,
    ];
    const markNow = async () => {
      const { rows } = await sql<{ mark: number }>`select ${markSql(things.siteId)} as mark`.execute(db);
      return rows[0]?.mark ?? 0;
    };
    const unchangedSince = async (mark: number) => {
      const asked = followed.map((each) => unchangedSql(things.siteId, mark, each));
      const { rows } = await sql<{ holds: boolean[] }>`select array[${sql.join(asked)}] as holds`.execute(db);
      return rows[0]?.holds;
    };
    await things.update(thing(5), { Score: 77, Memo: 'changed before' });
    const mark = await markNow();
    expect(await unchangedSince(mark)).toEqual([true, true, true, true, true, true]);
    await things.update(thing(5), { Score: 78 });
    expect(await unchangedSince(mark)).toEqual([false, false, true, true, true, false]);
    const later = await markNow();
    await things.remove(...(await things.create({ Name: 'For a while' })));
    expect(await unchangedSince(later)).toEqual([false, false, false, false, true, false]);
    await db.deleteFrom('topic_event').where('site_id', '=', things.siteId).execute();
    expect(await unchangedSince(later)).toEqual([false, false, false, false, false, false]);
  });
});

/** Pages are current although ends of earlier pages and sorted ids are cached. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DataRequestResultVm, FieldVm } from '../../../../contract/generated/types.gen.ts';
import {
  DATA,
  makeEntryType,
  makeThings,
  SCHEMA,
  setIndexesReady,
  type Things,
} from '../../../testing/entries/entries.ts';
import { makePerson, onEachApp, type Person } from '../../../testing/site.ts';

onEachApp((context) => {
  let things: Things;
  let ids: number[];
  let other: Person;

  beforeAll(async () => {
    things = await makeThings(context());
    const [root = 0, branch = 0] = await things.create({ Name: 'a root' }, { Name: 'z branch' });
    const more = await things.create(
      ...Array.from({ length: 12 }, (_, at) => ({
        Name: `Thing ${at}`,
        Note: `Note ${at % 4}`,
        ...(at % 5 !== 4 && { Score: at % 3, Memo: `Memo ${at % 7}`, Parent: at % 2 ? root : branch }),
      })),
    );
    ids = [root, branch, ...more];
    other = await makePerson(context().db, things.siteId);
    for (const at of [4, 7, 9]) await things.update(getId(at), { Owner: other.userId });
    await setIndexesReady(context().db, things.siteId, true);
  });

  const readIds = async (options: object, query: object = {}): Promise<number[]> =>
    (await things.query(query, { fields: ['Name'], ...options })).rows.map(({ EntryId }) => EntryId);

  /** Reads two pages, changes data and reads on; returns the pages and the same windows of the complete list. */
  async function readAroundChange(
    orderBy: string,
    query: object,
    change: () => Promise<unknown>,
  ): Promise<[pages: number[][], expected: number[][]]> {
    const readPage = (skip: number) => readIds({ orderBy, limit: 4, skip }, query);
    await readPage(0);
    await readPage(4);
    await change();
    const pages = [await readPage(8), await readPage(4)];
    // An equivalent query that no cache has seen before.
    const uncachedQuery = { $and: [query, { Name: { $doesntContain: randomUUID() } }] };
    const list = await readIds({ orderBy }, uncachedQuery);
    return [pages, [list.slice(8, 12), list.slice(4, 8)]];
  }

  const getId = (index: number): number => ids[index] ?? 0;
  const renameUser = (name: string) =>
    context()
      .db.updateTable('account')
      .set({ first_name: name })
      .where('user_id', '=', other.userId)
      .execute();
  const updateThing = (index: number, values: object) => () => things.update(getId(index), { ...values });

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
  ] as const)('are current after changes, sorted by %s with filter %j', async (orderBy, query) => {
    let created: number[] = [];
    for (const change of [
      updateThing(13, { Name: '0 first', Score: 9, Memo: 'A memo at first' }),
      updateThing(13, { Name: 'zzz last', Score: -10, Memo: 'ZZ memo at last' }),
      async () => {
        created = await things.create({ Name: '1 new', Score: 1, Memo: 'Memo 1' });
      },
      () => things.remove(...created),
    ]) {
      const [pages, expected] = await readAroundChange(orderBy, query, change);
      expect(pages).toEqual(expected);
      expect(pages[0]?.length).toBeGreaterThan(1);
    }
  });

  test.each([
    ['Parent', () => things.update(getId(0), { Name: 'zzz root' })],
    ['Parent', () => things.update(getId(0), { Name: 'a root' })],
    ['Owner', () => things.update(getId(3), { Owner: things.person.userId })],
    ['Owner', () => renameUser('Zoe')],
    ['Owner', () => renameUser('Aaron')],
  ])('are current after changes of names that the sort by %s uses', async (orderBy, change) => {
    const [pages, expected] = await readAroundChange(orderBy, {}, change);
    expect(pages).toEqual(expected);
  });

  test('are current after an entry of another type, by whose name they are sorted, was renamed', async () => {
    await makeEntryType(things.api, 'Company', {});
    const path = `${DATA}/entrydata/Company`;
    const { body: fields } = await things.api.get<FieldVm[]>(`${SCHEMA}/entrytypes/Company/fields`);
    const fieldId = fields[0]?.id ?? 0;
    const created = await things.api.post<DataRequestResultVm[]>(path, {
      storeRequests: [{ entryId: -1, fieldId, value: 'b company' }],
    });
    const companyId = created.body[0]?.entryId ?? 0;
    await things.update(getId(12), { Parent: companyId });
    const rename = (value: string) =>
      things.api.put(path, { storeRequests: [{ entryId: companyId, fieldId, value }] });
    for (const name of ['zzz company', ' company']) {
      const [pages, expected] = await readAroundChange('Parent', {}, () => rename(name));
      expect(pages).toEqual(expected);
    }
  });

  const deleteEvents = () =>
    context().db.deleteFrom('topic_event').where('site_id', '=', things.siteId).execute();
  /** Writes past the service: no version changes, so caches cannot notice it. */
  const setStageUnnoticed = async (id: number, choiceId: number) => {
    const fieldId = String(things.field('Stage').id);
    await sql`update entry set vals = vals || jsonb_build_object(${fieldId}::text, ${choiceId}::int)
      where site_id = ${things.siteId} and entry_id = ${id}`.execute(context().db);
  };

  const getSlot = async (name: string): Promise<string> => {
    const { slot } = await context()
      .db.selectFrom('field')
      .select('slot')
      .where('field_id', '=', things.field(name).id)
      .executeTakeFirstOrThrow();
    return slot ?? '';
  };

  describe('when the events of the site are pruned', () => {
    test('cached ids of a list stay valid, until an entry changes', async () => {
      const [open, won, lost] = ['Open', 'Won', 'Lost'].map((name) => things.choice('Stage', name));
      const [first = 0, second = 0] = await things.create(
        { Name: 'First', Stage: open },
        { Name: 'Second', Stage: won },
      );
      const query = { Name: { $doesntContain: randomUUID() } };
      const readFirst = async () => (await readIds({ orderBy: 'Stage' }, query)).slice(0, 2);
      expect(await readFirst()).toEqual([first, second]);
      await setStageUnnoticed(first, lost ?? 0);
      await deleteEvents();
      expect(await readFirst()).toEqual([first, second]);
      await things.update(getId(2), { Score: 5 });
      await deleteEvents();
      expect(await readFirst()).toEqual([first, second]);
      await things.update(getId(2), { Stage: won });
      await deleteEvents();
      expect(await readFirst()).toEqual([getId(2), second]);
      await things.remove(first, second);
    });

    test('ends of pages stay valid, until an entry changes', async () => {
      const query = { Name: { $doesntContain: randomUUID() } };
      const readPage = (skip: number) => readIds({ orderBy: 'Score', limit: 4, skip }, query);
      const slot = sql.ref(await getSlot('Score'));
      const setScoreUnnoticed = (id: number, score: number) =>
        sql`update entry set ${slot} = ${score} where site_id = ${things.siteId} and entry_id = ${id}`.execute(
          context().db,
        );
      const [first = 0] = await readPage(0);
      const next = await readPage(4);
      await setScoreUnnoticed(first, 1_000);
      await deleteEvents();
      // Skipping rows would begin one row later, because the first one moved behind.
      expect(await readPage(4)).toEqual(next);
      await things.update(getId(3), { Score: 2 });
      await deleteEvents();
      expect(await readPage(4)).not.toEqual(next);
    });
  });
});

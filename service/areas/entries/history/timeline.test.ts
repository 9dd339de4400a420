import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type {
  ChangeCount,
  ChangedEntries,
  ChangeMoments,
  EntryChanges,
  EntryLineage,
  GoneField,
} from '../../../../contract/generated/types.gen.ts';
import {
  calculate,
  DATA,
  finishSchema,
  makeThings,
  moment,
  SCHEMA,
  type Things,
} from '../../../testing/entries.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';

const PATH = `${DATA}/entrydata`;

onEachApp((house) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(house());
  });

  const changes = async (id: number, query = '') =>
    (await things.api.get<EntryChanges>(`${PATH}/Thing/entries/${id}/changes${query}`)).body;
  const kinds = async (id: number) => (await changes(id)).changes.map(({ kind }) => kind);
  const lineage = async (id: number) =>
    (await things.api.get<EntryLineage>(`${PATH}/Thing/entries/${id}/lineage`)).body;
  const changed = async (query = '') =>
    (await things.api.get<ChangedEntries>(`${PATH}/Thing/entries/changes${query}`)).body;

  test('the changes of an entry are told with who made them, newest first', async () => {
    const [id = 0] = await things.create({ Name: 'Hafen', Note: 'hamburg', Score: 1 });
    await moment();
    await things.update(id, { Note: 'Hamburg', Score: null, Stage: things.choice('Stage', 'Won') });
    await moment();
    await calculate(house().db);
    const by = { id: things.person.userId, name: expect.any(String) as string };
    const { changes: told, next } = await changes(id);
    expect(next).toBeUndefined();
    expect(told).toEqual([
      {
        at: expect.any(String) as string,
        kind: 'changed',
        by,
        fields: ['Note', 'Stage', 'Score'],
        before: { EntryId: id, Note: 'hamburg', Score: 1 },
        after: {
          EntryId: id,
          Note: 'Hamburg',
          Stage: { id: things.choice('Stage', 'Won'), name: 'Won', seqNumber: 2, entryListId: -6 },
        },
      },
      { at: expect.any(String) as string, kind: 'created', by },
    ]);
    await things.update(id, { Score: 4 });
    await calculate(house().db);
    const [latest] = (await changes(id)).changes;
    expect(latest).toMatchObject({ kind: 'calculated', fields: ['Twice'], after: { Twice: 8 } });
    expect(latest).not.toHaveProperty('by');
  });

  test('pages lead from one to the next until the entry was made', async () => {
    const [id = 0] = await things.create({ Name: 'A', Score: 0 });
    for (const score of [1, 2, 3, 4, 5]) await things.update(id, { Score: score });
    const scores: unknown[] = [];
    let query: string | undefined = '?limit=2';
    while (query !== undefined) {
      const page: EntryChanges = await changes(id, query);
      scores.push(...page.changes.map(({ after, kind }) => after?.Score ?? kind));
      query = page.next && `?limit=2&cursor=${page.next}`;
    }
    expect(scores).toEqual([5, 4, 3, 2, 1, 'created']);
    expect((await things.api.get(`${PATH}/Thing/entries/${id}/changes?cursor=abc`)).status).toBe(400);
  });

  test('large values make a page shorter, not an error', async () => {
    const [id = 0] = await things.create({ Name: 'A' });
    await sql`insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new)
      select ${things.siteId}, ${id}, ${things.field('Memo').id}, now() - i * interval '1 minute', ${things.typeId},
        to_jsonb(repeat('x', 999000)), to_jsonb(repeat('y', 999000)) from generate_series(1, 20) i`.execute(
      house().db,
    );
    const page = await changes(id, '?limit=100');
    expect(page.changes.length).toBeLessThan(20);
    expect(page.next).toBeDefined();
  });

  test('merges are followed in both directions, and through a proxy by name', async () => {
    const [stays = 0, goes = 0, first = 0, holder = 0] = await things.create(
      { Name: 'Stays' },
      { Name: 'Goes' },
      { Name: 'First' },
      { Name: 'Holder' },
    );
    await things.update(holder, { Parent: goes });
    await things.merge(goes, first);
    await moment();
    const proxy = await makePerson(house().db, things.siteId);
    await house()
      .db.insertInto('proxy_assignment')
      .values({ site_id: things.siteId, user_id: things.person.userId, proxy_id: proxy.userId })
      .execute();
    const acting = await as(house().app, proxy).post(
      `${PATH}/merge/Thing`,
      { entryId: stays, mergeEntries: [goes] },
      { headers: { 'as-user': String(things.person.userId) } },
    );
    expect([acting.status, acting.text]).toEqual([200, acting.text]);
    const by = { id: things.person.userId, name: expect.any(String) as string };
    expect(await lineage(stays)).toMatchObject({
      isDeleted: false,
      wentInto: [],
      tookIn: [
        { id: goes, name: 'Goes', mergedEntryId: stays, by },
        { id: first, name: 'First', mergedEntryId: goes, by },
      ],
    });
    expect(await lineage(first)).toMatchObject({
      isDeleted: true,
      mergedEntryId: goes,
      wentInto: [
        { id: goes, isDeleted: true },
        { id: stays, isDeleted: false },
      ],
      tookIn: [],
    });
    const [took] = (await changes(stays)).changes;
    expect(took).toMatchObject({ kind: 'tookIn', entry: { id: goes }, by, proxy: { id: proxy.userId } });
    expect((await changes(goes)).changes[0]).toMatchObject({
      kind: 'merged',
      entry: { id: stays },
      proxy: { id: proxy.userId },
    });
    expect(await kinds(holder)).toEqual(['redirected', 'changed', 'created']);
    expect((await things.api.get(`${PATH}/Thing/entries/2147483647/lineage`)).status).toBe(404);
  });

  test('changed entries are told by type with what became of them', async () => {
    const [one = 0, two = 0, holder = 0] = await things.create(
      { Name: 'One' },
      { Name: 'Two' },
      { Name: 'Holder' },
    );
    await things.update(holder, { Parent: two });
    const since = await moment();
    await things.update(one, { Name: 'ONE' });
    const [fresh = 0] = await things.create({ Name: 'Fresh' });
    await things.merge(one, two);
    const ids = async (query: string) => (await changed(query)).entries.map(({ id }) => id);
    const from = `?modifiedSince=${since}`;
    const { entries } = await changed(from);
    expect(entries).toMatchObject([
      { id: two, fate: 'gone', isDeleted: true, mergedEntryId: one, by: { id: things.person.userId } },
      { id: fresh, fate: 'created', isIndirect: false },
      { id: one, name: 'ONE', fate: 'changed' },
    ]);
    expect(await ids(`${from}&fate=gone`)).toEqual([two]);
    expect(await ids(`${from}&indirect=true&fate=changed`)).toEqual([holder, one]);
    const first = await changed(`${from}&limit=2`);
    expect(first.entries).toHaveLength(2);
    expect(await ids(`${from}&limit=2&cursor=${first.next}`)).toEqual([one]);
    const counts = async (query: string) =>
      (await things.api.get<ChangeCount[]>(`${PATH}/changes${query}`)).body;
    expect(await counts(from)).toEqual([{ entryTypeId: things.typeId, created: 1, changed: 1, gone: 1 }]);
    expect(await counts(`${from}&indirect=true`)).toMatchObject([{ changed: 2 }]);
  });

  test('changed entries are told by person, and a moment leads to the changes around it', async () => {
    const other = await makePerson(house().db, things.siteId);
    const [one = 0, two = 0] = await things.create({ Name: 'One' }, { Name: 'Two' });
    const at = await moment();
    const write = as(house().app, other);
    await write.put(`${PATH}/Thing`, { storeRequests: things.items(one, { Note: 'theirs' }) });
    await moment();
    await things.update(two, { Note: 'ours' });
    const theirs = (await changed(`?userId=${other.userId}`)).entries;
    const own = (await changed(`?userId=${things.person.userId}`)).entries;
    expect([theirs, own].map((entries) => entries.map(({ id }) => id))).toEqual([[one], [two]]);
    const counted = await things.api.get<ChangeCount[]>(`${PATH}/changes?userId=${other.userId}`);
    expect(counted.body).toMatchObject([{ created: 1, changed: 0, gone: 0 }]);

    const moments = async (when: string) =>
      (await things.api.get<ChangeMoments>(`${PATH}/Thing/entries/changes/around?at=${when}`)).body;
    const [latest, made] = (await changes(one)).changes.map((change) => change.at);
    const [last] = (await changes(two)).changes.map((change) => change.at);
    expect(await moments(at)).toEqual({ before: made, after: latest });
    expect(await moments(latest ?? '')).toEqual({ before: made, after: last });
    expect(await moments(last ?? '')).toEqual({ before: latest });
    expect(await moments('2000-01-01')).toEqual({ after: made });
  });

  test('values of a field that was deleted are told under the name it had', async () => {
    const [id = 0] = await things.create({ Name: 'Hafen' });
    await moment();
    await things.update(id, {
      Tags: ['Red', 'Blue'].map((name) => things.choice('Tags', name)),
      Note: 'kept',
    });
    const fieldId = things.field('Tags').id;
    const { status, text } = await things.api.del(`${SCHEMA}/fields/${fieldId}`, undefined);
    expect([status, text]).toEqual([204, '']);
    await finishSchema(house().db);
    const [change] = (await changes(id)).changes;
    expect(change).toMatchObject({ kind: 'changed', fields: ['Note'], after: { Note: 'kept' } });
    expect(change?.gone).toMatchObject([
      { id: fieldId, name: 'Tags', fieldType: 2, after: [{ name: 'Red' }, { name: 'Blue' }] },
    ]);
    const held = async (query: string) =>
      (await things.api.get<GoneField[]>(`${PATH}/Thing/entries/${id}/deletedfields?${query}`)).body;
    const then = change?.at ?? '';
    const made = new Date(Date.parse(then) - 1).toISOString();
    const told = { id: fieldId, name: 'Tags' };
    expect(await held(`at=${then}`)).toMatchObject([
      { ...told, before: [{ name: 'Red' }, { name: 'Blue' }] },
    ]);
    expect(await held(`at=${made}&with=${then}`)).toMatchObject([{ ...told, after: [{ name: 'Red' }, {}] }]);
    expect(await held(`at=${made}`)).toEqual([]);
    expect(await held(`at=${new Date().toISOString()}`)).toEqual([]);
  });

  test('an entry that came back held nothing while it was gone', async () => {
    const [id = 0] = await things.create({ Name: 'Hafen' });
    await things.update(id, { Note: 'kept' });
    const before = await moment();
    await things.remove(id);
    const gone = await moment();
    await as(house().app, things.person, 'console').post(`${PATH}/Thing/restore`, [id]);
    const back = await moment();
    await things.api.del(`${SCHEMA}/fields/${things.field('Note').id}`, undefined);
    const held = async (at: string) =>
      (await things.api.get<GoneField[]>(`${PATH}/Thing/entries/${id}/deletedfields?at=${at}`)).body;
    const note = [expect.objectContaining({ name: 'Note', before: 'kept' })];
    expect([await held(before), await held(gone), await held(back)]).toEqual([note, [], note]);
  });
});

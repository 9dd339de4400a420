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
import { type CursorPosition, encodeCursor } from '../../../kernel/http/cursor.ts';
import {
  recalculate,
  DATA,
  finishSchema,
  makeThings,
  nextTimestamp,
  SCHEMA,
  type Things,
} from '../../../testing/entries/entries.ts';
import { as, makePerson, onEachApp } from '../../../testing/site.ts';

const PATH = `${DATA}/entrydata`;

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(context());
  });

  const listChanges = async (id: number, query = '') =>
    (await things.api.get<EntryChanges>(`${PATH}/Thing/entries/${id}/changes${query}`)).body;
  const listKinds = async (id: number) => (await listChanges(id)).changes.map(({ kind }) => kind);
  const readLineage = async (id: number) =>
    (await things.api.get<EntryLineage>(`${PATH}/Thing/entries/${id}/lineage`)).body;
  const listChanged = async (query = '') =>
    (await things.api.get<ChangedEntries>(`${PATH}/Thing/entries/changes${query}`)).body;

  test('lists the changes of an entry with their authors, newest first', async () => {
    const [id = 0] = await things.create({ Name: 'Hafen', Note: 'hamburg', Score: 1 });
    await nextTimestamp();
    await things.update(id, { Note: 'Hamburg', Score: null, Stage: things.choice('Stage', 'Won') });
    await nextTimestamp();
    await recalculate(context().db);
    const by = { id: things.person.userId, name: expect.any(String) as string };
    const { changes: events, next } = await listChanges(id);
    expect(next).toBeUndefined();
    expect(events).toEqual([
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
    await recalculate(context().db);
    const [latest] = (await listChanges(id)).changes;
    expect(latest).toMatchObject({ kind: 'calculated', fields: ['Twice'], after: { Twice: 8 } });
    expect(latest).not.toHaveProperty('by');
  });

  test('pages continue until the creation of the entry', async () => {
    const [id = 0] = await things.create({ Name: 'A', Score: 0 });
    for (const score of [1, 2, 3, 4, 5]) await things.update(id, { Score: score });
    const scores: unknown[] = [];
    let query: string | undefined = '?limit=2';
    while (query !== undefined) {
      const page: EntryChanges = await listChanges(id, query);
      scores.push(...page.changes.map(({ after, kind }) => after?.Score ?? kind));
      query = page.next && `?limit=2&cursor=${page.next}`;
    }
    expect(scores).toEqual([5, 4, 3, 2, 1, 'created']);
    expect((await things.api.get(`${PATH}/Thing/entries/${id}/changes?cursor=abc`)).status).toBe(400);
    // Positions that `next` never has, and that PostgreSQL does not know.
    const positions: CursorPosition[] = [
      ['0000-01-01T00:00:00.000Z', 1, 1],
      ['-000044-03-15T00:00:00.000Z', 1, 1],
      ['2026-01-01T00:00:00.000Z (noon)', 1, 1],
      ['2026-01-01T00:00:00.000Z', 2 ** 31, 1],
      ['2026-01-01T00:00:00.000Z', 1, 2 ** 53],
    ];
    const statuses: number[] = [];
    for (const position of positions) {
      const path = `${PATH}/Thing/entries/${id}/changes?cursor=${encodeCursor(position)}`;
      statuses.push((await things.api.get(path)).status);
    }
    expect(statuses).toEqual(positions.map(() => 400));
  });

  test('large values shorten a page instead of failing the request', async () => {
    const [id = 0] = await things.create({ Name: 'A' });
    await sql`insert into cell_log (site_id, entry_id, field_id, at, type_id, old, new)
      select ${things.siteId}, ${id}, ${things.field('Memo').id}, now() - i * interval '1 minute', ${things.typeId},
        to_jsonb(repeat('x', 999000)), to_jsonb(repeat('y', 999000)) from generate_series(1, 20) i`.execute(
      context().db,
    );
    const page = await listChanges(id, '?limit=100');
    expect(page.changes.length).toBeLessThan(20);
    expect(page.next).toBeDefined();
  });

  test('follows merges in both directions and names the proxy', async () => {
    const [stays = 0, goes = 0, first = 0, holder = 0] = await things.create(
      { Name: 'Stays' },
      { Name: 'Goes' },
      { Name: 'First' },
      { Name: 'Holder' },
    );
    await things.update(holder, { Parent: goes });
    await things.merge(goes, first);
    await nextTimestamp();
    const proxy = await makePerson(context().db, things.siteId);
    await context()
      .db.insertInto('proxy_assignment')
      .values({ site_id: things.siteId, user_id: things.person.userId, proxy_id: proxy.userId })
      .execute();
    const acting = await as(context().app, proxy).post(
      `${PATH}/merge/Thing`,
      { entryId: stays, mergeEntries: [goes] },
      { headers: { 'as-user': String(things.person.userId) } },
    );
    expect([acting.status, acting.text]).toEqual([200, acting.text]);
    const by = { id: things.person.userId, name: expect.any(String) as string };
    expect(await readLineage(stays)).toMatchObject({
      isDeleted: false,
      wentInto: [],
      tookIn: [
        { id: goes, name: 'Goes', mergedEntryId: stays, by },
        { id: first, name: 'First', mergedEntryId: goes, by },
      ],
    });
    expect(await readLineage(first)).toMatchObject({
      isDeleted: true,
      mergedEntryId: goes,
      wentInto: [
        { id: goes, isDeleted: true },
        { id: stays, isDeleted: false },
      ],
      tookIn: [],
    });
    const [took] = (await listChanges(stays)).changes;
    expect(took).toMatchObject({ kind: 'tookIn', entry: { id: goes }, by, proxy: { id: proxy.userId } });
    expect((await listChanges(goes)).changes[0]).toMatchObject({
      kind: 'merged',
      entry: { id: stays },
      proxy: { id: proxy.userId },
    });
    const throughProxy = await listChanges(stays, '?onlyProxy=true');
    expect(throughProxy).toEqual({ changes: [took] });
    expect(await listChanges(first, '?onlyProxy=true&limit=1')).toEqual({ changes: [] });
    expect(await listKinds(holder)).toEqual(['redirected', 'changed', 'created']);
    expect((await things.api.get(`${PATH}/Thing/entries/2147483647/lineage`)).status).toBe(404);
  });

  test('lists the changed entries of a type with their fate', async () => {
    const [one = 0, two = 0, holder = 0] = await things.create(
      { Name: 'One' },
      { Name: 'Two' },
      { Name: 'Holder' },
    );
    await things.update(holder, { Parent: two });
    const since = await nextTimestamp();
    await things.update(one, { Name: 'ONE' });
    const [fresh = 0] = await things.create({ Name: 'Fresh' });
    await things.merge(one, two);
    const ids = async (query: string) => (await listChanged(query)).entries.map(({ id }) => id);
    const from = `?modifiedSince=${since}`;
    const { entries } = await listChanged(from);
    expect(entries).toMatchObject([
      { id: two, fate: 'gone', isDeleted: true, mergedEntryId: one, by: { id: things.person.userId } },
      { id: fresh, fate: 'created', isIndirect: false },
      { id: one, name: 'ONE', fate: 'changed' },
    ]);
    expect(await ids(`${from}&fate=gone`)).toEqual([two]);
    expect(await ids(`${from}&indirect=true&fate=changed`)).toEqual([holder, one]);
    const first = await listChanged(`${from}&limit=2`);
    expect(first.entries).toHaveLength(2);
    expect(await ids(`${from}&limit=2&cursor=${first.next}`)).toEqual([one]);
    const beyond = encodeCursor(['2026-01-01T00:00:00.000Z', 2 ** 31]);
    expect((await things.api.get(`${PATH}/Thing/entries/changes${from}&cursor=${beyond}`)).status).toBe(400);
    const counts = async (query: string) =>
      (await things.api.get<ChangeCount[]>(`${PATH}/changes${query}`)).body;
    expect(await counts(from)).toEqual([{ entryTypeId: things.typeId, created: 1, changed: 1, gone: 1 }]);
    expect(await counts(`${from}&indirect=true`)).toMatchObject([{ changed: 2 }]);
  });

  test('filters changed entries by user, and finds the changes around a timestamp', async () => {
    const other = await makePerson(context().db, things.siteId);
    const [one = 0, two = 0] = await things.create({ Name: 'One' }, { Name: 'Two' });
    const at = await nextTimestamp();
    const write = as(context().app, other);
    await write.put(`${PATH}/Thing`, { storeRequests: things.items(one, { Note: 'theirs' }) });
    await nextTimestamp();
    await things.update(two, { Note: 'ours' });
    const theirs = (await listChanged(`?userId=${other.userId}`)).entries;
    const own = (await listChanged(`?userId=${things.person.userId}`)).entries;
    expect([theirs, own].map((entries) => entries.map(({ id }) => id))).toEqual([[one], [two]]);
    const counted = await things.api.get<ChangeCount[]>(`${PATH}/changes?userId=${other.userId}`);
    expect(counted.body).toMatchObject([{ created: 1, changed: 0, gone: 0 }]);

    const moments = async (when: string) =>
      (await things.api.get<ChangeMoments>(`${PATH}/Thing/entries/changes/around?at=${when}`)).body;
    const [latest, made] = (await listChanges(one)).changes.map((change) => change.at);
    const [last] = (await listChanges(two)).changes.map((change) => change.at);
    expect(await moments(at)).toEqual({ before: made, after: latest });
    expect(await moments(latest ?? '')).toEqual({ before: made, after: last });
    expect(await moments(last ?? '')).toEqual({ before: latest });
    expect(await moments('2000-01-01')).toEqual({ after: made });
  });

  test('lists values of a deleted field under its former name', async () => {
    const [id = 0] = await things.create({ Name: 'Hafen' });
    await nextTimestamp();
    await things.update(id, {
      Tags: ['Red', 'Blue'].map((name) => things.choice('Tags', name)),
      Note: 'kept',
    });
    const fieldId = things.field('Tags').id;
    const { status, text } = await things.api.del(`${SCHEMA}/fields/${fieldId}`, undefined);
    expect([status, text]).toEqual([204, '']);
    await finishSchema(context().db);
    const [change] = (await listChanges(id)).changes;
    expect(change).toMatchObject({ kind: 'changed', fields: ['Note'], after: { Note: 'kept' } });
    expect(change?.gone).toMatchObject([
      { id: fieldId, name: 'Tags', fieldType: 2, after: [{ name: 'Red' }, { name: 'Blue' }] },
    ]);
    const readValues = async (query: string) =>
      (await things.api.get<GoneField[]>(`${PATH}/Thing/entries/${id}/deletedfields?${query}`)).body;
    const then = change?.at ?? '';
    const made = new Date(Date.parse(then) - 1).toISOString();
    const field = { id: fieldId, name: 'Tags' };
    expect(await readValues(`at=${then}`)).toMatchObject([
      { ...field, before: [{ name: 'Red' }, { name: 'Blue' }] },
    ]);
    expect(await readValues(`at=${made}&with=${then}`)).toMatchObject([
      { ...field, after: [{ name: 'Red' }, {}] },
    ]);
    expect(await readValues(`at=${made}`)).toEqual([]);
    expect(await readValues(`at=${new Date().toISOString()}`)).toEqual([]);
  });

  test('a restored entry has no values for the time of its deletion', async () => {
    const [id = 0] = await things.create({ Name: 'Hafen' });
    await things.update(id, { Note: 'kept' });
    const before = await nextTimestamp();
    await things.remove(id);
    const whileDeleted = await nextTimestamp();
    await as(context().app, things.person, 'console').post(`${PATH}/Thing/restore`, [id]);
    const back = await nextTimestamp();
    await things.api.del(`${SCHEMA}/fields/${things.field('Note').id}`, undefined);
    const readValues = async (at: string) =>
      (await things.api.get<GoneField[]>(`${PATH}/Thing/entries/${id}/deletedfields?at=${at}`)).body;
    const note = [expect.objectContaining({ name: 'Note', before: 'kept' })];
    expect([await readValues(before), await readValues(whileDeleted), await readValues(back)]).toEqual([
      note,
      [],
      note,
    ]);
  });
});

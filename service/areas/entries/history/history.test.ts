import { beforeEach, describe, expect, test } from 'vitest';
import type {
  DataRequestResultVm,
  FoundEntries,
  ModifiedEntryVm,
} from '../../../../contract/generated/types.gen.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import {
  recalculate,
  DATA,
  makeEntryType,
  makeThings,
  nextTimestamp,
  type Row,
  type Things,
} from '../../../testing/entries/entries.ts';
import { as, makePerson, makeSite, onEachApp } from '../../../testing/site.ts';

const PATH = `${DATA}/entrydata`;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

onEachApp((context) => {
  let things: Things;
  beforeEach(async () => {
    things = await makeThings(context());
  });

  const getStatus = async (path: string, since: string) =>
    (await things.api.get(`${PATH}/${path}?modifiedSince=${since}`)).status;

  const listChanged = async (kind: 'history' | 'allHistory', since: string) =>
    (await things.api.get<ModifiedEntryVm[]>(`${PATH}/Thing/entries/${kind}?modifiedSince=${since}`)).body;
  const listChangedIds = async (kind: 'history' | 'allHistory', since: string) =>
    (await listChanged(kind, since)).map(({ id }) => id);

  const readHistoricalRows = async (fromDate: string, more: object = {}) => {
    const request = { entryTypeId: things.typeId, fromDate, ...more };
    const { body } = await things.api.post<{ rows: Row[]; totalRecords: number }>(
      `${PATH}/getHistoricalData`,
      request,
    );
    expect(body.totalRecords).toBe(body.rows.length);
    return body.rows;
  };

  test('lists each changed entry once, in the order of its last change', async () => {
    const start = await nextTimestamp();
    const [one = 0, two = 0, three = 0] = await things.create({ Name: 'A' }, { Name: 'B' }, { Name: 'C' });
    await things.update(one, { Score: 1 });
    await things.remove(three);
    const named = (id: number, name: string) => ({ id, name, entryListId: things.typeId, isDeleted: false });
    const expected = [named(two, 'B'), named(one, 'A'), { ...named(three, 'C'), isDeleted: true }];
    expect(await listChanged('history', start)).toEqual(expected);
    expect(await listChanged('allHistory', start)).toEqual(expected);
    const later = await nextTimestamp();
    expect(await listChanged('history', later)).toEqual([]);
    await things.update(two, { Name: 'B2' });
    expect(await listChanged('history', later)).toEqual([named(two, 'B2')]);
    // Without modifiedSince: the whole history.
    expect((await things.api.get(`${PATH}/Thing/entries/history`)).body).toHaveLength(3);
  });

  test('accepts timestamps of the last 180 days only', async () => {
    for (const path of ['Thing/entries/history', 'Thing/entries/allHistory', 'allentrieshistory']) {
      expect(await getStatus(path, daysAgo(179.99))).toBe(200);
      expect(await getStatus(path, daysAgo(180.01))).toBe(400);
      expect(await getStatus(path, 'yesterday')).toBe(400);
    }
    for (const beyond of ['9999-12-31T23:59:59-14:00', '0001-01-01T00:00:00%2B14:00', '0000-01-01']) {
      expect(await getStatus('Thing/entries/history', beyond)).toBe(400);
      const request = { entryTypeId: things.typeId, fromDate: decodeURIComponent(beyond) };
      expect((await things.api.post(`${PATH}/getHistoricalData`, request)).status).toBe(400);
    }
    const { body } = await things.api.get<ErrorBody>(`${PATH}/allentrieshistory?modifiedSince=yesterday`);
    expect(body.message).toBe(
      'modifiedSince: Enter a date such as 2026-11-21, or with a time such as 2026-11-21T09:30:00.000Z',
    );
  });

  test('the deprecated list covers all types and says since when it is deprecated and what replaces it', async () => {
    const start = await nextTimestamp();
    const [one = 0] = await things.create({ Name: 'A' });
    const { body, headers } = await things.api.get<ModifiedEntryVm[]>(
      `${PATH}/allentrieshistory?modifiedSince=${start}`,
    );
    expect(body.map(({ id }) => id)).toEqual([one]);
    // RFC 9745: a structured date.
    expect(headers.deprecation).toBe(`@${Date.UTC(2026, 10, 21) / 1_000}`);
    expect(headers.link).toBe(
      '</api/current#/v4.0.0%20Data/listAllEntriesHistory>; rel="deprecation"; type="text/html", ' +
        '</api/current#/v4.0.0%20Data/listEntriesAllHistory>; rel="successor-version"; type="text/html"',
    );
    expect((await things.api.get(`${PATH}/Thing/entries/history`)).headers).not.toHaveProperty('deprecation');
    // Refused calls too: their program learns of the deprecation as well.
    expect((await things.api.get(`${PATH}/allentrieshistory?modifiedSince=x`)).headers).toHaveProperty(
      'deprecation',
    );
  });

  test('merging redirects references as an indirect change', async () => {
    const [stays = 0, goes = 0, goesToo = 0] = await things.create(
      { Name: 'Stays' },
      { Name: 'Goes' },
      { Name: 'Goes too' },
    );
    const [holder = 0, several = 0, apart = 0] = await things.create(
      { Name: 'Holder', Parent: goes },
      { Name: 'Several', Friends: [goesToo, stays, goes] },
      { Name: 'Apart', Parent: stays },
    );
    await things.update(stays, { Parent: goes });
    const before = await nextTimestamp();
    await things.merge(stays, goes, goesToo);
    const referred = async (id: number) => (await things.query({ EntryId: id })).rows[0];
    expect(await referred(holder)).toMatchObject({ Parent: { id: stays, name: 'Stays' } });
    expect(await referred(several)).toMatchObject({ Friends: { id: stays } });
    expect(await things.names({ Friends: goes })).toEqual([]);
    expect(await things.names({ Friends: stays })).toEqual(['Several']);
    expect(await things.names({ Parent: stays })).toEqual(['Stays', 'Holder', 'Apart']);
    expect(await things.names({ EntryId: { $in: [goes, goesToo] } })).toEqual([]);
    const deletedEntry = (id: number, name: string) => ({
      id,
      name,
      entryListId: things.typeId,
      isDeleted: true,
    });
    expect(await listChanged('history', before)).toEqual([
      { ...deletedEntry(goes, 'Goes'), mergedEntryId: stays },
      { ...deletedEntry(goesToo, 'Goes too'), mergedEntryId: stays },
    ]);
    expect(await listChangedIds('allHistory', before)).toEqual(
      [stays, goes, goesToo, holder, several].toSorted((a, b) => a - b),
    );
    expect(await listChangedIds('allHistory', before)).not.toContain(apart);
    const [then] = await readHistoricalRows(before, { entries: [several] });
    expect(then?.Friends).toMatchObject([{ name: 'Goes too' }, { name: 'Stays' }, { name: 'Goes' }]);
  });

  test('rejects invalid merges without deleting anything', async () => {
    const [one = 0, two = 0] = await things.create({ Name: 'A' }, { Name: 'B' });
    const merge = (entryId: number, mergeEntries: number[]) =>
      things.api.post(`${PATH}/merge/Thing`, { entryId, mergeEntries });
    expect((await merge(one, [one])).status).toBe(400);
    expect((await merge(2_000_000_000, [one])).status).toBe(404);
    expect((await merge(one, [two, 2_000_000_000])).status).toBe(400);
    expect(
      (
        await merge(
          one,
          Array.from({ length: 101 }, (_, at) => at + 1),
        )
      ).status,
    ).toBe(400);
    expect(await things.names({})).toEqual(['A', 'B']);
  });

  test('deleting removes references and reports missing entries', async () => {
    const [deletedId = 0, left = 0] = await things.create({ Name: 'Gone' }, { Name: 'Left' });
    const [one = 0, many = 0] = await things.create(
      { Name: 'One', Parent: deletedId },
      { Name: 'Many', Friends: [deletedId, left] },
    );
    const { body } = await things.api.del<DataRequestResultVm[]>(`${PATH}/Thing`, [deletedId, 2_000_000_000]);
    expect(body).toEqual([
      { entryId: deletedId, rowId: deletedId },
      { entryId: 2_000_000_000, error: { code: 404, description: 'Entry 2000000000 does not exist' } },
    ]);
    const rows = (await things.query({ EntryId: { $in: [one, many] } })).rows;
    expect(rows[0]).not.toHaveProperty('Parent');
    expect(rows[1]).toMatchObject({ Friends: { id: left } });
    expect((await things.store('put', things.items(deletedId, { Score: 1 }))).status).toBe(400);
    expect((await things.query({}, { limit: 1 })).totalRecords).toBe(3);
  });

  describe('historical values', () => {
    test('are the values before each later change', async () => {
      const never = await nextTimestamp();
      const [entryId = 0] = await things.create({ Name: 'First', Score: 1, Note: 'x' });
      const moments = [await nextTimestamp()];
      for (const values of [{ Score: 2, Note: null }, { Score: null, Name: 'Second' }, { Note: 'X' }]) {
        await things.update(entryId, values);
        moments.push(await nextTimestamp());
      }
      const states = [
        { Name: 'First', Score: 1, Note: 'x' },
        { Name: 'First', Score: 2 },
        { Name: 'Second' },
        { Name: 'Second', Note: 'X' },
      ];
      const No = 1;
      for (const [at, state] of states.entries())
        expect(await readHistoricalRows(moments[at] ?? '', { entries: [entryId] })).toEqual([
          { EntryId: entryId, No, ...state },
        ]);
      expect(await readHistoricalRows(never)).toEqual([]);
      const fields = [things.field('Score').id];
      expect(await readHistoricalRows(moments[1] ?? '', { fields })).toEqual([
        { EntryId: entryId, Score: 2 },
      ]);
      expect(
        (await things.api.post(`${PATH}/getHistoricalData`, { entryTypeId: 0, fromDate: never })).status,
      ).toBe(404);
    });

    test('are those at deletion for deleted entries, and the current ones for calculated fields', async () => {
      const [stays = 0, deletedId = 0] = await things.create(
        { Name: 'Stays', Score: 1 },
        { Name: 'Gone', Score: 1 },
      );
      await recalculate(context().db);
      const before = await nextTimestamp();
      await things.update(stays, { Score: 5 });
      await things.update(deletedId, { Score: 7, Note: 'last' });
      await recalculate(context().db);
      await things.remove(deletedId);
      expect(await readHistoricalRows(before)).toMatchObject([
        { EntryId: stays, Score: 1, Twice: 10 },
        { EntryId: deletedId, Score: 7, Note: 'last', Twice: 14 },
      ]);
    });
  });

  test('a calculation counts as an indirect change only', async () => {
    const [entryId = 0] = await things.create({ Name: 'A', Score: 1 });
    await recalculate(context().db);
    const before = await nextTimestamp();
    await recalculate(context().db);
    expect(await listChangedIds('allHistory', before)).toEqual([]);
    await things.update(entryId, { Score: 3 });
    const written = await nextTimestamp();
    expect(await things.names({ Twice: 2 })).toEqual(['A']);
    await recalculate(context().db);
    expect(await things.names({ Twice: 6 })).toEqual(['A']);
    expect(await listChangedIds('history', written)).toEqual([]);
    expect(await listChangedIds('allHistory', written)).toEqual([entryId]);
  });

  test('each value has its last author and change time', async () => {
    const other = await makePerson(context().db, things.siteId);
    const [entryId = 0] = await things.create({ Name: 'A', Score: 1, Note: 'x' });
    const created = await nextTimestamp();
    const storeRequests = things.items(entryId, { Score: 2, Note: 'x' });
    expect((await as(context().app, other).put(`${PATH}/Thing`, { storeRequests })).status).toBe(200);
    await recalculate(context().db);
    const { body } = await things.api.post<DataRequestResultVm[]>(
      `${PATH}/get`,
      ['Score', 'Note', 'Twice'].map((name) => ({ entryId, fieldId: things.field(name).id })),
    );
    expect(body.map(({ modifiedBy, modified }) => [modifiedBy ?? null, String(modified) > created])).toEqual([
      [other.userId, true],
      [things.person.userId, false],
      [null, true],
    ]);
  });

  test('finds entries of all types by id, name and beginning of the name, and what became of deleted ones', async () => {
    const { api, siteId, typeId } = things;
    const other = await makeEntryType(api, 'Person', {});
    const [kept = 0, merged = 0, first = 0, deleted = 0, last = 0] = await things.create(
      { Name: 'Hafen Logistik' },
      { Name: 'hafen-logistik' },
      { Name: 'HAFEN' },
      { Name: 'Hafenmeister' },
      { Name: 'Zoll' },
    );
    const { db } = context();
    await db
      .insertInto('entry')
      .values({ site_id: siteId, entry_id: last + 1, type_id: other.id, name: 'Hafner', name_key: 'hafner' })
      .execute();
    await things.merge(merged, first);
    await things.merge(kept, merged);
    await things.remove(deleted);
    // Entries of another site are not found.
    await makeThings(context());

    const find = async (body: object, caller = api) =>
      (await caller.post<FoundEntries>(`${DATA}/entrylookup`, body)).body;
    const found = await find({ ids: [kept, merged, first, deleted, last + 7], startsWith: 'HAF', limit: 2 });
    const survivor = { id: kept, name: 'Hafen Logistik', entryListId: typeId, isDeleted: false };
    const deletion = { isDeleted: true, deleted: expect.any(String) as string };
    expect(found.entries).toEqual([
      survivor,
      { id: merged, name: 'hafen-logistik', entryListId: typeId, ...deletion, mergedEntryId: kept, survivor },
      { id: first, name: 'HAFEN', entryListId: typeId, ...deletion, mergedEntryId: merged, survivor },
      { id: deleted, name: 'Hafenmeister', entryListId: typeId, ...deletion },
    ]);
    expect(found.starting).toEqual([
      { id: kept, name: 'Hafen Logistik', entryListId: typeId },
      { id: last + 1, name: 'Hafner', entryListId: other.id },
    ]);
    expect((await find({ names: ['hafen logistik', 'HAFNER', 'Haf'] })).named.map(({ id }) => id)).toEqual([
      kept,
      last + 1,
    ]);
    const stranger = as(context().app, await makePerson(db, await makeSite(db)));
    expect(await find({ ids: [kept], names: ['Zoll'], startsWith: 'z' }, stranger)).toEqual({
      entries: [],
      named: [],
      starting: [],
    });
  });
});

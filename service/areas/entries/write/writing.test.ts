import { beforeAll, expect, test } from 'vitest';
import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import type { Calls, Refusal, Reply } from '../../../testing/calls.ts';
import { calculate, DATA, makeThings, type Things, type Written } from '../../../testing/entries.ts';
import { as, makePerson, makeSite, onEachApp } from '../../../testing/site.ts';

const PATH = `${DATA}/entrydata/Thing`;

onEachApp((house) => {
  let things: Things;
  beforeAll(async () => {
    things = await makeThings(house());
  });

  const refused = async (verb: 'post' | 'put', items: readonly object[], api: Calls = things.api) => {
    const { status, body } = (await api[verb](PATH, { storeRequests: items })) as Reply<Refusal>;
    return { status, errors: body.errors?.map(({ path, message }) => `${path}: ${message}`) };
  };
  const cell = (name: string, value: unknown, entryId = -1, more: object = {}) => ({
    entryId,
    fieldId: things.field(name).id,
    value,
    ...more,
  });
  const row = async (entryId: number): Promise<Written> =>
    (await things.query({ EntryId: entryId })).rows[0] ?? {};
  const count = async () => (await things.query({}, { limit: 1 })).totalRecords;

  test('one bad item fails all: every fault is told, nothing is stored', async () => {
    const [here = 0] = await things.create({ Name: 'All or nothing', Score: 1 });
    const before = await count();
    const { status, errors } = await refused('put', [
      cell('Score', 2, here),
      cell('Name', 'New'),
      cell('Score', 'two'),
      cell('Stage', 2_000_000_000),
      cell('Seen', '2026-02-30'),
      cell('Parent', 2_000_000_000),
      cell('Owner', 2_000_000_000),
      cell('No', 7),
      cell('Twice', 7),
      cell('Price', 5),
      cell('Revenue', 5, -1, { currencyCode: 'XXA' }),
      cell('Active', 1),
      cell('Tags', ['x']),
      cell('Note', ['x']),
      cell('Memo', 5),
      cell('Friends', [here, -1]),
      cell('Name', 'x'.repeat(1001), -2),
      cell('Note', 'No name', -3),
      cell('Name', 'Gone', 2_000_000_000),
      { entryId: -1, fieldId: 2_000_000_000, value: 1 },
      cell('Score', 3, here),
      { entryId: -1, fieldId: things.field('Reason').id },
    ]);
    expect(status).toBe(400);
    expect(errors).toEqual([
      'storeRequests.2.value: must be a number',
      'storeRequests.3.value: 2000000000 is no choice of Stage',
      'storeRequests.4.value: must be a date, such as 2026-03-01 or 2026-03-01T08:00:00Z, of the years 1 to 9999',
      'storeRequests.7.value: No is counted: it cannot be written',
      'storeRequests.8.value: Twice is calculated: it cannot be written',
      'storeRequests.9.value: needs currencyCode, such as EUR',
      'storeRequests.10.value: "XXA" is no currency: write its code of ISO 4217, such as EUR',
      'storeRequests.11.value: must be true or false',
      'storeRequests.12.value: must be ids of choices',
      'storeRequests.13.value: Note holds one value, not a list',
      'storeRequests.14.value: must be a text',
      'storeRequests.15.value: must be ids of entries',
      'storeRequests.16.value: has 1001 characters; 1000 at most',
      'storeRequests.18.entryId: Entry 2000000000 does not exist',
      'storeRequests.19.fieldId: Thing has no field with id 2000000000',
      `storeRequests.20: Score of entry ${here} is written by storeRequests.0 already`,
      'storeRequests.21.value: is required; null clears the field',
      'storeRequests.16: Name is required',
      'storeRequests.17: Name is required',
      'storeRequests.5.value: Entry 2000000000 does not exist',
      'storeRequests.6.value: User 2000000000 is not on this site',
    ]);
    expect(await row(here)).toMatchObject({ Score: 1 });
    expect(await count()).toBe(before);
  });

  test('a request has ten thousand items at most, files included', async () => {
    const items = Array.from({ length: 10_000 }, () => cell('Name', 'x'));
    const files = [{ entryId: -1, fieldId: things.field('Plan').id, name: 'x' }];
    const { status, body } = await things.api.post<Refusal>(PATH, {
      storeRequests: items,
      binaryStoreRequests: files,
    });
    expect([status, body.errors?.[0]?.message]).toEqual([
      400,
      'has too many items: 10000 at most, files included',
    ]);
  });

  test('new entries have negative ids, the same one the same entry', async () => {
    const { body } = await things.store('post', [
      cell('Name', 'Five', -5),
      cell('Name', 'Seven', -7),
      cell('Score', 5, -5),
    ]);
    const [five, seven] = [body[0]?.entryId ?? 0, body[1]?.entryId ?? 0];
    expect(body.map(({ entryId, rowId }) => [entryId, rowId])).toEqual([
      [five, five],
      [seven, seven],
      [five, five],
    ]);
    expect(await row(five)).toMatchObject({ Name: 'Five', Score: 5 });
    const { No: first } = await row(five);
    expect(await row(seven)).toMatchObject({ No: Number(first) + 1 });
    expect(await refused('post', [cell('Name', 'x', five)])).toEqual({
      status: 400,
      errors: ['storeRequests.0.entryId: must be negative: only new entries are created here'],
    });
    const both = await things.store('put', [cell('Score', 6, five), cell('Name', 'Eight', -1)]);
    expect(both.body.map(({ entryId }) => entryId)).toEqual([five, expect.any(Number) as number]);
  });

  test('null and an empty text clear, but not what is required', async () => {
    const values = { Name: 'Full', Note: 'x', Score: 1, Tags: [things.choice('Tags', 'Red')], Active: false };
    const [full = 0] = await things.create(values);
    await things.update(full, { Note: '', Score: null, Tags: [], Active: null });
    expect(Object.keys(await row(full))).toEqual(['EntryId', 'Name', 'No']);
    for (const value of [null, ''])
      expect((await refused('put', [cell('Name', value, full)])).errors).toEqual([
        'storeRequests.0: Name is required',
      ]);
  });

  test('a field is required while its conditions hold', async () => {
    const lost = things.choice('Stage', 'Lost');
    const words = 'Reason is required here: its conditions hold';
    expect((await refused('post', [cell('Name', 'Lost'), cell('Stage', lost)])).errors).toEqual([
      `storeRequests.0: ${words}`,
    ]);
    const [deal = 0] = await things.create({ Name: 'Deal' });
    expect((await refused('put', [cell('Stage', lost, deal)])).errors).toEqual([`storeRequests.0: ${words}`]);
    await things.update(deal, { Stage: lost, Reason: 'price' });
    expect((await refused('put', [cell('Reason', null, deal)])).errors).toEqual([
      `storeRequests.0: ${words}`,
    ]);
    await things.update(deal, { Stage: things.choice('Stage', 'Open'), Reason: null });
    expect(await row(deal)).not.toHaveProperty('Reason');
  });

  test('names that are nearly the same are refused, unless the request allows it', async () => {
    const [first = 0] = await things.create({ Name: 'Hafen Logistik GmbH' });
    const near = `"Hafen Logistik GmbH" (entry ${first}) has nearly this name; ignoreNearDups stores it all the same`;
    expect((await refused('post', [cell('Name', 'HAFEN-logistik')])).errors).toEqual([
      `storeRequests.0.value: ${near}`,
    ]);
    const twins = await refused('post', [cell('Name', 'Twin Ltd'), cell('Name', 'twin', -2)]);
    expect(twins.errors).toHaveLength(2);
    const allowed = await things.store('post', [
      cell('Name', 'hafen logistik', -1, { ignoreNearDups: true }),
    ]);
    expect(allowed.status).toBe(200);
    // Its own name in another case is no duplicate of itself.
    const [own = 0] = await things.create({ Name: 'Kontor' });
    expect((await things.store('put', [cell('Name', 'KONTOR', own)])).status).toBe(200);
    expect(await row(own)).toMatchObject({ Name: 'KONTOR' });
  });

  test('a change of case alone is a change, and the same value is none', async () => {
    const [entryId = 0] = await things.create({
      Name: 'Case',
      Note: 'straße',
      Price: { value: -0, currencyCode: 'EUR' },
    });
    const logged = () =>
      house().db.selectFrom('cell_log').select(['old', 'new']).where('entry_id', '=', entryId).execute();
    await things.update(entryId, { Note: 'straße', Price: { value: -0, currencyCode: 'EUR' } });
    expect(await logged()).toEqual([]);
    await things.update(entryId, { Note: 'STRAßE' });
    expect(await logged()).toEqual([{ old: 'straße', new: 'STRAßE' }]);
    expect(await row(entryId)).toMatchObject({ Note: 'STRAßE' });
  });

  test('texts are stored exactly', async () => {
    const texts = [
      ' x ',
      "O'Neil; drop table entry;--",
      '\u2028\t\n\r',
      '𝒜🏴‍☠️é',
      '{"a": 1}',
      '<b>',
      'x'.repeat(1_000_000),
      '😀'.repeat(500_001),
    ];
    const ids = await things.create(...texts.map((Memo, at) => ({ Name: `Text ${at}`, Memo })));
    for (const [at, entryId] of ids.entries()) expect((await row(entryId)).Memo).toBe(texts[at]);
    const long = await things.store('post', [cell('Name', 'Too long'), cell('Memo', 'x'.repeat(1_000_001))]);
    expect(long.status).toBe(400);
  });

  test('numbers are stored exactly', async () => {
    const numbers = [0.1 + 0.2, 1e308, 5e-324, -1e21, 9_007_199_254_740_991, 123_456_789.123_456_78];
    const ids = await things.create(...numbers.map((Score, at) => ({ Name: `Number ${at}`, Score })));
    for (const [at, entryId] of ids.entries()) {
      expect((await row(entryId)).Score).toBe(numbers[at]);
      expect(await things.names({ EntryId: entryId, Score: numbers[at] })).toHaveLength(1);
    }
    await calculate(house().db);
    expect(await row(ids[1] ?? 0)).not.toHaveProperty('Twice');
  });

  test('an amount keeps its currency until another is named', async () => {
    const [entryId = 0] = await things.create({ Name: 'Money', Price: { value: 5, currencyCode: 'EUR' } });
    await things.update(entryId, { Price: 6 });
    expect(await row(entryId)).toMatchObject({ Price: { value: 6, currencyCode: 'EUR' } });
    await things.update(entryId, { Price: { value: 6, currencyCode: 'CHF' } });
    expect(await row(entryId)).toMatchObject({ Price: { value: 6, currencyCode: 'CHF' } });
  });

  test('references lead to entries of this site alone, users are on it', async () => {
    const stranger = await makePerson(house().db, await makeSite(house().db));
    const foreign = await makeThings(house());
    const [far = 0] = await foreign.create({ Name: 'Far' });
    expect(
      await refused('post', [cell('Name', 'Near'), cell('Parent', far), cell('Team', [stranger.userId])]),
    ).toEqual({
      status: 400,
      errors: [
        `storeRequests.1.value: Entry ${far} does not exist`,
        `storeRequests.2.value: User ${stranger.userId} is not on this site`,
      ],
    });
    expect((await refused('put', [cell('Score', 1, far)])).errors).toEqual([
      `storeRequests.0.entryId: Entry ${far} does not exist`,
    ]);
    expect((await things.api.post(`${DATA}/entrydata/get`, [cell('Name', 1, far)])).status).toBe(400);
    const gone = await things.api.del<DataRequestResultVm[]>(PATH, [far]);
    expect(gone.body).toMatchObject([{ entryId: far, error: { code: 404 } }]);
    expect((await foreign.query({ EntryId: far })).rows).toHaveLength(1);
  });

  test('who may only read cannot write, and who may only write cannot merge', async () => {
    const reader = as(
      house().app,
      await makePerson(house().db, things.siteId, { capabilities: ['Read Data'] }),
    );
    expect((await refused('post', [cell('Name', 'x')], reader)).status).toBe(403);
    const writer = as(
      house().app,
      await makePerson(house().db, things.siteId, { capabilities: ['Write Data'] }),
    );
    const [one = 0, other = 0] = await things.create({ Name: 'M1' }, { Name: 'M2' });
    const merge = { entryId: one, mergeEntries: [other] };
    expect((await writer.post(`${DATA}/entrydata/merge/Thing`, merge)).status).toBe(403);
    expect((await writer.del(PATH, [one])).status).toBe(403);
  });
});

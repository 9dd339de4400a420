import { beforeAll, expect, test } from 'vitest';
import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import type { ApiClient, ErrorBody, Reply } from '../../../testing/calls.ts';
import {
  recalculate,
  DATA,
  makeThings,
  type Things,
  type FieldValues,
} from '../../../testing/entries/entries.ts';
import { as, makePerson, makeSite, onEachApp } from '../../../testing/site.ts';

const PATH = `${DATA}/entrydata/Thing`;

onEachApp((context) => {
  let things: Things;
  beforeAll(async () => {
    things = await makeThings(context());
  });

  const sendInvalid = async (verb: 'post' | 'put', items: readonly object[], api: ApiClient = things.api) => {
    const { status, body } = (await api[verb](PATH, { storeRequests: items })) as Reply<ErrorBody>;
    return { status, errors: body.errors?.map(({ path, message }) => `${path}: ${message}`) };
  };
  const cell = (name: string, value: unknown, entryId = -1, more: object = {}) => ({
    entryId,
    fieldId: things.field(name).id,
    value,
    ...more,
  });
  const row = async (entryId: number): Promise<FieldValues> =>
    (await things.query({ EntryId: entryId })).rows[0] ?? {};
  const count = async () => (await things.query({}, { limit: 1 })).totalRecords;

  test('one invalid item fails the request: all errors are returned and nothing is stored', async () => {
    const [here = 0] = await things.create({ Name: 'All or nothing', Score: 1 });
    const before = await count();
    const { status, errors } = await sendInvalid('put', [
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
      cell('Score', 5, -4, { currencyCode: 'EUR' }),
    ]);
    expect(status).toBe(400);
    expect(errors).toEqual([
      'storeRequests.2.value: must be a number',
      'storeRequests.3.value: 2000000000 is not a choice of Stage',
      'storeRequests.4.value: must be a date between the years 1 and 9999, such as 2026-03-01 or 2026-03-01T08:00:00Z',
      'storeRequests.7.value: No is a counter and cannot be written',
      'storeRequests.8.value: Twice is calculated and cannot be written',
      'storeRequests.9.value: needs currencyCode, such as EUR',
      'storeRequests.10.currencyCode: "XXA" is not an ISO 4217 currency code such as EUR',
      'storeRequests.11.value: must be true or false',
      'storeRequests.12.value: must be ids of choices',
      'storeRequests.13.value: Note holds one value, not a list',
      'storeRequests.14.value: must be a string',
      'storeRequests.15.value: must be ids of entries',
      'storeRequests.16.value: has 1001 characters; 1000 at most',
      'storeRequests.18.entryId: Entry 2000000000 does not exist',
      'storeRequests.19.fieldId: Thing has no field with id 2000000000',
      `storeRequests.20: Score of entry ${here} is already written by storeRequests.0`,
      'storeRequests.21.value: is required; null clears the field',
      'storeRequests.22.currencyCode: Score is not a money field',
      'storeRequests.17: Name is required',
      'storeRequests.22: Name is required',
      'storeRequests.5.value: Entry 2000000000 does not exist',
      'storeRequests.6.value: User 2000000000 is not on this site',
    ]);
    expect(await row(here)).toMatchObject({ Score: 1 });
    expect(await count()).toBe(before);
  });

  test('a refused value is one error, and says nothing of the stored one', async () => {
    const owner = await makePerson(context().db, things.siteId);
    const [parent = 0] = await things.create({ Name: 'Refused parent' });
    const [child = 0] = await things.create({ Name: 'Refused child', Parent: parent, Owner: owner.userId });
    expect(await sendInvalid('put', [cell('Parent', 'x', child), cell('Owner', 'x', child)])).toEqual({
      status: 400,
      errors: [
        'storeRequests.0.value: must be the id of an entry; Parent holds one',
        'storeRequests.1.value: must be the id of a user; Owner holds one',
      ],
    });
    expect((await sendInvalid('post', [cell('Name', 5)])).errors).toEqual([
      'storeRequests.0.value: must be a string',
    ]);
  });

  test('rejects more than 10,000 items, files included', async () => {
    const items = Array.from({ length: 10_000 }, () => cell('Name', 'x'));
    const files = [{ entryId: -1, fieldId: things.field('Plan').id, name: 'x' }];
    const { status, body } = await things.api.post<ErrorBody>(PATH, {
      storeRequests: items,
      binaryStoreRequests: files,
    });
    expect([status, body.errors?.[0]?.message]).toEqual([
      400,
      'has too many items: 10000 at most, files included',
    ]);
  });

  test('items with the same negative id create one entry', async () => {
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
    expect(await sendInvalid('post', [cell('Name', 'x', five)])).toEqual({
      status: 400,
      errors: ['storeRequests.0.entryId: must be negative: only new entries are created here'],
    });
    const both = await things.store('put', [cell('Score', 6, five), cell('Name', 'Eight', -1)]);
    expect(both.body.map(({ entryId }) => entryId)).toEqual([five, expect.any(Number) as number]);
  });

  test('null and an empty text clear a field unless it is required', async () => {
    const values = { Name: 'Full', Note: 'x', Score: 1, Tags: [things.choice('Tags', 'Red')], Active: false };
    const [full = 0] = await things.create(values);
    await things.update(full, { Note: '', Score: null, Tags: [], Active: null });
    expect(Object.keys(await row(full))).toEqual(['EntryId', 'Name', 'No']);
    for (const value of [null, ''])
      expect((await sendInvalid('put', [cell('Name', value, full)])).errors).toEqual([
        'storeRequests.0: Name is required',
      ]);
  });

  test('requires a field while its conditions hold', async () => {
    const lost = things.choice('Stage', 'Lost');
    const message = 'Reason is required under the current conditions';
    expect((await sendInvalid('post', [cell('Name', 'Lost'), cell('Stage', lost)])).errors).toEqual([
      `storeRequests.0: ${message}`,
    ]);
    const [deal = 0] = await things.create({ Name: 'Deal' });
    expect((await sendInvalid('put', [cell('Stage', lost, deal)])).errors).toEqual([
      `storeRequests.0: ${message}`,
    ]);
    await things.update(deal, { Stage: lost, Reason: 'price' });
    expect((await sendInvalid('put', [cell('Reason', null, deal)])).errors).toEqual([
      `storeRequests.0: ${message}`,
    ]);
    await things.update(deal, { Stage: things.choice('Stage', 'Open'), Reason: null });
    expect(await row(deal)).not.toHaveProperty('Reason');
  });

  test('rejects near-duplicate names unless the request allows them', async () => {
    const [first = 0] = await things.create({ Name: 'Hafen Logistik GmbH' });
    const near = `"Hafen Logistik GmbH" (entry ${first}) has nearly the same name; set ignoreNearDups to store it anyway`;
    expect((await sendInvalid('post', [cell('Name', 'HAFEN-logistik')])).errors).toEqual([
      `storeRequests.0.value: ${near}`,
    ]);
    const duplicates = await sendInvalid('post', [cell('Name', 'Twin Ltd'), cell('Name', 'twin', -2)]);
    expect(duplicates.errors).toHaveLength(2);
    const allowed = await things.store('post', [
      cell('Name', 'hafen logistik', -1, { ignoreNearDups: true }),
    ]);
    expect(allowed.status).toBe(200);
    // An entry is no near-duplicate of itself.
    const [own = 0] = await things.create({ Name: 'Kontor' });
    expect((await things.store('put', [cell('Name', 'KONTOR', own)])).status).toBe(200);
    expect(await row(own)).toMatchObject({ Name: 'KONTOR' });
  });

  test('logs a change of case, but not an identical value', async () => {
    const [entryId = 0] = await things.create({
      Name: 'Case',
      Note: 'straße',
      Price: { value: -0, currencyCode: 'EUR' },
    });
    const logged = () =>
      context().db.selectFrom('cell_log').select(['old', 'new']).where('entry_id', '=', entryId).execute();
    await things.update(entryId, { Note: 'straße', Price: { value: -0, currencyCode: 'EUR' } });
    expect(await logged()).toEqual([]);
    await things.update(entryId, { Note: 'STRAßE' });
    expect(await logged()).toEqual([{ old: 'straße', new: 'STRAßE' }]);
    expect(await row(entryId)).toMatchObject({ Note: 'STRAßE' });
  });

  test('a value that the field had already is not answered as modified', async () => {
    const [entryId = 0] = await things.create({ Name: 'Unmodified', Score: 1 });
    const { body } = await things.store('put', [cell('Score', 1, entryId), cell('Note', 'new', entryId)]);
    expect(body.map(({ modified, modifiedBy }) => [typeof modified, modifiedBy])).toEqual([
      ['undefined', undefined],
      ['string', things.person.userId],
    ]);
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
    await recalculate(context().db);
    expect(await row(ids[1] ?? 0)).not.toHaveProperty('Twice');
  });

  test('an amount keeps its currency unless another one is given', async () => {
    const [entryId = 0] = await things.create({ Name: 'Money', Price: { value: 5, currencyCode: 'EUR' } });
    await things.update(entryId, { Price: 6 });
    expect(await row(entryId)).toMatchObject({ Price: { value: 6, currencyCode: 'EUR' } });
    await things.update(entryId, { Price: { value: 6, currencyCode: 'CHF' } });
    expect(await row(entryId)).toMatchObject({ Price: { value: 6, currencyCode: 'CHF' } });
  });

  test('a user who has left the site stays in the field that names them', async () => {
    const former = await makePerson(context().db, things.siteId);
    const [entryId = 0, other = 0] = await things.create(
      { Name: 'Served', Team: [former.userId] },
      { Name: 'Other' },
    );
    expect((await things.api.del(`user/${former.userId}`)).status).toBe(200);
    const team = [former.userId, things.person.userId];
    await things.update(entryId, { Team: team });
    expect(await row(entryId)).toMatchObject({ Team: team.map((id) => ({ id })) });
    expect((await sendInvalid('put', [cell('Team', team, other)])).errors).toEqual([
      `storeRequests.0.value: User ${former.userId} is not on this site`,
    ]);
  });

  test('rejects references to entries and users of other sites', async () => {
    const stranger = await makePerson(context().db, await makeSite(context().db));
    const foreign = await makeThings(context());
    const [far = 0] = await foreign.create({ Name: 'Far' });
    expect(
      await sendInvalid('post', [cell('Name', 'Near'), cell('Parent', far), cell('Team', [stranger.userId])]),
    ).toEqual({
      status: 400,
      errors: [
        `storeRequests.1.value: Entry ${far} does not exist`,
        `storeRequests.2.value: User ${stranger.userId} is not on this site`,
      ],
    });
    expect((await sendInvalid('put', [cell('Score', 1, far)])).errors).toEqual([
      `storeRequests.0.entryId: Entry ${far} does not exist`,
    ]);
    expect((await things.api.post(`${DATA}/entrydata/get`, [cell('Name', 1, far)])).status).toBe(400);
    const deletion = await things.api.del<DataRequestResultVm[]>(PATH, [far]);
    expect(deletion.body).toMatchObject([{ entryId: far, error: { code: 404 } }]);
    expect((await foreign.query({ EntryId: far })).rows).toHaveLength(1);
  });

  test('rejects writes without Write Data, and merges without Delete Data', async () => {
    const reader = as(
      context().app,
      await makePerson(context().db, things.siteId, { capabilities: ['Read Data'] }),
    );
    expect((await sendInvalid('post', [cell('Name', 'x')], reader)).status).toBe(403);
    const writer = as(
      context().app,
      await makePerson(context().db, things.siteId, { capabilities: ['Write Data'] }),
    );
    const [one = 0, other = 0] = await things.create({ Name: 'M1' }, { Name: 'M2' });
    const merge = { entryId: one, mergeEntries: [other] };
    expect((await writer.post(`${DATA}/entrydata/merge/Thing`, merge)).status).toBe(403);
    expect((await writer.del(PATH, [one])).status).toBe(403);
  });
});

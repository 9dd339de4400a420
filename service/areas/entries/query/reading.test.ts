import { beforeAll, describe, expect, test } from 'vitest';
import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import type { Refusal } from '../../../testing/calls.ts';
import { calculate, DATA, makeThings, type Row, setReady, type Things } from '../../../testing/entries.ts';
import { compare, type Plain } from '../../../testing/entry-oracle.ts';
import { makePerson, onEachApp, publicUrl } from '../../../testing/site.ts';

const ROWS = `${DATA}/entrydata/rows`;

onEachApp((house) => {
  let things: Things;
  let entries: Plain[] = [];
  let ids: number[] = [];
  let otherEmail = '';
  const idOf = (name: string) => ids[entries.findIndex(({ Name }) => Name === name)] ?? 0;

  beforeAll(async () => {
    things = await makeThings(house());
    const { siteId } = things;
    const other = await makePerson(house().db, siteId);
    otherEmail = other.email;
    await house()
      .db.updateTable('account')
      .set({ first_name: 'Aa' })
      .where('user_id', '=', other.userId)
      .execute();
    const [root = 0, branch = 0] = await things.create({ Name: 'root' }, { Name: 'Branch' });
    const many = Array.from({ length: 12 }, (_, at): Plain => ({
      Name: `Entry ${at}`,
      ...(at % 4 !== 3 && {
        Note: `${at % 2 === 0 ? 'x' : 'X'}${String(at % 5)}`,
        Memo: `${'long '.repeat(50)}${at}`,
        Score: (at * 7) % 5,
        Price: { value: at % 3, currencyCode: 'EUR' },
        Seen: `2026-03-0${(at % 3) + 1}T08:00:00.000Z`,
        Founded: `19${90 - at}-01-01`,
        Active: at % 2 === 0,
        Stage: things.choice('Stage', ['Won', 'Open', 'Lost'][at % 3] ?? ''),
        ...(at % 3 === 2 && { Reason: 'price' }),
        Parent: at % 2 === 0 ? root : branch,
        Owner: at % 2 === 0 ? things.person.userId : other.userId,
        Tags: [things.choice('Tags', 'Red')],
        Team: [things.person.userId, other.userId],
        Friends: at === 0 ? [branch, root] : [root],
      }),
    }));
    ids = [root, branch, ...(await things.create(...many))];
    entries = [{ Name: 'root' }, { Name: 'Branch' }, ...many].map((values, at) => ({
      ...values,
      No: at + 1,
      Twice: 'Score' in values ? Number(values.Score) * 2 : undefined,
    }));
    await calculate(house().db);
  });

  describe.each([true, false])('with slots: %s', (ready) => {
    beforeAll(() => setReady(house().db, things.siteId, ready));

    test.each([
      'Name',
      'Note',
      'Score',
      'Price',
      'Seen',
      'Founded',
      'Active',
      'No',
      'Twice',
      'Stage',
      'Parent',
      'Owner',
    ])('rows stand in the order of %s, those without a value last, page by page', async (name) => {
      const key = ({ [name]: value }: Plain) => {
        if (value === undefined || !['Parent', 'Owner'].includes(name)) return value;
        if (name === 'Owner') return value === things.person.userId ? 'Ada' : 'Aa';
        return value === ids[0] ? 'root' : 'Branch';
      };
      for (const descending of [false, true]) {
        const inOrder = entries
          .map((values, at) => ({ at, key: key(values) }))
          .toSorted((a, b) => {
            const order = compare(a.key, b.key, descending);
            const ties = descending && a.key !== undefined ? b.at - a.at : a.at - b.at;
            return order === 0 ? ties : order;
          })
          .map(({ at }) => entries[at]?.Name);
        const orderBy = `${descending ? '-' : ''}${name.toUpperCase()}`;
        expect(await things.names({}, { orderBy })).toEqual(inOrder);
        const paged: unknown[] = [];
        for (let skip = 0; skip < entries.length; skip += 4) {
          const { rows, totalRecords } = await things.query({}, { orderBy, skip, limit: 4 });
          expect(totalRecords).toBe(entries.length);
          paged.push(...rows.map(({ Name }) => Name));
        }
        expect(paged).toEqual(inOrder);
        for (const at of [0, 4, 7, 9, 13]) {
          const positionOf = idOf(String(inOrder[at]));
          expect((await things.query({}, { orderBy, limit: 1, positionOf })).position).toBe(at);
        }
      }
    });
  });

  test('rows stand in the order of their ids, and backwards where that is asked for', async () => {
    const names = entries.map(({ Name }) => Name);
    expect(await things.names({})).toEqual(names);
    expect(await things.names({}, { orderBy: 'entryid' })).toEqual(names);
    expect(await things.names({}, { orderBy: '-EntryId' })).toEqual(names.toReversed());
    expect(
      await things.names({ Name: { $contains: 'e' } }, { orderBy: '-EntryId', skip: 1, limit: 2 }),
    ).toEqual(names.toReversed().slice(1, 3));
  });

  test('a window is as large as asked for and tells how many match in all', async () => {
    const asked = { Name: { $startswith: 'entry' } };
    for (const [limit, skip, count] of [
      [1000, 0, 12],
      [5, 0, 5],
      [5, 10, 2],
      [12, 0, 12],
      [5, 12, 0],
      [5, 500, 0],
    ] as const) {
      const { rows, totalRecords } = await things.query(asked, { limit, skip });
      expect([rows.length, totalRecords]).toEqual([count, 12]);
      const all = await things.query({}, { limit, skip });
      expect([all.rows.length, all.totalRecords]).toEqual([Math.max(0, Math.min(limit, 14 - skip)), 14]);
    }
    for (const wrong of [{ limit: 0 }, { limit: 1001 }, { skip: -1 }])
      expect((await things.api.post(`${ROWS}/query/Thing`, wrong)).status).toBe(400);
  });

  test('where a page ends is known by all that its order depends on', async () => {
    const { db } = house();
    // Positions are remembered only where nothing has changed lately.
    await db
      .updateTable('entry_change')
      .set({ any_at: new Date(Date.now() - 60_000) })
      .where('site_id', '=', things.siteId)
      .execute();
    await db
      .updateTable('site')
      .set({ time_zone: 'Pacific/Kiritimati' })
      .where('site_id', '=', things.siteId)
      .execute();
    const query = { Seen: { $gt: '2026-03-01T21:00:00' } };
    const inUtc = await things.names(query);
    const here = await things.names(query, { dateTimeBehavior: 1 });
    expect(here.length).toBeGreaterThan(inUtc.length);
    for (const ready of [true, false]) {
      await setReady(db, things.siteId, ready);
      for (const [dateTimeBehavior, all] of [
        [0, inUtc],
        [1, here],
      ] as const)
        for (const skip of [0, 2, 4])
          expect(await things.names(query, { dateTimeBehavior, skip, limit: 2 })).toEqual(
            all.slice(skip, skip + 2),
          );
    }
    const byDate = await things.names({}, { orderBy: 'Seen' });
    for (const ready of [true, false, true])
      for (const skip of [0, 2, 4, 6, 8, 10, 12]) {
        await setReady(db, things.siteId, ready);
        expect(await things.names({}, { orderBy: 'Seen', skip, limit: 2 })).toEqual(
          byDate.slice(skip, skip + 2),
        );
      }
    await things.update(idOf('Entry 0'), { Note: 'between pages' });
    expect(await things.names({}, { orderBy: 'Note', skip: 2, limit: 2 })).toEqual(
      (await things.names({}, { orderBy: 'Note' })).slice(2, 4),
    );
  });

  test('a row has the fields that are asked for and that have data', async () => {
    const { body } = await things.api.get<{ rows: Row[] }>(
      `${ROWS}/thing?query=${encodeURIComponent('{name: "ENTRY 3"}')}&fields=note&fields=NAME&fields=EntryId`,
    );
    expect(body.rows).toEqual([{ EntryId: idOf('Entry 3'), Name: 'Entry 3' }]);
    expect((await things.query({ Name: 'Entry 3' }, { fields: ['EntryId'] })).rows).toEqual([
      { EntryId: idOf('Entry 3') },
    ]);
    expect((await things.query({ Name: 'Entry 3' })).rows).toEqual([
      { EntryId: idOf('Entry 3'), Name: 'Entry 3', No: 6 },
    ]);
  });

  test('values are written by the type of their field', async () => {
    const [row] = (await things.query({ Name: 'Entry 1' })).rows;
    const root = { type: 0, id: idOf('root'), name: 'root', entryListId: things.typeId };
    const open = { id: things.choice('Stage', 'Open'), name: 'Open', seqNumber: 0, entryListId: -6 };
    expect(row).toMatchObject({
      Note: 'X1',
      Score: 2,
      Twice: 4,
      No: 4,
      Price: { value: 1, currencyCode: 'EUR' },
      Seen: '2026-03-02T08:00:00.000Z',
      Founded: '1989-01-01T00:00:00.000Z',
      Active: false,
      Stage: { ...open, seqNumber: things.field('Stage').choiceValues?.[0]?.seqNumber },
      Parent: { type: 0, name: 'Branch' },
      Friends: root,
      Tags: { name: 'Red', entryListId: -6 },
      Owner: { name: 'Aa Okafor', entryListId: -1 },
      Team: [
        {
          id: things.person.userId,
          name: 'Ada Okafor',
          entryListId: -1,
          url: `mailto:${things.person.email}`,
        },
        { name: 'Aa Okafor' },
      ],
    });
    const wrapped = (await things.query({ Name: 'Entry 1' }, { wrapIntoArrays: true })).rows[0];
    expect(wrapped).toMatchObject({ Friends: [root], Tags: [{ name: 'Red' }], Parent: { name: 'Branch' } });
    const linked = (await things.query({ Name: 'Entry 1' }, { resolveReferenceUrls: true })).rows[0];
    const url = `${publicUrl}/entries/${things.typeId}/${root.id}`;
    expect(linked).toMatchObject({ Friends: { ...root, url } });
    expect((await things.query({ Name: 'Entry 0' })).rows[0]?.Friends).toMatchObject([
      { name: 'Branch' },
      { name: 'root' },
    ]);
  });

  test('single values say more where that is asked for, and who changed them last', async () => {
    const read = (names: string[], options = '') =>
      things.api.post<DataRequestResultVm[]>(
        `${DATA}/entrydata/get${options}`,
        names.map((name) => ({ entryId: idOf('Entry 1'), fieldId: things.field(name).id })),
      );
    const plain = (await read(['Friends', 'Owner', 'Score', 'Reason'])).body;
    expect(plain).toMatchObject([
      { isNoData: false, value: { name: 'root' } },
      { value: { name: 'Aa Okafor' } },
      { value: 2, modifiedBy: things.person.userId, rowId: idOf('Entry 1') },
      { isNoData: true },
    ]);
    expect(plain.at(-1)).not.toHaveProperty('value');
    const options = '?resolveReferenceUrl=true&fillExtendedData=true&wrapIntoArrays=true';
    expect((await read(['Friends', 'Owner'], options)).body).toMatchObject([
      { value: [{ url: `${publicUrl}/entries/${things.typeId}/${idOf('root')}`, entryTypeName: 'Thing' }] },
      { value: { name: 'Aa Okafor', url: `mailto:${otherEmail}`, email: otherEmail } },
    ]);
    const faulty = [
      { entryId: idOf('root'), fieldId: things.field('Name').id },
      { entryId: 2_000_000_000, fieldId: things.field('Name').id },
      { entryId: idOf('root'), fieldId: 2_000_000_000 },
    ];
    expect((await things.api.post(`${DATA}/entrydata/get`, faulty)).body).toMatchObject([
      { value: 'root' },
      { error: { code: 404, description: 'Entry 2000000000 does not exist' } },
      { error: { code: 404, description: 'Field with id 2000000000 does not exist' } },
    ]);
    expect((await things.api.post(`${DATA}/entrydata/get`, [])).body).toEqual([]);
  });

  const askIn = (currencyCode: string) => {
    const item = { entryId: idOf('Entry 1'), fieldId: things.field('Price').id };
    return things.api.post<DataRequestResultVm[] & Refusal>(`${DATA}/entrydata/get`, [
      item,
      { ...item, currencyCode },
    ]);
  };

  test('a single value is asked for in a currency that there is', async () => {
    expect((await askIn('EUR')).body[1]).toMatchObject({ requestedCurrencyCode: 'EUR' });
    const { status, body } = await askIn('XXA');
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: '1.currencyCode',
          message: '"XXA" is no currency: write its code of ISO 4217, such as EUR',
        },
      ],
    ]);
  });

  test('all entries are listed with their names', async () => {
    const { body } = await things.api.get(`${DATA}/entrydata/THING/entries`);
    expect(body).toEqual(
      entries.map(({ Name: name }, at) => ({ id: ids[at], name, entryListId: things.typeId })),
    );
    expect((await things.api.get(`${DATA}/entrydata/Nothing/entries`)).status).toBe(404);
  });

  test('a field that does not exist is refused with the given words', async () => {
    const words = 'Field with name "Nmae" does not exist';
    for (const [asked, path] of [
      [{ query: { Nmae: 1 } }, 'query.Nmae'],
      [{ fields: ['EntryId', 'Nmae'] }, 'fields.1'],
      [{ orderBy: '-Nmae' }, 'orderBy'],
    ] as const) {
      const { status, body } = await things.api.post<Refusal>(`${ROWS}/query/Thing`, asked);
      expect([status, body.message, body.errors]).toEqual([400, words, [{ path, message: words }]]);
    }
    const get = await things.api.get<Refusal>(`${ROWS}/Thing?query=${encodeURIComponent('{Nmae:1}')}`);
    expect([get.status, get.body.message]).toEqual([400, words]);
    const several = await things.api.post<Refusal>(`${ROWS}/query/Thing`, { orderBy: 'Friends' });
    expect([several.status, several.body.errors?.[0]?.path]).toEqual([400, 'orderBy']);
  });
});

import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import type { Condition } from '../../../../contract/rules/query/condition.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import {
  recalculate,
  DATA,
  makeThings,
  type Row,
  setIndexesReady,
  type Things,
} from '../../../testing/entries/entries.ts';
import { compare, type PlainValues } from '../../../testing/entries/entry-oracle.ts';
import { contract, makePerson, onEachApp, publicUrl } from '../../../testing/site.ts';
import { loadSchema } from '../../schema/index.ts';
import { createQueryContext, type ResolvedQuery, UTC } from './resolve-query.ts';
import { readRows } from './rows.store.ts';

const ROWS = `${DATA}/entrydata/rows`;

onEachApp((context) => {
  let things: Things;
  let entries: PlainValues[] = [];
  let ids: number[] = [];
  let otherEmail = '';
  const idOf = (name: string) => ids[entries.findIndex(({ Name }) => Name === name)] ?? 0;

  beforeAll(async () => {
    things = await makeThings(context());
    const { siteId } = things;
    const other = await makePerson(context().db, siteId);
    otherEmail = other.email;
    await context()
      .db.updateTable('account')
      .set({ first_name: 'Aa' })
      .where('user_id', '=', other.userId)
      .execute();
    const [root = 0, branch = 0] = await things.create({ Name: 'root' }, { Name: 'Branch' });
    const many = Array.from({ length: 12 }, (_, at): PlainValues => ({
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
    await recalculate(context().db);
  });

  test('the first rows of a type keep their plan', async () => {
    const { siteId, typeId } = things;
    const { typesById } = await loadSchema(context().db, siteId);
    const type = typesById.get(typeId);
    if (!type) throw new Error('The type exists');
    const condition: Condition = { kind: 'group', match: 'all', conditions: [] };
    const query: ResolvedQuery = {
      type,
      condition,
      sort: undefined,
      context: createQueryContext(siteId, 0, UTC),
    };
    const rendering = { siteId, linkTo: undefined, extended: false, wrapIntoArrays: false };
    const { signal } = new AbortController();
    await context()
      .db.connection()
      .execute(async (db) => {
        for (let read = 0; read < 4; read += 1)
          await readRows(
            { db, readDb: db, signal },
            query,
            { skip: 0, limit: 7 },
            type.fields.slice(0, 3),
            rendering,
          );
        const { rows } = await sql<{ statement: string }>`
          select statement from pg_prepared_statements where statement like '%limit 7)%'`.execute(db);
        expect(rows).toHaveLength(1);
      });
  });

  test('a day is answered in the form of the example in the contract', async () => {
    const RowExample = z.object({ Founded: z.string() });
    const { components } = z
      .object({
        components: z.object({ schemas: z.object({ RowVm: z.object({ examples: z.tuple([RowExample]) }) }) }),
      })
      .parse(contract.document);
    const [example] = components.schemas.RowVm.examples;
    const [row] = (await things.query({ Name: 'Entry 1' })).rows;
    expect(example.Founded.slice('1987-04-01'.length)).toBe(
      String(row?.['Founded']).slice('1989-01-01'.length),
    );
  });

  describe.each([true, false])('with slots: %s', (ready) => {
    beforeAll(() => setIndexesReady(context().db, things.siteId, ready));

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
    ])('sorts rows by %s page by page, entries without a value last', async (name) => {
      const getKey = ({ [name]: value }: PlainValues) => {
        if (value === undefined || !['Parent', 'Owner'].includes(name)) return value;
        if (name === 'Owner') return value === things.person.userId ? 'Ada' : 'Aa';
        return value === ids[0] ? 'root' : 'Branch';
      };
      for (const descending of [false, true]) {
        const expected = entries
          .map((values, at) => ({ at, key: getKey(values) }))
          .toSorted((a, b) => {
            const order = compare(a.key, b.key, descending);
            const ties = descending && a.key !== undefined ? b.at - a.at : a.at - b.at;
            return order === 0 ? ties : order;
          })
          .map(({ at }) => entries[at]?.Name);
        const orderBy = `${descending ? '-' : ''}${name.toUpperCase()}`;
        expect(await things.names({}, { orderBy })).toEqual(expected);
        const pagedNames: unknown[] = [];
        for (let skip = 0; skip < entries.length; skip += 4) {
          const { rows, totalRecords } = await things.query({}, { orderBy, skip, limit: 4 });
          expect(totalRecords).toBe(entries.length);
          pagedNames.push(...rows.map(({ Name }) => Name));
        }
        expect(pagedNames).toEqual(expected);
        for (const at of [0, 4, 7, 9, 13]) {
          const positionOf = idOf(String(expected[at]));
          expect((await things.query({}, { orderBy, limit: 1, positionOf })).position).toBe(at);
        }
      }
    });
  });

  test('sorts rows by id, descending on request', async () => {
    const names = entries.map(({ Name }) => Name);
    expect(await things.names({})).toEqual(names);
    expect(await things.names({}, { orderBy: 'entryid' })).toEqual(names);
    expect(await things.names({}, { orderBy: '-EntryId' })).toEqual(names.toReversed());
    expect(
      await things.names({ Name: { $contains: 'e' } }, { orderBy: '-EntryId', skip: 1, limit: 2 }),
    ).toEqual(names.toReversed().slice(1, 3));
  });

  test('returns the requested window and the total', async () => {
    const query = { Name: { $startswith: 'entry' } };
    for (const [limit, skip, count] of [
      [1000, 0, 12],
      [5, 0, 5],
      [5, 10, 2],
      [12, 0, 12],
      [5, 12, 0],
      [5, 500, 0],
    ] as const) {
      const { rows, totalRecords } = await things.query(query, { limit, skip });
      expect([rows.length, totalRecords]).toEqual([count, 12]);
      const all = await things.query({}, { limit, skip });
      expect([all.rows.length, all.totalRecords]).toEqual([Math.max(0, Math.min(limit, 14 - skip)), 14]);
    }
    for (const invalid of [{ limit: 0 }, { limit: 1001 }, { skip: -1 }])
      expect((await things.api.post(`${ROWS}/query/Thing`, invalid)).status).toBe(400);
  });

  test('caches ends of pages by everything that their order depends on', async () => {
    const { db } = context();
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
    const inLocalTime = await things.names(query, { dateTimeBehavior: 1 });
    expect(inLocalTime.length).toBeGreaterThan(inUtc.length);
    for (const ready of [true, false]) {
      await setIndexesReady(db, things.siteId, ready);
      for (const [dateTimeBehavior, all] of [
        [0, inUtc],
        [1, inLocalTime],
      ] as const)
        for (const skip of [0, 2, 4])
          expect(await things.names(query, { dateTimeBehavior, skip, limit: 2 })).toEqual(
            all.slice(skip, skip + 2),
          );
    }
    const byDate = await things.names({}, { orderBy: 'Seen' });
    for (const ready of [true, false, true])
      for (const skip of [0, 2, 4, 6, 8, 10, 12]) {
        await setIndexesReady(db, things.siteId, ready);
        expect(await things.names({}, { orderBy: 'Seen', skip, limit: 2 })).toEqual(
          byDate.slice(skip, skip + 2),
        );
      }
    await things.update(idOf('Entry 0'), { Note: 'between pages' });
    expect(await things.names({}, { orderBy: 'Note', skip: 2, limit: 2 })).toEqual(
      (await things.names({}, { orderBy: 'Note' })).slice(2, 4),
    );
  });

  test('returns the requested fields that have data', async () => {
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

  test('formats values by field type', async () => {
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

  test('returns single values with their last change, extended on request', async () => {
    const read = (names: string[], options = '') =>
      things.api.post<DataRequestResultVm[]>(
        `${DATA}/entrydata/get${options}`,
        names.map((name) => ({ entryId: idOf('Entry 1'), fieldId: things.field(name).id })),
      );
    const cells = (await read(['Friends', 'Owner', 'Score', 'Reason'])).body;
    expect(cells).toMatchObject([
      { isNoData: false, value: { name: 'root' } },
      { value: { name: 'Aa Okafor' } },
      { value: 2, modifiedBy: things.person.userId, rowId: idOf('Entry 1') },
      { isNoData: true },
    ]);
    expect(cells.at(-1)).not.toHaveProperty('value');
    const options = '?resolveReferenceUrl=true&fillExtendedData=true&wrapIntoArrays=true';
    expect((await read(['Friends', 'Owner'], options)).body).toMatchObject([
      { value: [{ url: `${publicUrl}/entries/${things.typeId}/${idOf('root')}`, entryTypeName: 'Thing' }] },
      { value: { name: 'Aa Okafor', url: `mailto:${otherEmail}`, email: otherEmail } },
    ]);
    const invalidCells = [
      { entryId: idOf('root'), fieldId: things.field('Name').id },
      { entryId: 2_000_000_000, fieldId: things.field('Name').id },
      { entryId: idOf('root'), fieldId: 2_000_000_000 },
    ];
    expect((await things.api.post(`${DATA}/entrydata/get`, invalidCells)).body).toMatchObject([
      { value: 'root' },
      { error: { code: 404, description: 'Entry 2000000000 does not exist' } },
      { error: { code: 404, description: 'Field with id 2000000000 does not exist' } },
    ]);
    expect((await things.api.post(`${DATA}/entrydata/get`, [])).body).toEqual([]);
  });

  const readInCurrency = (currencyCode: string) => {
    const item = { entryId: idOf('Entry 1'), fieldId: things.field('Price').id };
    return things.api.post<DataRequestResultVm[] & ErrorBody>(`${DATA}/entrydata/get`, [
      item,
      { ...item, currencyCode },
    ]);
  };

  test('rejects an unknown currency of a single value', async () => {
    expect((await readInCurrency('EUR')).body[1]).toMatchObject({ requestedCurrencyCode: 'EUR' });
    const { status, body } = await readInCurrency('XXA');
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          path: '1.currencyCode',
          message: '"XXA" is not an ISO 4217 currency code such as EUR',
        },
      ],
    ]);
  });

  test('lists all entries with their names', async () => {
    const { body } = await things.api.get(`${DATA}/entrydata/THING/entries`);
    expect(body).toEqual(
      entries.map(({ Name: name }, at) => ({ id: ids[at], name, entryListId: things.typeId })),
    );
    expect((await things.api.get(`${DATA}/entrydata/Nothing/entries`)).status).toBe(404);
  });

  test('rejects an unknown field with the specified message', async () => {
    const message = 'Field with name "Nmae" does not exist';
    for (const [request, path] of [
      [{ query: { Nmae: 1 } }, 'query.Nmae'],
      [{ fields: ['EntryId', 'Nmae'] }, 'fields.1'],
      [{ orderBy: '-Nmae' }, 'orderBy'],
    ] as const) {
      const { status, body } = await things.api.post<ErrorBody>(`${ROWS}/query/Thing`, request);
      expect([status, body.message, body.errors]).toEqual([400, message, [{ path, message }]]);
    }
    const get = await things.api.get<ErrorBody>(`${ROWS}/Thing?query=${encodeURIComponent('{Nmae:1}')}`);
    expect([get.status, get.body.message]).toEqual([400, message]);
    const several = await things.api.post<ErrorBody>(`${ROWS}/query/Thing`, { orderBy: 'Friends' });
    expect([several.status, several.body.errors?.[0]?.path]).toEqual([400, 'orderBy']);
    const wrong = { query: { Nmae: 1 }, fields: ['Name', 'Nmae'], orderBy: 'Friends' };
    for (const request of [
      things.api.post<ErrorBody>(`${ROWS}/query/Thing`, wrong),
      things.api.post<ErrorBody>(`${ROWS}/asof/Thing`, { ...wrong, asOf: '2026-01-01' }),
    ])
      expect((await request).body.errors?.map(({ path }) => path)).toEqual([
        'query.Nmae',
        'fields.1',
        'orderBy',
      ]);
  });

  test('reads rows by the current schema after another process changed it', async () => {
    const changing = await makeThings(context());
    await changing.create({ Name: 'One', Note: 'same' });
    const readNotes = async (name: string) =>
      (await changing.query({ [name]: 'same' }, { fields: [name] })).rows.map((row) => row[name]);
    expect(await readNotes('Note')).toEqual(['same']);
    // Like another process: nothing in this one learns of the change.
    const rename = async (to: string) => {
      const { db } = context();
      await sql`update field set api_name = ${to} where field_id = ${changing.field('Note').id}`.execute(db);
      await sql`update schema_stamp set stamp = ${randomUUID()} where site_id = ${changing.siteId}`.execute(
        db,
      );
    };
    await rename('Remark');
    expect(await readNotes('Remark')).toEqual(['same']);
    await rename('Comment');
    await expect(readNotes('Remark')).rejects.toThrow('400');
    expect(await readNotes('Comment')).toEqual(['same']);
    await rename('Note');
    const { rows } = await changing.query({});
    expect(rows.map((row) => row['Note'])).toEqual(['same']);
  });
});

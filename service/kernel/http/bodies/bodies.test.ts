/** Reading of JSON bodies, the same for both API surfaces: what would be stored differently is refused (shapes 1, numbers and null). */
import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { send, type ApiClient, type ErrorBody } from '../../../testing/calls.ts';
import { DATA, makeThings, SCHEMA, type Things } from '../../../testing/entries/entries.ts';
import { as, contract, onEachApp } from '../../../testing/site.ts';
import { createBodyReader, MAX_INLINE_BODY_BYTES } from './body-reader.ts';

const MAX_LISTED_ERRORS = 100;
const MAX_PUBLIC_BODY_BYTES = 16_384;

const createUserText = (more: string) =>
  `{"email":"${crypto.randomUUID()}@b.test","firstName":"A","lastName":"B"${more}}`;
const listErrors = ({ errors = [] }: ErrorBody) => errors.map(({ path, message }) => `${path}: ${message}`);

onEachApp((context) => {
  let things: Things;
  let api: ApiClient;
  let consoleApi: ApiClient;
  beforeAll(async () => {
    things = await makeThings(context());
    api = as(context().app, things.person);
    consoleApi = as(context().app, things.person, 'console');
  });

  /** JSON of a write with one item, whose value is this JSON text. */
  const createWriteText = (field: string, value: string) =>
    `{"storeRequests":[{"entryId":-1,"fieldId":${things.field('Name').id},"value":"N${crypto.randomUUID()}"},` +
    `{"entryId":-1,"fieldId":${things.field(field).id},"value":${value}}]}`;
  const write = (field: string, value: string) =>
    api.post<ErrorBody>(`${DATA}/entrydata/${things.typeId}`, createWriteText(field, value));
  const readScore = async (name: string) => (await things.query({ Name: name })).rows[0]?.['Score'];

  describe('names of properties', () => {
    test.each([
      ['{"a":1,"\\u0000":1}', 'columns.widths.\ufffd'],
      ['{"\\ud800":1}', 'columns.widths.\ufffd'],
      ['{"a\\udc00b":1}', 'columns.widths.a\ufffdb'],
    ])('in a saved view are checked like values: %s', async (widths, path) => {
      const view = `{"name":"V","search":"","query":"","sort":"","columns":{"order":[],"hidden":[],"widths":${widths},"frozen":1}}`;
      const { status, body } = await api.post<ErrorBody>(`${SCHEMA}/entrytypes/${things.typeId}/views`, view);
      expect([status, listErrors(body)]).toEqual([
        400,
        [`${path}: The name must not contain NUL or half a surrogate pair`],
      ]);
    });

    test('that occur twice are refused with their path', async () => {
      for (const client of [api, consoleApi]) {
        const twice = await client.post<ErrorBody>('user', createUserText(',"firstName":"C"'));
        expect([twice.status, listErrors(twice.body)]).toEqual([400, ['firstName: is given twice']]);
        const nested = await client.put<ErrorBody>(
          'user/group',
          '[{"userIds":[1],"groupIds":[1],"userIds":[2]}]',
        );
        expect([nested.status, listErrors(nested.body)]).toEqual([400, ['0.userIds: is given twice']]);
      }
    });
  });

  describe('numbers', () => {
    test.each(['9007199254740993', '0.1234567890123456789', '-1e-400', '1e999', '123456789.1234567891'])(
      '%s would not be answered as it was sent: 400, nothing is stored',
      async (literal) => {
        for (const field of ['Score', 'Twice', 'Memo']) {
          const { status, body } = await write(field, literal);
          expect(status).toBe(400);
          expect(listErrors(body)[0]).toMatch(
            /^storeRequests\.1\.value: .*(cannot be stored exactly|too large)/,
          );
        }
      },
    );

    test('are refused in every part of a body, and in the text of a query', async () => {
      const filter = await api.post<ErrorBody>(
        `${DATA}/entrydata/${things.typeId}/filter`,
        '[{"fieldId":1,"filterOperation":0,"value":9007199254740993}]',
      );
      expect(listErrors(filter.body)).toEqual([
        '0.value: 9007199254740993 cannot be stored exactly: it would become 9007199254740992',
      ]);
      const query = encodeURIComponent('{Score: {$gt: 9007199254740993}}');
      const rows = await api.get<ErrorBody>(`${DATA}/entrydata/rows/${things.typeId}?query=${query}`);
      expect([rows.status, rows.body.errors?.[0]?.path]).toEqual([400, 'query.Score.$gt']);
    });

    test.each([
      ['1.0', 1],
      ['1e3', 1000],
      ['0.10', 0.1],
      ['9007199254740992', 9_007_199_254_740_992],
      ['-0.30000000000000004', -0.30000000000000004],
      ['1.7976931348623157e308', Number.MAX_VALUE],
      ['5e-324', Number.MIN_VALUE],
      ['123456789012345680000', 123_456_789_012_345_680_000],
    ])('%s is stored as the same number', async (literal, value) => {
      const name = `N${crypto.randomUUID()}`;
      const text = createWriteText('Score', literal).replace(/"N[\da-f-]+"/, JSON.stringify(name));
      expect((await api.post(`${DATA}/entrydata/${things.typeId}`, text)).status).toBe(200);
      expect(await readScore(name)).toBe(value);
    });
  });

  describe('null for an optional property', () => {
    test('means absent: the default on create, the same value on update', async () => {
      const nulls = ',"isActive":null,"groups":null,"password":null,"twoFactorEnabled":null';
      const created = await api.post<number>('user', createUserText(nulls));
      expect([created.status, created.text]).toEqual([200, String(created.body)]);
      const id = created.body;
      expect((await api.put('user', { id, firstName: null, lastName: 'C', isActive: false })).status).toBe(
        200,
      );
      expect((await api.put('user', { id, isActive: null, groups: null })).status).toBe(200);
      const user = await api.get(`user/${id}`);
      expect(user.body).toMatchObject({ firstName: 'A', lastName: 'C', isActive: false, groups: [] });
    });

    test('clears where the schema accepts null, and is an error where a value is required', async () => {
      const { body: id } = await api.post<number>('user', createUserText(',"federationId":"f"'));
      expect((await api.put('user', { id, federationId: null })).status).toBe(200);
      expect(
        (await api.get<{ federationId?: string | null }>(`user/${id}`)).body.federationId ?? null,
      ).toBeNull();
      const [entryId] = await things.create({ Name: `N${crypto.randomUUID()}`, Score: 5 });
      await things.update(entryId ?? 0, { Score: null });
      expect((await things.query({ EntryId: entryId })).rows[0]).not.toHaveProperty('Score');
      const missing = await api.post<ErrorBody>('user', '{"email":null,"firstName":"A","lastName":"B"}');
      expect([missing.status, listErrors(missing.body)]).toEqual([400, ['email: is required']]);
      const inList = await api.post<ErrorBody>('users', '[null]');
      expect([inList.status, inList.body.errors?.[0]?.path]).toEqual([400, '0']);
    });
  });

  describe('many items', () => {
    test.each([
      ['wrong types', { entryId: 'x', fieldId: 'y' }],
      ['unknown properties', { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }],
      ['fields that do not exist', { entryId: -1, fieldId: 2_000_000_000, value: 1 }],
    ])('10,000 with %s: validation stops after 100 errors and says so', async (_name, item) => {
      const storeRequests = Array.from({ length: 10_000 }, () => item);
      const { status, body } = await api.post<ErrorBody>(`${DATA}/entrydata/${things.typeId}`, {
        storeRequests,
      });
      expect([status, body.message]).toEqual([
        400,
        'The request has more than 100 errors; the first 100 are listed',
      ]);
      expect(body.errors).toHaveLength(MAX_LISTED_ERRORS);
    });

    test('10,000 values are read in one request, whatever the notation (spec 4.4)', async () => {
      const cells = Array.from({ length: 10_000 }, (_, index) => ({
        entryId: 2_000_000_000 + index,
        fieldId: things.field('Name').id,
        currencyCode: null,
      }));
      for (const indent of [0, 4]) {
        const reply = await api.post<unknown[]>(
          `${DATA}/entrydata/get`,
          JSON.stringify(cells, undefined, indent),
        );
        expect([reply.status, reply.body.length]).toEqual([200, cells.length]);
      }
    });

    test('a repeated name and a changed number are found in a body of the other thread, too', async () => {
      const padding = ' '.repeat(MAX_INLINE_BODY_BYTES);
      const twice = await api.post<ErrorBody>('user', createUserText(`,${padding}"firstName":"C"`));
      expect([twice.status, listErrors(twice.body)]).toEqual([400, ['firstName: is given twice']]);
      const invalid = await api.post<ErrorBody>('user', `${padding}{`);
      expect([invalid.status, invalid.body.message]).toEqual([
        400,
        'The request cannot be read: its body is not valid JSON',
      ]);
      const created = await api.post('user', createUserText(`,${padding}"isActive":null`));
      expect(created.status).toBe(200);
    });
  });

  test('operations without credentials take bodies of at most 16 KiB', async () => {
    const publicOperations = contract.operations.filter(
      ({ access, method }) => access === 'public' && method !== 'GET',
    );
    expect(publicOperations.length).toBeGreaterThan(10);
    for (const { isForm, isConsoleOnly, method, url } of publicOperations) {
      const type = isForm ? 'application/x-www-form-urlencoded' : 'application/json';
      const sendBytes = (size: number) =>
        send<ErrorBody>(context().app, {
          method,
          url: `${isConsoleOnly ? '/console' : ''}${url}`,
          headers: { 'content-type': type, 'x-steward-console': '1' },
          payload: '{}'.padEnd(size),
        });
      const { status, body } = await sendBytes(MAX_PUBLIC_BODY_BYTES + 1);
      expect([url, status, body.message]).toEqual([
        url,
        413,
        'The body has 16385 bytes; this operation accepts at most 16384',
      ]);
      expect((await sendBytes(MAX_PUBLIC_BODY_BYTES)).status).not.toBe(413);
    }
  });
});

describe('the thread for large bodies', () => {
  const operation = contract.operations.find(({ id }) => id === 'createUser');
  if (!operation) throw new Error('The contract has no operation createUser');
  const body = { email: 'a@b.test', firstName: 'A', lastName: 'B', isActive: true };
  const createBytes = (size: number, value: unknown = body) =>
    Buffer.from(JSON.stringify(value).padEnd(size));

  test('reads bodies above 256 KiB, with the same result', async () => {
    const reader = createBodyReader(contract);
    const small = await reader.read(operation, createBytes(MAX_INLINE_BODY_BYTES));
    expect(reader.offloadedCount).toBe(0);
    const large = await reader.read(operation, createBytes(MAX_INLINE_BODY_BYTES + 1));
    expect(reader.offloadedCount).toBe(1);
    expect(small).toMatchObject({ value: body, errors: [] });
    expect(large).toEqual(small);
    await expect(reader.read(operation, createBytes(1_000_000, '['.repeat(9)))).resolves.toMatchObject({
      errors: [{ path: 'body' }],
    });
    await expect(reader.read(operation, Buffer.from(`[${'[],'.repeat(5_000_000)}[]]`))).rejects.toMatchObject(
      { status: 413 },
    );
    await reader.stop();
  });

  test('reads large lists of items too', async () => {
    const reader = createBodyReader(contract);
    const items = Array.from({ length: 100_000 }, (_, index) => ({
      userId: index + 1,
      add: [1, 2, 3, 4, 5],
    }));
    const bytes = Buffer.from(JSON.stringify({ items }));
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const read = await reader.readItems('MembershipChange', sha256, bytes);
    expect(reader.offloadedCount).toBe(1);
    expect(read).toMatchObject({ count: 100_000, bytes: bytes.length, errors: [] });
    expect(read.lists.map(({ count }) => count)).toEqual([20_000, 20_000, 20_000, 20_000, 20_000]);
    expect(JSON.parse(read.lists[4]?.json ?? '[]').at(-1)).toEqual({
      userId: 100_000,
      add: [1, 2, 3, 4, 5],
      remove: [],
    });
    const small = bytes.subarray(0, 1_000);
    expect(await reader.readItems('MembershipChange', sha256, small)).toMatchObject({
      errors: [{ path: 'sha256' }],
    });
    expect(reader.offloadedCount).toBe(1);
    await reader.stop();
  });

  test('is replaced when it ends, and only its body fails', async () => {
    const reader = createBodyReader(contract);
    const bytes = createBytes(MAX_INLINE_BODY_BYTES + 1);
    await reader.read(operation, bytes);
    const [interrupted, next] = [reader.read(operation, bytes), reader.read(operation, bytes)];
    const results = Promise.allSettled([interrupted, next]);
    // The first body is with the thread from the next microtask on.
    await Promise.resolve();
    await reader.stop();
    expect(await results).toMatchObject([
      { status: 'rejected', reason: { status: 503, headers: { 'retry-after': '2' } } },
      { status: 'fulfilled', value: { value: body, errors: [] } },
    ]);
    await reader.stop();
  });
});

/** Rules of an import that need no database: month close, historical period, splitting a list, checks of the request. */
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../../kernel/api-error.ts';
import { loadContract } from '../../../kernel/http/contract.ts';
import { createAddressBook } from './addresses.ts';
import { createItemReader, formatWarnings, type ImportContext } from './item-reader.ts';
import { checkTime, getImportPeriod, getNextClose } from './period.ts';
import { createItemValidator } from './read-import.ts';
import { createListSplitter } from './split-list.ts';

const contract = loadContract(new URL('../../../../contract/openapi.json', import.meta.url));

const check = (now: string, at: string, options: { zone?: string; days?: number; complete?: boolean } = {}) =>
  checkTime(
    Date.parse(at),
    getImportPeriod(Date.parse(now), options.zone ?? 'UTC', options.days ?? 365),
    options.complete ?? false,
  );

const close = (now: string) => new Date(getNextClose(Date.parse(now), 'Europe/Berlin')).toISOString();

const split = (text: string, size: number) => {
  const items: string[] = [];
  const splitter = createListSplitter((bytes) => items.push(bytes.toString()));
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) splitter.write(bytes.subarray(at, at + size));
  splitter.end();
  return items;
};

const person = (address: string) => ({ address, name: address });

const emails = (userId: number, list: object[], handlerType = 1) => ({ userId, handlerType, emails: list });

const meeting = (id: string) => ({
  uniqueId: id,
  startDate: '2026-05-09T10:00:00Z',
  endDate: '2026-05-09T11:00:00Z',
  modifiedDate: '2026-05-09T10:00:00Z',
  organizer: person('ann@outside.test'),
  attendees: [person('me@inside.test')],
});

const email = (id: string, more: object = {}) => ({
  uniqueId: id,
  sentDate: '2026-05-09T10:00:00Z',
  modifiedDate: '2026-05-09T10:00:00Z',
  sender: person('ann@outside.test'),
  recipientsTo: [person('me@inside.test')],
  ...more,
});

describe('months and the historical period', () => {
  test.each([
    ['2026-05-02T00:59:59.999Z', 'UTC', undefined],
    ['2026-05-02T01:00:00.000Z', 'UTC', 'LATE_FOR_MONTH'],
    // Summer time: 01:00 in Berlin is 23:00 UTC of the day before; in winter 00:00 UTC.
    ['2026-05-01T22:59:59.999Z', 'Europe/Berlin', undefined],
    ['2026-05-01T23:00:00.000Z', 'Europe/Berlin', 'LATE_FOR_MONTH'],
    ['2026-12-01T23:59:59.999Z', 'Europe/Berlin', undefined],
    ['2026-12-02T00:00:00.000Z', 'Europe/Berlin', 'LATE_FOR_MONTH'],
  ])('at %s in %s an item of the previous month is %s', (now, zone, expected) => {
    const at = new Date(Date.parse(now) - 5 * 86_400_000).toISOString();
    expect(check(now, at, { zone })).toBe(expected);
    expect(getNextClose(Date.parse(now), zone) > Date.parse(now)).toBe(true);
  });

  test('the month changes at midnight of the site', () => {
    const now = '2026-05-10T12:00:00Z';
    expect(check(now, '2026-04-30T22:00:00Z', { zone: 'Europe/Berlin' })).toBeUndefined();
    expect(check(now, '2026-04-30T21:59:59.999Z', { zone: 'Europe/Berlin' })).toBe('LATE_FOR_MONTH');
  });

  test('older items are accepted within the period until the upload is complete', () => {
    const now = '2026-05-10T12:00:00.000Z';
    expect(check(now, '2026-04-01T00:00:00.000Z', { complete: true })).toBe('LATE_FOR_MONTH');
    expect(check(now, '2026-03-31T23:59:59.999Z', { complete: true })).toBe('HISTORY_CLOSED');
    expect(check(now, '2026-03-31T23:59:59.999Z')).toBeUndefined();
    expect(check(now, '2025-05-10T12:00:00.000Z')).toBeUndefined();
    expect(check(now, '2025-05-10T11:59:59.999Z')).toBe('BEFORE_PERIOD');
    expect(check(now, '1970-01-01T00:00:00.000Z', { complete: true })).toBe('BEFORE_PERIOD');
    expect(check(now, '2026-03-31T23:59:59.999Z', { days: 0 })).toBe('BEFORE_PERIOD');
  });

  test('the next close is in the month after a close', () => {
    expect(close('2026-03-10T00:00:00Z')).toBe('2026-04-01T23:00:00.000Z');
    expect(close('2026-12-01T23:59:00Z')).toBe('2026-12-02T00:00:00.000Z');
    expect(close('2026-12-02T00:00:00Z')).toBe('2027-01-02T00:00:00.000Z');
  });
});

describe('splitting a list', () => {
  const text = ' [ {"a":"}]\\"{é","b":[{}]} ,\n{} , {"c":{"d":[1,2]}} ] ';

  test.each([1, 2, 3, 7, 1_000])('finds the objects in chunks of %i bytes', (size) => {
    expect(split(text, size)).toEqual(['{"a":"}]\\"{é","b":[{}]}', '{}', '{"c":{"d":[1,2]}}']);
    expect(split(' [] ', size)).toEqual([]);
  });

  test.each(['', '{}', '[{}', '[{},]', '[{} {}]', '[1]', '[{}]]', '[{}] x', '[{"a":"}]', ',[]'])(
    'refuses %j',
    (broken) => {
      expect(() => split(broken, 3)).toThrow(ApiError);
    },
  );
});

test('a domain rule covers subdomains and nothing else', () => {
  const classify = createAddressBook({
    exclusions: ['secret.test', 'one@person.test'],
    internalDomains: ['inside.test'],
    userAddresses: ['me@free.test'],
  });
  const flags = (address: string) => [classify(address).isExcluded, classify(address).isInternal];
  expect(flags('a@secret.test')).toEqual([true, false]);
  expect(flags('a@deep.secret.test')).toEqual([true, false]);
  expect(flags('a@notsecret.test')).toEqual([false, false]);
  expect([flags('one@person.test'), flags('two@person.test')]).toEqual([
    [true, false],
    [false, false],
  ]);
  expect([flags('a@mail.inside.test'), flags('me@free.test'), flags('you@free.test')]).toEqual([
    [false, true],
    [false, true],
    [false, false],
  ]);
});

describe('reading a request', () => {
  const now = Date.parse('2026-05-10T12:00:00Z');
  const context: ImportContext = {
    kind: 'emails',
    period: getImportPeriod(now, 'UTC', 365),
    users: [
      { userId: 1, address: 'me@inside.test', isHistoryComplete: false },
      { userId: 2, address: 'you@inside.test', isHistoryComplete: true },
    ],
    rules: { exclusions: ['secret.test'], internalDomains: ['inside.test'], userAddresses: [] },
  };
  const read = (items: unknown, kind: ImportContext['kind'] = 'emails') => {
    const reader = createItemReader({ ...context, kind }, createItemValidator(contract, kind));
    reader.write(Buffer.from(typeof items === 'string' ? items : JSON.stringify(items)));
    return reader.end();
  };
  test('reports everything that the request alone shows, with paths', () => {
    const { errors, batches } = read([
      emails(1, [
        email('a', { sentDate: '2026-05-09T10:00:01Z' }),
        email('b'),
        email('a', { sentDate: '2026-05-09T10:00:02Z' }),
        email('c', { sentDate: '2026-13-01' }),
      ]),
      emails(2, [email('d')], 3),
      emails(1, [email('e')]),
      { userId: 4, handlerType: 1, emails: [{ uniqueId: 'x', sender: { address: 'no' } }] },
      emails(5, [email('f', { recipientsTo: [] })]),
    ]);
    expect(errors.map(({ path }) => path)).toEqual([
      '0.emails.1.sentDate',
      '0.emails.2.uniqueId',
      '0.emails.3.sentDate',
      '1.handlerType',
      '2.userId',
      '3.emails.0.sentDate',
      '3.emails.0.modifiedDate',
      '3.emails.0.recipientsTo',
      '3.emails.0.sender.name',
      '3.emails.0.sender.address',
      '4.emails.0.recipientsTo',
    ]);
    expect(batches).toEqual([]);
  });

  test('an item of a wrong shape also shows what its right parts mean, each path once', () => {
    const { sender: _, ...senderless } = email('a', { sentDate: '2026-05-09T10:00:02Z' });
    const { errors } = read([
      emails(1, [email('z')]),
      emails(
        1,
        [
          senderless,
          email('a', { sentDate: '2026-05-09T10:00:01Z', modifiedDate: '2026-02-30T10:00:00Z' }),
          email('b', { sentDate: 'soon', modifiedDate: '2026-13-01T10:00:00Z' }),
        ],
        2,
      ),
      { userId: 3, handlerType: 1, emails: 'none' },
    ]);
    expect(errors.map(({ path }) => path).toSorted()).toEqual([
      '1.emails.0.sender',
      '1.emails.1.modifiedDate',
      '1.emails.1.sentDate',
      '1.emails.1.uniqueId',
      '1.emails.2.modifiedDate',
      '1.emails.2.sentDate',
      '1.handlerType',
      '1.userId',
      '2.emails',
    ]);
  });

  test.each([
    ['emails', 1_000, 50_000],
    ['meetings', 100, 5_000],
  ] as const)('the limits of %s hold exactly', (kind, perUser, perRequest) => {
    const build = (userId: number, count: number) => ({
      userId,
      handlerType: 1,
      [kind]: Array.from({ length: count }, (_, at) =>
        kind === 'emails' ? email(`${userId}-${at}`) : meeting(`${userId}-${at}`),
      ),
    });
    const full = Array.from({ length: perRequest / perUser }, (_, at) => build(at + 1, perUser));
    const legal = read(full, kind);
    expect([legal.errors, legal.received]).toEqual([[], perRequest]);
    const [tooMany] = read([build(1, perUser + 1)], kind).errors;
    expect(tooMany?.path).toBe(`0.${kind}`);
    expect(tooMany?.message).toContain(String(perUser));
    expect(read([...full, build(1_000, 1)], kind).errors).toEqual([
      {
        path: 'body',
        message: `has ${perRequest + 1} ${kind}; a request may have at most ${perRequest}`,
      },
    ]);
  });

  test('skips by the state of the site, each with its warning', () => {
    const old = '2026-01-01T00:00:00Z';
    const { users, batches } = read([
      emails(1, [
        email('ancient', { sentDate: '2020-01-01T00:00:00Z' }),
        email('old', { sentDate: old }),
        email('secret', { recipientsCc: [person('x@sub.SECRET.test')] }),
        email('inside', { sender: person('you@inside.test') }),
      ]),
      emails(2, [email('old2', { sentDate: old })]),
      emails(3, [email('foreign')]),
    ]);
    const summary = users.map(({ userId, isEnabled, received, skipped, warnings }) => [
      userId,
      isEnabled,
      received,
      skipped,
      Object.keys(warnings),
    ]);
    expect(summary).toEqual([
      [1, true, 4, 3, ['BEFORE_PERIOD', 'EXCLUDED', 'INTERNAL_ONLY']],
      [2, true, 1, 1, ['HISTORY_CLOSED']],
      [3, false, 1, 1, []],
    ]);
    expect(batches.flatMap(({ uniqueIds }) => uniqueIds)).toEqual(['old']);
  });

  test('finds the direction and the outside addresses of the user', () => {
    const { batches } = read([
      emails(1, [
        email('received', { recipientsCc: [person('other@outside.test')] }),
        email('sent', {
          sender: person('ME@inside.test'),
          recipientsTo: [person('b@outside.test'), person('you@inside.test'), person('B@outside.test')],
        }),
        email('alias', { sender: person('m.e@inside.test'), recipientsTo: [person('c@outside.test')] }),
        email('colleague', {
          sender: person('you@inside.test'),
          recipientsTo: [person('me@inside.test'), person('d@outside.test')],
        }),
      ]),
    ]);
    expect(batches.map(({ directions, counterparts }) => [directions, counterparts])).toEqual([
      [
        [2, 1, 1, 0],
        ['ann@outside.test', 'b@outside.test', 'c@outside.test', ''],
      ],
    ]);
  });

  test('lists 20 warnings of a code, then their number', () => {
    const list = Array.from({ length: 25 }, (_, at) => email(`s${at}`, { sender: person('x@secret.test') }));
    const [user] = read([emails(1, list)]).users;
    const warnings = formatWarnings(user?.warnings ?? {});
    expect(warnings.map(({ uniqueId, count }) => uniqueId ?? count)).toEqual([
      ...list.slice(0, 20).map(({ uniqueId }) => uniqueId),
      25,
    ]);
  });

  test('a name given twice, a changed number and 32 levels are refused as in every body', () => {
    expect(read('[{"userId":1,"userid":1,"handlerType":1,"emails":[]}]').errors).toHaveLength(1);
    expect(read('[{"userId":1,"handlerType":1,"emails":[],"emails":[]}]').errors).toHaveLength(1);
    expect(() => read(`[{"userId":${'['.repeat(40)}${']'.repeat(40)}}]`)).toThrow('levels deep');
  });
});

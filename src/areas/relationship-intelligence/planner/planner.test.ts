import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RelationshipImportItem } from '../../../../contract/generated/types.gen.ts';
import { createRequestFilling } from '../../../../contract/rules/import-requests.ts';
import { formatTimeToClose, getHistoryEnd, getMonthClose } from './month-close.ts';
import { Planner } from './planner.ts';
import type { PlanOptions } from './planner.ts';
import { findLongestMailbox, planRequests, scheduleRequests } from './requests.ts';

const LIMITS = {
  emailsPerUser: 1000,
  emailsPerJobRequest: 50_000,
  meetingsPerUser: 100,
  meetingsPerJobRequest: 5000,
  requestsPerMinute: 5,
};

test('requests are legal, in order, complete and as few as possible', () => {
  const counts = fc.dictionary(
    fc.integer({ min: 1, max: 400 }).map(String),
    fc.integer({ min: 0, max: 4000 }),
    {
      maxKeys: 120,
    },
  );
  fc.assert(
    fc.property(counts, (record) => {
      const byUser = new Map(Object.entries(record).map(([id, count]) => [Number(id), count]));
      const requests = planRequests('emails', byUser, LIMITS);
      const sent = new Map<number, number>();
      for (const { shares, count } of requests) {
        expect(count).toBeLessThanOrEqual(50_000);
        expect(new Set(shares.map(({ userId }) => userId)).size).toBe(shares.length);
        for (const share of shares) {
          expect(share.count).toBeLessThanOrEqual(1000);
          expect(share.from).toBe(sent.get(share.userId) ?? 0);
          sent.set(share.userId, share.from + share.count);
        }
      }
      const total = [...byUser.values()].reduce((sum, one) => sum + one, 0);
      expect([...sent.values()].reduce((sum, one) => sum + one, 0)).toBe(total);
      const least = Math.max(
        Math.ceil(total / 50_000),
        ...[...byUser.values()].map((one) => Math.ceil(one / 1000)),
        0,
      );
      expect(requests).toHaveLength(least);
    }),
    { numRuns: 50 },
  );
});

test('a job that gets the shares in their order, long ones divided, sends the planned requests', () => {
  const counts = fc.array(fc.integer({ min: 1, max: 3500 }), { minLength: 1, maxLength: 90 });
  const pieces = fc.integer({ min: 1, max: 3 });
  fc.assert(
    fc.property(counts, pieces, fc.constantFrom(10_000, 50_000), (list, divided, perRequest) => {
      const byUser = new Map(list.map((one, at) => [at + 1, one]));
      const planned = planRequests('emails', byUser, { ...LIMITS, emailsPerJobRequest: perRequest });
      const capacity = { perUser: 1000, perRequest, bytes: Infinity };
      let place = createRequestFilling(capacity);
      const sent: number[] = [];
      for (const { userId, from, count: size } of planned.flatMap(({ shares }) => shares))
        for (let at = 0; at < size; at += Math.ceil(size / divided)) {
          const part = Math.min(Math.ceil(size / divided), size - at);
          const span = { first: from + at, last: from + at + part - 1 };
          const next = { userId, count: part, bytes: part, span };
          if (sent.length === 0 || place(next) === undefined) {
            place = createRequestFilling(capacity);
            place(next);
            sent.push(0);
          }
          sent[sent.length - 1] = (sent.at(-1) ?? 0) + part;
        }
      expect(sent).toEqual(planned.map((request) => request.count));
    }),
    { numRuns: 100 },
  );
});

const count = (kind: 'emails' | 'meetings', ...counts: number[]) =>
  planRequests(kind, new Map(counts.map((one, at) => [at + 1, one])), LIMITS).length;

test('one item more than a limit needs one request more', () => {
  expect([count('emails', 1000), count('emails', 1001)]).toEqual([1, 2]);
  expect([count('meetings', 100), count('meetings', 101)]).toEqual([1, 2]);
  expect(planRequests('emails', new Map([[1, 5]]), { ...LIMITS, emailsPerUser: 0 })).toEqual([]);
  const fifty = Array.from({ length: 50 }, () => 1000);
  expect([count('emails', ...fifty), count('emails', ...fifty, 1)]).toEqual([1, 2]);
  const meetings = Array.from({ length: 50 }, () => 100);
  expect([count('meetings', ...meetings), count('meetings', ...meetings, 1)]).toEqual([1, 2]);
});

test('the user with most items explains the number of requests', () => {
  const counts = new Map([
    [1, 25_480],
    [2, 14_283],
  ]);
  expect(findLongestMailbox('emails', counts, LIMITS)).toEqual({
    userId: 1,
    count: 25_480,
    perUser: 1000,
    otherwise: 15,
  });
  expect(findLongestMailbox('emails', new Map([[1, 5000]]), LIMITS)).toBeUndefined();
});

test('five requests a minute, one after the other', () => {
  const { starts, end } = scheduleRequests(7, { start: 0, requestsPerMinute: 5 });
  expect(starts).toEqual([0, 12_000, 24_000, 36_000, 48_000, 60_000, 72_000]);
  expect(end).toBe(81_000);
});

const getCloseAt = (now: string, zone: string) => {
  const { month, closesAt } = getMonthClose(Date.parse(now), zone);
  return [new Date(month).toISOString(), new Date(closesAt).toISOString()];
};

test('a month closes at 01:00 of the second day in the zone, in summer time too', () => {
  const october = ['2026-09-30T22:00:00.000Z', '2026-11-02T00:00:00.000Z'];
  expect(getCloseAt('2026-10-20T00:00:00Z', 'Europe/Berlin')).toEqual(october);
  expect(getCloseAt('2026-11-01T23:59:59Z', 'Europe/Berlin')).toEqual(october);
  expect(getCloseAt('2026-11-02T00:00:00Z', 'Europe/Berlin')[1]).toBe('2026-12-02T00:00:00.000Z');
  expect(getCloseAt('2026-03-31T12:00:00Z', 'Europe/Berlin')[1]).toBe('2026-04-01T23:00:00.000Z');
  expect(getCloseAt('2026-01-01T12:00:00Z', 'UTC')).toEqual([
    '2025-12-01T00:00:00.000Z',
    '2026-01-02T01:00:00.000Z',
  ]);
  expect(formatTimeToClose(0, 52 * 3_600_000)).toBe('2 d 4 h');
  expect(new Date(getHistoryEnd(Date.parse('2026-01-10T00:00:00Z'), 'UTC')).toISOString()).toBe(
    '2025-12-01T00:00:00.000Z',
  );
});

const OPTIONS: PlanOptions = {
  people: new Map([
    ['ada@example.com', 1],
    ['kim@example.com', 2],
  ]),
  chosen: new Map(),
  exchangeAddresses: new Map(),
  internalDomains: ['example.com'],
  acceptedFrom: Date.UTC(2026, 0, 1),
  enabledUsers: new Set([1]),
  limits: LIMITS,
};

const email = (id: string, sender: string, to: string, sentDate = '2026-03-01T08:00:00Z') => ({
  uniqueId: id,
  sentDate,
  sender: { address: sender, name: 'S' },
  recipientsTo: [{ address: to, name: 'R' }],
});

async function plan(content: unknown, name = 'a.json'): Promise<Planner> {
  const planner = new Planner();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  await planner.addFile(new File([text], name), { from: 0, to: Date.UTC(2026, 5) }, () => undefined);
  return planner;
}

const table = (...dates: string[]) =>
  [
    'sentDate,sender,recipientsTo',
    ...dates.map((date) => `${date},ada@example.com,jo@outside.example`),
    '',
  ].join('\n');
const listDays = (planner: Planner) => {
  planner.evaluate(OPTIONS);
  const items = planner.listUploads('emails').flatMap((upload) => planner.getUploadItems('emails', upload));
  return items
    .flatMap((item) => ('emails' in item ? (item.emails ?? []) : []))
    .map(({ sentDate }) => sentDate.slice(0, 10));
};

test.each([
  ['day first', table('3/4/2026', '25/4/2026'), 'dmy', ['2026-04-03', '2026-04-25']],
  ['month first', table('3/4/2026', '4/25/26'), 'mdy', ['2026-03-04', '2026-04-25']],
  ['dashes', table('3-4-2026 10:00', '25-4-2026 10:00'), 'dmy', ['2026-04-03', '2026-04-25']],
  ['the same in each order', table('3/3/2026', '4/4/2026'), undefined, ['2026-03-03', '2026-04-04']],
  ['JSON', [email('1', 'ada@example.com', 'jo@outside.example', '13/4/2026')], 'dmy', ['2026-04-13']],
])('the order of day and month is that of the dates of the file: %s', async (_name, content, order, days) => {
  const planner = new Planner();
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  const file = new File([text], typeof content === 'string' ? 'a.csv' : 'a.json');
  const read = await planner.addFile(file, { from: 0, to: Date.UTC(2026, 5) }, () => undefined);
  expect([read.dateOrder, listDays(planner)]).toEqual([order, days]);
});

test.each([
  ['no date shows it', ['3/4/2026', '5/4/2026'], { dmy: ['04-03', '04-05'], mdy: ['03-04', '05-04'] }],
  [
    'both orders occur',
    ['3/4/2026', '25/4/2026', '4/25/2026'],
    { dmy: ['04-03', '04-25'], mdy: ['03-04', '04-25'] },
  ],
])(
  'an order that is not clear is asked for, and the file is read as it is chosen: %s',
  async (_name, dates, days) => {
    const planner = new Planner();
    const read = [];
    for (const [name, content] of [
      ['a.csv', table(...dates)],
      ['b.csv', table('13/5/2026')],
    ] as const)
      read.push(
        await planner.addFile(new File([content], name), { from: 0, to: Date.UTC(2026, 5) }, () => undefined),
      );
    expect(read.map(({ dateOrder }) => dateOrder)).toEqual(['unknown', 'dmy']);
    for (const order of ['dmy', 'mdy'] as const) {
      await planner.chooseDateOrder(order, () => undefined);
      const own = [...days[order], '05-13'].toSorted();
      expect(listDays(planner)).toEqual(own.map((day) => `2026-${day}`));
    }
  },
);

test('items belong to the users among their parties; copies, old and foreign ones are left out', async () => {
  const planner = await plan([
    email('2', 'ada@example.com', 'jo@outside.example', '2026-03-02T08:00:00Z'),
    email('1', 'JO@outside.example', 'Ada@Example.com'),
    email('1', 'jo@outside.example', 'ada@example.com'),
    email('3', 'ada@example.com', 'kim@example.com'),
    email('4', 'ada@example.com', 'jo@outside.example', '1970-01-01T00:00:00Z'),
    email('5', 'deals@mail.example.com', 'jo@outside.example'),
    email('6', 'jo@outside.example', 'lee@elsewhere.example'),
  ]);
  expect(planner.listAddresses()).toContain('ada@example.com');
  const summary = planner.evaluate(OPTIONS);
  expect(summary).toMatchObject({
    rows: 7,
    broken: 1,
    withoutUser: 1,
    tooOld: 1,
    copies: 1,
    toSend: { emails: 3, meetings: 0 },
    users: 1,
    requests: [{ kind: 'emails', count: 3, users: 1 }],
  });
  expect(
    summary.mailboxes.map(({ mailbox, state, found, toSend }) => [mailbox, state, found, toSend]),
  ).toEqual([
    ['deals@mail.example.com', 'unknown', 1, 0],
    ['kim@example.com', 'notEnabled', 1, 0],
    ['ada@example.com', 'ready', 5, 3],
  ]);
  expect(planner.writeBroken().at(-1)).toEqual([
    'a.json',
    '7',
    '6',
    'No user of this site is among the sender and the recipients',
  ]);
  const body: unknown = JSON.parse((await planner.writeRequest(0)?.bodies[0].text()) ?? '');
  expect(body).toMatchObject([
    {
      userId: 1,
      handlerType: 1,
      emails: [{ uniqueId: '1' }, { uniqueId: '3' }, { uniqueId: '2', sentDate: '2026-03-02T08:00:00.000Z' }],
    },
  ]);
  const mapped = planner.evaluate({
    ...OPTIONS,
    chosen: new Map([['deals@mail.example.com', 1]]),
    enabledUsers: undefined,
  });
  expect(mapped.toSend.emails).toBe(5);
});

test('an Exchange name waits for its address', async () => {
  const name = '/o=exch/cn=ada';
  const planner = await plan([email('1', name, 'jo@outside.example'), email('2', 'ada@example.com', name)]);
  const before = planner.evaluate(OPTIONS);
  expect(before).toMatchObject({ broken: 2, exchangeNames: [{ name, count: 2 }] });
  const after = planner.evaluate({ ...OPTIONS, exchangeAddresses: new Map([[name, 'ada@example.com']]) });
  expect(after).toMatchObject({
    broken: 0,
    exchangeNames: [],
    toSend: { emails: 2 },
    mends: { exchangeNameReplaced: 2 },
  });
});

const listIds = (items: readonly RelationshipImportItem[]) =>
  items.flatMap(({ emails = [] }) => emails.map(({ uniqueId }) => uniqueId));

test('the items of a job are those of the requests, split before they are too large for a part', async () => {
  const many = Array.from({ length: 5000 }, (_, at) => ({
    address: `person.number.${at}@outside.example`,
    name: 'R',
  }));
  const planner = await plan(
    Array.from({ length: 12 }, (_, at) => ({
      ...email(`e${at}`, 'ada@example.com', 'x@y.example', `2026-03-${10 + at}T00:00:00Z`),
      recipientsTo: many,
    })),
  );
  planner.evaluate(OPTIONS);
  const readUploads = (maxBytes?: number) =>
    planner.listUploads('emails', maxBytes).map((upload) => planner.getUploadItems('emails', upload));
  const ids = Array.from({ length: 12 }, (_, at) => `e${at}`);
  const [items = [], ...others] = readUploads();
  expect(others).toEqual([]);
  expect(items.length).toBeGreaterThan(1);
  expect(items.every((item) => JSON.stringify(item).length < 2_000_000)).toBe(true);
  expect(listIds(items)).toEqual(ids);
  // Several jobs, each within the limit.
  const MAX_BYTES = 2_000_000;
  const uploads = readUploads(MAX_BYTES);
  expect(uploads.length).toBeGreaterThan(1);
  for (const upload of uploads) expect(JSON.stringify(upload).length).toBeLessThan(MAX_BYTES);
  expect(uploads.flatMap(listIds)).toEqual(ids);
  expect(planner.listUploads('meetings')).toEqual([]);
});

test('a request with too many bytes has several bodies, each with a user once', async () => {
  const kim = 'kim@example.com';
  const planner = await plan([
    ...Array.from({ length: 9 }, (_, at) => email(`a${at}`, 'ada@example.com', 'x@y.example')),
    ...Array.from({ length: 3 }, (_, at) => email(`b${at}`, kim, 'x@y.example')),
  ]);
  planner.evaluate({ ...OPTIONS, enabledUsers: undefined });
  expect(planner.writeRequest(0)?.bodies).toHaveLength(1);
  const MAX_BYTES = 1000;
  const bodies = planner.writeRequest(0, MAX_BYTES)?.bodies ?? [];
  expect(bodies.length).toBeGreaterThan(2);
  const sent: string[] = [];
  for (const body of bodies) {
    expect(body.size).toBeLessThanOrEqual(MAX_BYTES);
    const users = JSON.parse(await body.text()) as { userId: number; emails: { uniqueId: string }[] }[];
    expect(new Set(users.map(({ userId }) => userId)).size).toBe(users.length);
    sent.push(...users.flatMap(({ emails }) => emails.map(({ uniqueId }) => uniqueId)));
  }
  expect(sent.toSorted()).toEqual([
    ...Array.from({ length: 9 }, (_, at) => `a${at}`),
    ...Array.from({ length: 3 }, (_, at) => `b${at}`),
  ]);
});

const [FROM, TO, SENT] = [
  'From: Jo Brandt <jo@outside.example>',
  'To: Ada <ada@example.com>',
  'Date: Sun, 01 Mar 2026 08:00:00 +0000',
];
/** A header line with an id of its own for each mail. */
const ID = 'Message-ID: <a.long.enough.id.NUMBER@mail.example>';

test.each([
  ['the addresses once', [FROM, TO, SENT, ID], { toSend: 2_000 }],
  [
    'Exchange names that wait for an address',
    [FROM, TO, SENT, ID, 'Cc: "A Name" </o=exch/ou=first/cn=recipients/cn=NUMBER>'],
    { toSend: 2_000 },
  ],
  ['the ids of broken rows', [FROM, SENT, ID], { broken: 2_000 }],
  [
    'the Exchange names of broken rows',
    ['From: </o=exch/ou=first/cn=NUMBER>', TO, SENT, ID],
    { broken: 2_000 },
  ],
])('of an mbox little more than ids, times and %s remains in memory', async (_name, lines, expected) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const measure = () => {
    collect();
    return process.memoryUsage().heapUsed;
  };
  const [mails, headerBytes] = [2_000, 20_000];
  const mailbox = Array.from({ length: mails }, (_, at) =>
    [
      'From x@example.com Sun Mar 01 08:00:00 2026',
      ...lines.map((line) => line.replace('NUMBER', String(at))),
      `X-Trace: ${'0123456789'.repeat(headerBytes / 10)}`,
      '',
      'Text',
      '',
      '',
    ].join('\n'),
  );
  const file = new File(mailbox, 'a.mbox');
  mailbox.length = 0;
  const planner = new Planner();
  const before = measure();
  await planner.addFile(file, { from: 0, to: Date.UTC(2026, 5) }, () => undefined);
  const grown = measure() - before;
  const summary = planner.evaluate(OPTIONS);
  expect(summary.rows).toBe(mails);
  expect({ toSend: summary.toSend.emails, broken: summary.broken }).toMatchObject(expected);
  expect(grown).toBeLessThan((mails * headerBytes) / 10);
});

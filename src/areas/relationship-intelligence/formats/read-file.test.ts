import { expect, test } from 'vitest';
import { createZipWriter } from '../../../files/workbook/zip-writer.fixture.ts';
import { createDateReading, isBroken, normalizeItem, parseDate } from './items.ts';
import type { BrokenRow, ImportItem, Parties } from './items.ts';
import { detectFormat, readImportFile } from './read-file.ts';
import type { FileFormat } from './read-file.ts';

const PERIOD = { from: Date.UTC(2026, 0, 1), to: Date.UTC(2026, 5, 1) };

interface Read {
  format: FileFormat | undefined;
  items: ImportItem[];
  broken: BrokenRow[];
}

async function read(
  name: string,
  content: readonly BlobPart[] | string,
  exchangeAddresses: ReadonlyMap<string, string> = new Map(),
): Promise<Read> {
  const result: Read = { format: undefined, items: [], broken: [] };
  const parties: Parties = new Map();
  const file = new File(typeof content === 'string' ? [content] : [...content], name);
  const onFormat = (format: FileFormat) => {
    result.format = format;
  };
  for await (const row of readImportFile(file, {
    period: PERIOD,
    dates: createDateReading('mdy'),
    onBytes: () => undefined,
    onFormat,
  })) {
    const item = isBroken(row) ? row : normalizeItem(row, { exchangeAddresses, parties });
    if (isBroken(item)) result.broken.push(item);
    else result.items.push(item);
  }
  return result;
}

const mail = (fields: readonly string[], body = 'Hello') => `${fields.join('\r\n')}\r\n\r\n${body}\r\n`;
const SENT = 'Date: Sun, 01 Mar 2026 09:00:00 +0100';
const FROM = 'From: Ada Okafor <Ada.Okafor@Example.com>';
const TO = 'To: Jo Brandt <jo@outside.example>';
const ID = 'Message-ID: <1@example.com>';

test('an mbox keeps headers only: folded fields, encoded words, groups, Bcc and the mailbox', async () => {
  const separator = 'From 123@xxx Sun Mar 01 08:00:00 +0000 2026';
  const first = mail(
    [
      SENT,
      'From: =?utf-8?B?w4RkYQ==?=\r\n =?utf-8?Q?_Okafor?= <ada@example.com>',
      'To: Team: jo@outside.example, "Lee, Kim" <kim@outside.example>;',
      'Bcc: secret@outside.example',
      'Delivered-To: ada@example.com',
      ID,
    ],
    `${'A'.repeat(70_000)}\r\nFrom here it is text\r\n\r\nFrom now on as well\r\n`,
  );
  const second = mail([SENT, FROM, TO, 'Message-ID: <2@example.com>'], '');
  const { format, items, broken } = await read(
    'in.mbox',
    `${separator}\r\n${first}\r\n${separator}\n${second}`,
  );
  expect(format).toBe('mbox');
  expect(broken).toEqual([]);
  expect(items.map(({ row, uniqueId }) => [row, uniqueId])).toEqual([
    [1, '1@example.com'],
    [2, '2@example.com'],
  ]);
  expect(items[0]).toMatchObject({
    date: Date.UTC(2026, 2, 1, 8),
    from: { address: 'ada@example.com', name: 'Äda Okafor' },
    to: [
      { address: 'jo@outside.example', name: 'jo@outside.example' },
      { address: 'kim@outside.example', name: 'Lee, Kim' },
    ],
    mailbox: 'ada@example.com',
  });
  expect(items[0]?.mends.toSorted()).toEqual(['bccOmitted', 'groupFlattened', 'nameAdded']);
});

test('a mail behind any cut of the stream is found', async () => {
  const separator = 'From a@example.com Sun Mar 01 08:00:00 2026';
  const bytes = new TextEncoder().encode(
    [1, 2, 3].map((one) => `${separator}\n${mail([SENT, FROM, TO, `Message-ID: <${one}>`])}\n`).join(''),
  );
  for (const size of [1, 7, 64]) {
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.slice(at * size, (at + 1) * size),
    );
    const file = Object.assign(new File([bytes], 'a.mbox'), {
      stream: () =>
        new ReadableStream({
          start(controller) {
            for (const chunk of chunks) controller.enqueue(chunk);
            controller.close();
          },
        }),
    });
    const ids: string[] = [];
    for await (const row of readImportFile(file, {
      dates: createDateReading('mdy'),
      period: PERIOD,
      onBytes: () => undefined,
      onFormat: () => undefined,
    }))
      if (!isBroken(row)) ids.push(row.uniqueId ?? '');
    expect(ids).toEqual(['<1>', '<2>', '<3>']);
  }
});

test.each(['mbox', 'eml'])(
  'a file (%s) is read into the same memory from its start to its end',
  async (kind) => {
    const header = [SENT, FROM, TO, `X-Trace: ${'0123456789'.repeat(100_000)}`, 'Message-ID: <late>'];
    const separator = kind === 'mbox' ? 'From a@example.com Sun Mar 01 08:00:00 2026\n' : '';
    const bytes = new TextEncoder().encode(`${separator}${mail(header)}`);
    const memories: number[] = [];
    let at = 0;
    const source: UnderlyingByteSource = {
      type: 'bytes',
      pull(controller) {
        const request = controller.byobRequest;
        if (!request?.view) throw new Error('The reader has no memory of its own');
        const { buffer, byteOffset, byteLength } = request.view;
        const part = bytes.subarray(at, at + Math.min(byteLength, 100_000));
        new Uint8Array(buffer, byteOffset).set(part);
        memories.push(buffer.byteLength);
        at += part.length;
        if (part.length === 0) controller.close();
        request.respond(part.length);
      },
    };
    const file = Object.assign(new File([bytes], `a.${kind}`), { stream: () => new ReadableStream(source) });
    const ids: unknown[] = [];
    for await (const row of readImportFile(file, {
      dates: createDateReading('mdy'),
      period: PERIOD,
      onBytes: () => undefined,
      onFormat: () => undefined,
    }))
      ids.push(isBroken(row) ? row.reason : row.uniqueId);
    expect(ids).toEqual(['<late>']);
    expect(memories.length).toBeGreaterThan(bytes.length / 100_000);
    expect(new Set(memories).size).toBe(1);
  },
);

test('mails without a body follow each other, with either line end', async () => {
  for (const end of ['\n', '\r\n']) {
    const one = ['From a@example.com Sun Mar 01 08:00:00 2026', FROM, TO, SENT, '', ''].join(end);
    expect((await read('a.mbox', one + one + one)).items.map(({ row }) => row)).toEqual([1, 2, 3]);
  }
});

test('hostile headers break or mend their own row only', async () => {
  const mails = [
    mail([FROM, TO, 'Date: yesterday']),
    mail([SENT, 'From: /O=EXCH/OU=FIRST/CN=RECIPIENTS/CN=ADA', TO]),
    mail([SENT, FROM, 'To: undisclosed-recipients:;']),
    mail([SENT, FROM, 'To: =?utf-8?B?/////w==?= <jo@outside.example>, no address here']),
    mail([
      SENT,
      FROM,
      `To: ${Array.from({ length: 5000 }, (_, at) => `p${at}@outside.example`).join(',\r\n ')}`,
    ]),
    mail([
      SENT,
      FROM,
      `To: ${Array.from({ length: 5001 }, (_, at) => `p${at}@outside.example`).join(',\r\n ')}`,
    ]),
    mail(['Date: Thu, 01 Jan 1970 00:00:00 +0000', FROM, TO]),
    mail(['Date: Sun, 01 Mar 2026 08:00:00', FROM, TO]),
    mail([SENT, TO]),
    mail([SENT, 'From: Ada <ada@>', TO]),
    mail([SENT, `From: Ada \ud800 <ada@example.com>`, TO, `Message-ID: ${'x'.repeat(1001)}`]),
    mail(['Date: Wed, 31 Dec 1969 23:59:59 +0000', FROM, TO]),
  ];
  const results = await Promise.all(mails.map((one) => read('one.eml', one)));
  expect(results.map(({ broken }) => broken[0]?.reason)).toEqual([
    'Has a date that cannot be read',
    'The sender is the Exchange name /o=exch/ou=first/cn=recipients/cn=ada',
    'Has no recipients',
    undefined,
    undefined,
    'Has 5001 recipients; 5000 are possible',
    undefined,
    undefined,
    'Has no sender',
    'The sender has no valid e-mail address: ada@',
    undefined,
    'Has a date before 1970',
  ]);
  const item = (at: number) => results[at]?.items[0];
  expect(item(3)?.to.map(({ address }) => address)).toEqual(['jo@outside.example']);
  expect(item(3)?.mends).toContain('addressOmitted');
  expect(item(4)?.to).toHaveLength(5000);
  expect(item(6)?.date).toBe(0);
  expect(item(7)).toMatchObject({ date: Date.UTC(2026, 2, 1, 8), mends: ['zoneAssumed', 'idCreated'] });
  expect(item(10)?.uniqueId).toHaveLength(1000);
  expect(item(10)?.from.name.isWellFormed()).toBe(true);
});

test('an Exchange name is replaced by the address that was entered for it', async () => {
  const name = '/o=exch/cn=recipients/cn=ada';
  const text = mail([SENT, `From: "Ada Okafor" <${name.toUpperCase()}>`, TO, ID]);
  const { items } = await read('one.eml', text, new Map([[name, 'ada@example.com']]));
  expect(items[0]?.from.address).toBe('ada@example.com');
  expect(items[0]?.mends).toContain('exchangeNameReplaced');
});

test('an item without an id gets the same one in every import', async () => {
  const text = mail([SENT, FROM, TO]);
  const [first, second] = await Promise.all([read('a.eml', text), read('b.eml', text)]);
  expect(first?.items[0]?.uniqueId).toMatch(/^created-[0-9a-f]{16}$/);
  expect(first?.items[0]?.uniqueId).toBe(second?.items[0]?.uniqueId);
});

test('mails of a ZIP are read, other files passed over, broken archives named', async () => {
  const zip = createZipWriter('application/zip');
  await zip.add('a/1.eml', mail([SENT, FROM, TO, ID], 'x'.repeat(200_000)));
  await zip.add('notes.txt', 'hello');
  await zip.add('2.EML', mail([SENT, TO]));
  const archive = await zip.end();
  const { items, broken } = await read('mails.zip', [archive]);
  expect(items.map(({ uniqueId }) => uniqueId)).toEqual(['1@example.com']);
  expect(broken).toMatchObject([{ row: 2, reason: 'Has no sender' }]);
  const cut = await read('mails.zip', [archive.slice(0, archive.size - 40)]);
  expect(cut.items).toEqual([]);
  expect(cut.broken[0]?.reason).toContain('The archive cannot be read');
});

test('rows of a message trace that name one message become one e-mail with all recipients', async () => {
  const trace = [
    'Received,SenderAddress,RecipientAddress,Subject,Status,MessageId',
    '2026-03-01T08:00:05,ada@example.com,jo@outside.example,"a, ""b""\r\nc",Delivered,<1@x>',
    '2026-03-01T08:00:00,ada@example.com,kim@outside.example,Hi,Delivered,<1@x>',
    '2026-03-01T09:00:00,,jo@outside.example,Hi,Delivered,<2@x>',
  ].join('\r\n');
  const { format, items, broken } = await read('trace.csv', trace);
  expect(format).toBe('exchange');
  expect(items).toMatchObject([
    {
      uniqueId: '1@x',
      date: Date.UTC(2026, 2, 1, 8),
      to: [{ address: 'jo@outside.example' }, { address: 'kim@outside.example' }],
      mends: ['nameAdded'],
    },
  ]);
  expect(broken).toMatchObject([{ row: 4, reason: 'Has no sender' }]);
});

test('the summary report of Exchange and the log of Google are known by their columns', async () => {
  const exchange = await read(
    'summary.csv',
    'origin_timestamp_utc,sender_address,recipient_status,message_id\n2026-03-01T08:00:00.1,ada@example.com,"jo@outside.example##Receive, Deliver;kim@outside.example##Receive, Fail",<1@x>\n',
  );
  expect(exchange.format).toBe('exchange');
  expect(exchange.items[0]?.to.map(({ address }) => address)).toEqual([
    'jo@outside.example',
    'kim@outside.example',
  ]);
  const google = await read(
    'log.csv',
    'Message ID,Start date,End date,Sender,Message size,Subject,Recipient address,Event target\n<1@x>,2026/03/01 08:00:00 UTC,,ada@example.com,1,Hi,jo@outside.example,SMTP_OUT\n<1@x>,2026/03/01 07:59:59 UTC,,ada@example.com,1,Hi,jo@outside.example,GMAIL_INBOX\n',
  );
  expect(google.format).toBe('google');
  expect(google.items).toMatchObject([{ date: Date.UTC(2026, 2, 1, 7, 59, 59), to: [{}] }]);
});

test('a table with the properties of the import has names, copies and the person', async () => {
  const { format, items, broken } = await read(
    'own.csv',
    'sep;uniqueId;sentDate;sender;senderName;recipientsTo;recipientsCc;userId\n;1;2026-03-01T08:00:00Z;ada@example.com;Ada;"Jo <jo@outside.example>, kim@outside.example";lee@outside.example;1042\n;2;x;ada@example.com;Ada;jo@outside.example;;1042\n',
  );
  expect(format).toBe('csv');
  expect(items[0]).toMatchObject({
    from: { name: 'Ada' },
    to: [{ name: 'Jo' }, { address: 'kim@outside.example' }],
    cc: [{ address: 'lee@outside.example' }],
    userId: 1042,
  });
  expect(broken).toMatchObject([{ row: 3, label: '2', reason: 'Has a date that cannot be read' }]);
  const unknown = await read('other.csv', 'a,b\n1,2\n');
  expect(unknown.broken[0]?.reason).toContain('The columns are not known');
});

test.each([
  ['3/1/2026 10:00:00 PM', '2026-03-01T22:00:00.000Z', true],
  ['3/1/2026 10:00:00 PM +02:00', '2026-03-01T20:00:00.000Z', false],
  ['01.03.2026 22:00', '2026-03-01T22:00:00.000Z', true],
  ['1.3.26', '2026-03-01T00:00:00.000Z', true],
  ['1-Mar-2026', '2026-03-01T00:00:00.000Z', true],
  ['2026-03-01 10:00:00-0500', '2026-03-01T15:00:00.000Z', false],
  ['Sun, 1 Mar 2026 10:00:00 GMT', '2026-03-01T10:00:00.000Z', false],
])('%s has the time of its zone, or of UTC without one', (text, date, isZoneMissing) => {
  expect(parseDate(text)).toEqual({ date: Date.parse(date), isZoneMissing });
});

test.each(['2026-02-31T10:00:00Z', '31.02.2026 22:00', '2/31/2026 10:00:00 PM'])(
  '%s is no date, because the day does not exist',
  (text) => {
    expect(parseDate(text).date).toBeNaN();
  },
);

test('a wrong quotation mark breaks its own row, also behind empty lines', async () => {
  const { items, broken } = await read(
    'own.csv',
    [
      '',
      'uniqueId,sentDate,sender,recipientsTo',
      '',
      '1,2026-03-01T08:00:00Z,"Okafor, Ada <ada@example.com>",jo@outside.example',
      '2,2026-03-01T08:00:00Z,ada@example.com,"jo@outside.example"x',
      '',
    ].join('\r\n'),
  );
  expect(items).toMatchObject([{ row: 4, uniqueId: '1', from: { address: 'ada@example.com' } }]);
  expect(broken).toEqual([{ row: 5, reason: 'A quotation mark is not closed or not doubled' }]);
});

test('a byte order mark, UTF-16 and Windows-1252 are understood', async () => {
  const mbox = `From a@example.com Sun Mar 01 08:00:00 2026\n${mail([SENT, FROM, TO, ID])}`;
  expect((await read('a.mbox', `\ufeff${mbox}`)).items).toHaveLength(1);
  const table =
    'uniqueId,sentDate,sender,recipientsTo\n1,2026-03-01T08:00:00Z,Zoë <ada@example.com>,jo@outside.example\n';
  const utf16 = Uint16Array.from(`\ufeff${table}`, (letter) => letter.charCodeAt(0));
  const western = Uint8Array.from(table, (letter) => letter.charCodeAt(0));
  const json = Uint16Array.from('\ufeff[{"a":1}]', (letter) => letter.charCodeAt(0));
  for (const content of [utf16, western, `\ufeff${table}`]) {
    const { format, items } = await read('a.csv', [content]);
    expect([format, items[0]?.from.name]).toEqual(['csv', 'Zoë']);
  }
  expect((await read('a.json', [json])).broken).toMatchObject([{ reason: 'Has no date' }]);
});

const EMAIL = {
  uniqueId: 'a',
  sentDate: '2026-03-01T08:00:00Z',
  modifiedDate: '2026-03-02T08:00:00Z',
  sender: { address: 'ada@example.com', name: 'Ada' },
  recipientsTo: [{ address: 'jo@outside.example', name: 'Jo' }],
};

test('JSON and NDJSON have the shape of the request, or one item an object', async () => {
  const request = [
    { userId: 1042, handlerType: 1, emails: [EMAIL, 'no'] },
    { userId: 1043, handlerType: 2, emails: [EMAIL] },
    {
      mailbox: 'kim@example.com',
      UNIQUEID: 'b',
      startDate: '2026-03-01T08:00:00Z',
      organizer: EMAIL.sender,
      attendees: EMAIL.recipientsTo,
    },
    7,
  ];
  const json = await read('a.json', JSON.stringify(request));
  const ndjson = await read(
    'a.ndjson',
    `${request.map((one) => JSON.stringify(one)).join('\r\n')}\n{"cut": `,
  );
  expect(ndjson.format).toBe('ndjson');
  for (const { items, broken } of [json, ndjson]) {
    expect(items).toMatchObject([
      { kind: 'emails', userId: 1042, modified: Date.UTC(2026, 2, 2, 8), mends: [] },
      { kind: 'meetings', uniqueId: 'b', mailbox: 'kim@example.com', mends: ['endAssumed'] },
    ]);
    expect(broken.slice(0, 3).map(({ reason }) => reason)).toEqual([
      'Is not an object',
      'The handler type is not 1, which alone is available',
      'Is not an object',
    ]);
  }
  expect(ndjson.broken.at(-1)?.reason).toBe('The line is not JSON');
  expect((await read('cut.json', '[{"a":')).broken[0]?.reason).toContain('It may be cut off');
});

const event = (lines: readonly string[]) =>
  [
    'BEGIN:VEVENT',
    'ORGANIZER;CN=Ada:mailto:ada@example.com',
    'ATTENDEE;CN=Jo:mailto:jo@outside.example',
    ...lines,
    'END:VEVENT',
  ].join('\r\n');

test('calendar times are those of the zone of the file, of the browser, or UTC', async () => {
  const zone = [
    'BEGIN:VTIMEZONE',
    'TZID:Fixed Plus Two',
    'BEGIN:STANDARD',
    'DTSTART:19700101T000000',
    'TZOFFSETFROM:+0200',
    'TZOFFSETTO:+0200',
    'END:STANDARD',
    'END:VTIMEZONE',
  ].join('\r\n');
  const starts = [
    'DTSTART;TZID=Fixed Plus Two:20260301T100000',
    'DTSTART;TZID=Europe/Berlin:20260301T090000',
    'DTSTART;TZID=Nowhere/Here:20260301T080000',
    'DTSTART:20260301T080000Z',
    'DTSTART;VALUE=DATE:20260301',
  ];
  const { items, broken } = await read(
    'a.ics',
    `BEGIN:VCALENDAR\r\n${zone}\r\n${starts.map((start, at) => event([`UID:${at}`, start])).join('\r\n')}\r\nEND:VCALENDAR`,
  );
  expect(broken).toEqual([]);
  expect(items.map(({ date }) => new Date(date).toISOString().slice(0, 16))).toEqual([
    '2026-03-01T08:00',
    '2026-03-01T08:00',
    '2026-03-01T08:00',
    '2026-03-01T08:00',
    '2026-03-01T00:00',
  ]);
  expect(items.map(({ mends }) => mends)).toEqual([
    ['endAssumed'],
    ['endAssumed'],
    ['zoneAssumed', 'endAssumed'],
    ['endAssumed'],
    [],
  ]);
  expect(items[4]?.end).toBe(Date.UTC(2026, 2, 2));
});

test('a recurring event becomes a meeting for each occurrence of the period, bounded', async () => {
  const weekly = [
    event([
      'UID:w',
      'DTSTART:20251201T100000Z',
      'DTEND:20251201T110000Z',
      'RRULE:FREQ=WEEKLY',
      'EXDATE:20260105T100000Z',
    ]),
    // The exception may stand behind or before its event.
    event(['UID:w', 'RECURRENCE-ID:20260112T100000Z', 'DTSTART:20260112T150000Z', 'DTEND:20260112T160000Z']),
  ].join('\r\n');
  const { items } = await read('w.ics', `BEGIN:VCALENDAR\r\n${weekly}\r\nEND:VCALENDAR`);
  expect(
    items
      .toSorted((a, b) => a.date - b.date)
      .slice(0, 3)
      .map(({ uniqueId, date, end }) => [uniqueId, new Date(date).toISOString(), (end - date) / 60_000]),
  ).toEqual([
    ['w/2026-01-12T10:00:00', '2026-01-12T15:00:00.000Z', 60],
    ['w/2026-01-19T10:00:00', '2026-01-19T10:00:00.000Z', 60],
    ['w/2026-01-26T10:00:00', '2026-01-26T10:00:00.000Z', 60],
  ]);
  const endless = await read(
    'e.ics',
    `BEGIN:VCALENDAR\n${event(['UID:e', 'DTSTART:20260101T000000Z', 'RRULE:FREQ=MINUTELY'])}\nEND:VCALENDAR`,
  );
  expect(endless.items).toHaveLength(730);
  expect(endless.items.at(-1)?.mends).toContain('occurrencesLimited');
});

test('times of a recurrence in UTC are compared in the zone of the event', async () => {
  const events = [
    event([
      'UID:a',
      'DTSTART;TZID=Europe/Berlin:20260302T100000',
      'DTEND;TZID=Europe/Berlin:20260302T110000',
      'RRULE:FREQ=DAILY;UNTIL=20260306T090000Z',
      'EXDATE:20260303T090000Z',
    ]),
    event(['UID:a', 'RECURRENCE-ID:20260304T090000Z', 'DTSTART:20260304T150000Z', 'DURATION:PT1H']),
    event(['UID:a', 'RECURRENCE-ID:20260305T090000Z', 'DTSTART:20260305T090000Z', 'STATUS:CANCELLED']),
    event(['UID:b', 'DTSTART:20260302T080000Z', 'RDATE;VALUE=PERIOD:20260303T080000Z/PT2H']),
  ];
  const { items, broken } = await read('a.ics', `BEGIN:VCALENDAR\r\n${events.join('\r\n')}\r\nEND:VCALENDAR`);
  expect(items.map(({ date }) => new Date(date).toISOString().slice(0, 16)).toSorted()).toEqual([
    '2026-03-02T08:00',
    '2026-03-02T09:00',
    '2026-03-03T08:00',
    '2026-03-04T15:00',
    '2026-03-06T09:00',
  ]);
  expect(broken.map(({ reason }) => reason)).toEqual(['The meeting was cancelled']);
});

test('broken events give a reason, the others are read', async () => {
  const events = [
    event(['UID:a']),
    event(['UID:b', 'DTSTART:notadate']),
    event(['UID:c', 'DTSTART:20260301T080000Z', 'STATUS:CANCELLED']),
    'BEGIN:VEVENT\r\nUID:d\r\nDTSTART:20260301T080000Z\r\nEND:VEVENT',
    event(['UID:e', 'DTSTART:20260301T080000Z']),
    'BEGIN:VEVENT\r\nUID:f',
  ].join('\r\n');
  const { items, broken } = await read('a.ics', `BEGIN:VCALENDAR\r\n${events}`);
  expect(items.map(({ uniqueId }) => uniqueId)).toEqual(['e']);
  expect(broken.map(({ row }) => row)).toEqual([1, 2, 3, 4, 6]);
  expect(broken.map(({ reason }) => reason)).toContain('The meeting was cancelled');
});

test.each([
  ['x.ost', '!BDN\u0001\u0000', 'pst'],
  ['x.bin', '\u0000\u0001', 'unknown'],
  ['x', 'hello', 'unknown'],
  ['x', 'From a Sun Mar 01 08:00:00 2026\n', 'mbox'],
  ['x', 'Received: from x\r\n', 'eml'],
  ['x.jsonl', '{"a":1}', 'ndjson'],
  ['x', '\ufeff[{}]', 'json'],
  ['x.txt', 'Received;SenderAddress', 'csv'],
])('the format of %s is found', (name, text, format) => {
  expect(detectFormat(name, new TextEncoder().encode(text))).toBe(format);
});

test('a PST file is refused with the formats to export', async () => {
  const { items, broken } = await read('mails.pst', '!BDN\u0001\u0000');
  expect([items, broken]).toEqual([
    [],
    [{ row: 1, reason: "PST files aren't supported. Export them as mbox or eml." }],
  ]);
});

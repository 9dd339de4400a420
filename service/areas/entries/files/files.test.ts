import { createHash } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DataRequestResultVm, FileValueVm } from '../../../../contract/generated/types.gen.ts';
import type { ErrorBody, Reply } from '../../../testing/calls.ts';
import {
  DATA,
  makeThings,
  nextTimestamp,
  type TestFile,
  type Things,
  uploadFiles,
} from '../../../testing/entries/entries.ts';
import { dataDir, onEachApp } from '../../../testing/site.ts';

const bytes = (hex: string, rest = '') => Buffer.concat([Buffer.from(hex, 'hex'), Buffer.from(rest)]);
const hex4 = (value: number) => value.toString(16).padStart(8, '0');
const png = (width: number, height: number) =>
  bytes(`89504e470d0a1a0a0000000d49484452${hex4(width)}${hex4(height)}0806000000`, 'a picture');
const PNG = png(2, 3);
const GIF = bytes('47494638396102000300', '/*<script>alert(1)</script>*/');
const JPEG = bytes('ffd8ffe000040000ffc0000b080003000201011100', 'a photo');
const WEBP = bytes('524946460000000057454250565038580a00000000000000010000020000', 'a picture');
const WAVE = bytes('524946460000000057415645', 'a sound');
const PDF = Buffer.from('%PDF-1.7 <html><script>');
const SVG = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>');
const HTML = Buffer.from('<!doctype html><script>alert(1)</script>');

onEachApp((context) => {
  let things: Things;
  beforeAll(async () => {
    things = await makeThings(context());
  });

  const send = (
    entryId: number,
    files: readonly TestFile[],
    storeRequests: readonly object[] = [],
    parts = files,
  ): Promise<Reply<DataRequestResultVm[] & ErrorBody>> =>
    uploadFiles(context().app, things, { entryId, files, storeRequests, parts });

  const create = async (name: string) => (await things.create({ Name: name }))[0] ?? 0;
  const stored = async (entryId: number, field: string) =>
    (await things.query({ EntryId: entryId }, { wrapIntoArrays: true })).rows[0]?.[field];

  const read = (entryId: number, field: string, headers: Record<string, string> = {}, options = '') =>
    context().app.inject({
      method: 'GET',
      url: `${DATA}/entryfiles/${entryId}/fields/${field}${options}`,
      headers: { authorization: `Bearer ${things.person.token}`, ...headers },
    });

  const countDownloads = async () => {
    const { rows } = await sql<{ count: number }>`select count(*)::int as count from activity
      where site_id = ${things.siteId} and export_data_type = 3`.execute(context().db);
    return rows[0]?.count ?? 0;
  };

  describe('detects the media type by the content', () => {
    test.each([
      ['image/png', PNG, 'inline'],
      ['image/gif', GIF, 'inline'],
      ['image/jpeg', JPEG, 'inline'],
      ['image/webp', WEBP, 'inline'],
      ['application/pdf', PDF, 'attachment'],
      ['application/zip', bytes('504b0304'), 'attachment'],
      ['application/octet-stream', WAVE, 'attachment'],
      ['application/octet-stream', bytes('89504e470d0a1a0a', 'no size'), 'attachment'],
      ['application/octet-stream', png(50_000, 50_000), 'attachment'],
      ['application/octet-stream', SVG, 'attachment'],
      ['application/octet-stream', HTML, 'attachment'],
      ['application/octet-stream', Buffer.alloc(0), 'attachment'],
    ])('%s', async (type, content, disposition) => {
      const entryId = await create(`A ${type} ${content.length}`);
      expect((await send(entryId, [{ field: 'Plan', name: 'logo.png', content }])).status).toBe(200);
      expect(await stored(entryId, 'Plan')).toMatchObject({
        name: 'logo.png',
        contentType: type,
        size: content.length,
      });
      const { headers, rawPayload, statusCode } = await read(entryId, 'plan');
      expect([statusCode, rawPayload.equals(content)]).toEqual([200, true]);
      expect(headers).toMatchObject({
        'content-type': type,
        'content-length': String(content.length),
        'x-content-type-options': 'nosniff',
        'content-security-policy': "default-src 'none'; sandbox",
      });
      expect(headers['content-disposition']).toMatch(new RegExp(`^${disposition}; filename="logo.png"; `));
      const image = await send(entryId, [{ field: 'Logo', content }]);
      expect(image.status).toBe(disposition === 'inline' ? 200 : 400);
    });
  });

  test('parts of one file are one download in the activity report, whichever comes first', async () => {
    const entryId = await create('Read in parts');
    await send(entryId, [{ field: 'Plan', content: PDF }]);
    const before = await countDownloads();
    for (const range of ['bytes=5-9', 'bytes=0-4', 'bytes=5-9'])
      expect((await read(entryId, 'Plan', { range })).statusCode).toBe(206);
    expect(await countDownloads()).toBe(before + 1);
    await read(entryId, 'Plan');
    expect(await countDownloads()).toBe(before + 2);
    await send(entryId, [{ field: 'Plan', content: Buffer.from('%PDF-1.7 another version') }]);
    await read(entryId, 'Plan', { range: 'bytes=5-9' });
    expect(await countDownloads()).toBe(before + 3);
  });

  test('says since when the field has had a file', async () => {
    const entryId = await create('Dated');
    const readDate = async (file: string) => {
      const { headers } = await read(entryId, `Papers?seqNumber=${file}`);
      return Date.parse(String(headers['last-modified'])) / 1000;
    };
    const readChange = async (order: 'min' | 'max') => {
      const { rows } = await sql<{ at: Date }>`select ${sql.raw(order)}(at) as at from cell_log
        where site_id = ${things.siteId} and entry_id = ${entryId}`.execute(context().db);
      return Math.floor((rows[0]?.at.getTime() ?? 0) / 1000);
    };
    await send(entryId, [{ field: 'Papers', name: 'one.pdf', content: PDF }]);
    // Dates of responses have seconds.
    await context()
      .db.updateTable('cell_log')
      .set({ at: new Date('2026-01-01T00:00:00Z') })
      .where('entry_id', '=', entryId)
      .execute();
    const first = await readDate('0');
    expect(first).toBe(await readChange('max'));
    await send(entryId, [{ field: 'Papers', name: 'two.txt', content: HTML }]);
    expect([await readDate('0'), await readDate('1')]).toEqual([first, await readChange('max')]);
    const part = await read(entryId, 'Papers', { range: 'bytes=5-9' });
    expect([part.statusCode, part.headers['last-modified']]).toEqual([206, undefined]);
    const asOf = await read(entryId, 'Papers', {}, `?asOf=${new Date().toISOString()}`);
    expect([asOf.statusCode, asOf.headers['last-modified']]).toEqual([200, undefined]);
  });

  test('stores nothing of a request with a rejected file', async () => {
    const entryId = await create('Refused');
    const items = things.items(entryId, { Score: 1 });
    const wrong = await send(
      entryId,
      [
        { field: 'Plan', content: PDF },
        { field: 'Photos', name: 'a.png', content: SVG },
      ],
      items,
    );
    expect([wrong.status, wrong.body.errors]).toEqual([
      400,
      [
        {
          path: 'binaryStoreRequests.1',
          message: '"a.png" is not a PNG, JPEG, GIF or WebP image of at most 40 million pixels',
        },
      ],
    ]);
    const text = await send(entryId, [{ field: 'Note', content: PDF }]);
    expect(text.body.errors).toEqual([
      { path: 'binaryStoreRequests.0.fieldId', message: 'Note holds no files' },
    ]);
    const short = await send(entryId, [{ field: 'Plan', content: PDF }], items, []);
    expect([short.status, short.body.errors?.[0]?.path]).toEqual([400, 'binaryStoreRequests']);
    expect((await send(2_000_000_000, [{ field: 'Plan', content: PDF }])).status).toBe(400);
    expect(Object.keys((await things.query({ EntryId: entryId })).rows[0] ?? {})).toEqual([
      'EntryId',
      'Name',
      'No',
    ]);
  });

  test('creates an entry together with its files', async () => {
    const { body, status } = await send(
      -1,
      [{ field: 'Plan', content: PDF }],
      things.items(-1, { Name: 'With a plan' }),
    );
    expect(status).toBe(200);
    expect(body.map(({ entryId }) => entryId)).toEqual([body[0]?.entryId, body[0]?.entryId]);
    expect((await read(body[0]?.entryId ?? 0, 'Plan')).statusCode).toBe(200);
  });

  test('addresses several files of a field by seqNumber and keeps selected ones', async () => {
    const entryId = await create('Photos');
    await send(
      entryId,
      [PNG, GIF].map((content, at) => ({ field: 'Photos', name: `${at}.png`, content })),
    );
    await send(entryId, [{ field: 'Photos', name: '2.jpg', content: JPEG }]);
    const photos = (await stored(entryId, 'Photos')) as FileValueVm[];
    expect(photos.map(({ name, seqNumber }) => [name, seqNumber])).toEqual([
      ['0.png', 0],
      ['1.png', 1],
      ['2.jpg', 2],
    ]);
    const { id } = things.field('Photos');
    for (const [seqNumber, content] of [PNG, GIF, JPEG].entries()) {
      expect(photos[seqNumber]?.url).toBe(
        `${DATA}/entryfiles/${entryId}/fields/${id}?seqNumber=${seqNumber}`,
      );
      expect(
        (await read(entryId, String(id), {}, `?seqNumber=${seqNumber}`)).rawPayload.equals(content),
      ).toBe(true);
    }
    expect((await read(entryId, 'Photos')).rawPayload.equals(PNG)).toBe(true);
    expect((await read(entryId, 'Photos', {}, '?seqNumber=3')).statusCode).toBe(404);
    expect((await read(entryId, 'Photos', {}, '?seqNumber=-1')).statusCode).toBe(400);
    await things.update(entryId, { Photos: [photos[2]?.id, photos[0]?.id] });
    expect(await stored(entryId, 'Photos')).toMatchObject([{ name: '2.jpg' }, { name: '0.png' }]);
    expect((await things.store('put', things.items(entryId, { Photos: [photos[1]?.id] }))).status).toBe(400);
    await things.update(entryId, { Photos: null });
    expect(await stored(entryId, 'Photos')).toBeUndefined();
    expect((await read(entryId, 'Photos')).statusCode).toBe(404);
    expect(await things.names({ Name: 'Photos', Photos: '$noData' })).toEqual(['Photos']);
  });

  test('the same file again changes nothing; under another name it is rejected', async () => {
    const entryId = await create('The same file');
    const plan = { field: 'Papers', name: 'plan.pdf', content: PDF };
    const twice = await send(entryId, [plan, { ...plan, name: 'copy of plan.pdf' }]);
    expect([twice.status, twice.body.errors]).toEqual([
      400,
      [
        {
          path: 'binaryStoreRequests.1',
          message: '"copy of plan.pdf" is the same file as "plan.pdf", which Papers holds',
        },
      ],
    ]);
    expect(await stored(entryId, 'Papers')).toBeUndefined();
    for (const files of [[plan, plan], [plan]]) expect((await send(entryId, files)).status).toBe(200);
    expect((await send(entryId, [{ ...plan, name: 'new name.pdf' }])).status).toBe(400);
    expect(await stored(entryId, 'Papers')).toMatchObject([{ name: 'plan.pdf' }]);
    const renamed = await send(
      entryId,
      [{ ...plan, name: 'new name.pdf' }],
      things.items(entryId, { Papers: null }),
    );
    expect(renamed.status).toBe(200);
    expect(await stored(entryId, 'Papers')).toMatchObject([{ name: 'new name.pdf' }]);
  });

  test('a single-file field takes one file of a request, also when the request clears it', async () => {
    const entryId = await create('One of two');
    const plan = { field: 'Plan', name: 'plan.pdf', content: PDF };
    const papers = { ...plan, field: 'Papers' };
    const twice = await send(entryId, [papers, plan, { ...plan, name: 'other.html', content: HTML }]);
    const message = `Plan of entry ${entryId} is already written by binaryStoreRequests.1`;
    expect([twice.status, twice.body.errors]).toEqual([400, [{ path: 'binaryStoreRequests.2', message }]]);
    expect(await stored(entryId, 'Plan')).toBeUndefined();
    const cleared = things.items(entryId, { Plan: null });
    expect((await send(entryId, [plan], cleared)).status).toBe(200);
    expect((await send(entryId, [plan, plan], cleared)).status).toBe(400);
    expect(await stored(entryId, 'Plan')).toMatchObject({ name: 'plan.pdf' });
  });

  test('a single-file field has the last uploaded file', async () => {
    const entryId = await create('One file');
    const beforeEntry = new Date(Date.now() - 3_600_000).toISOString();
    await send(entryId, [{ field: 'Logo', content: PNG }]);
    const between = await nextTimestamp();
    await send(entryId, [{ field: 'Logo', content: JPEG }]);
    expect((await read(entryId, 'Logo')).rawPayload.equals(JPEG)).toBe(true);
    // The one before it stays readable.
    const earlier = await read(entryId, 'Logo', {}, `?asOf=${between}`);
    expect([earlier.headers['content-type'], earlier.rawPayload.equals(PNG)]).toEqual(['image/png', true]);
    const statuses = [beforeEntry, '2999-01-01T00:00:00Z'].map((at) =>
      read(entryId, 'Logo', {}, `?asOf=${at}`),
    );
    expect((await Promise.all(statuses)).map(({ statusCode }) => statusCode)).toEqual([404, 400]);
  });

  test('stores identical content once and serves ranges and conditional requests', async () => {
    const content = Buffer.from(`%PDF-${'0123456789'.repeat(10_000)}`);
    const [one, other] = [await create('Once'), await create('Twice')];
    await send(one, [{ field: 'Plan', content }]);
    await send(other, [
      { field: 'Papers', content },
      { field: 'Plan', content },
    ]);
    const hex = createHash('sha256').update(content).digest('hex');
    expect(await readdir(join(dataDir, 'files', hex.slice(0, 2)))).toContain(hex);
    const rows = await context()
      .db.selectFrom('stored_file')
      .select('size')
      .where('site_id', '=', things.siteId)
      .where('size', '=', content.length)
      .execute();
    expect(rows).toHaveLength(1);
    await expect.poll(() => readdir(join(dataDir, 'uploads'))).toEqual([]);
    const { headers } = await read(one, 'Plan');
    const etag = String(headers.etag);
    expect((await read(other, 'Papers')).headers.etag).toBe(etag);
    expect((await read(one, 'Plan', { 'if-none-match': etag })).statusCode).toBe(304);
    const part = await read(one, 'Plan', { range: 'bytes=5-14' });
    expect([part.statusCode, part.payload, part.headers['content-range']]).toEqual([
      206,
      '0123456789',
      `bytes 5-14/${content.length}`,
    ]);
    expect((await read(one, 'Plan', { range: 'bytes=900000-' })).statusCode).toBe(416);
    expect((await read(one, 'Plan', { range: 'bytes=5-14', 'if-range': '"another"' })).statusCode).toBe(200);
  });

  test.each([
    ['a"; filename="b.exe', 'a__ filename__b.exe'],
    ['a\r\nSet-Cookie: x=y', 'a__Set-Cookie_ x_y'],
    ['../../etc/passwd', '.._.._etc_passwd'],
    ['Prüfung 日本.pdf', 'Pr_fung __.pdf'],
    ['\u202egnp.exe', '_gnp.exe'],
  ])('treats the file name %j as text only', async (name, plain) => {
    const entryId = await create(`Named ${plain}`);
    expect((await send(entryId, [{ field: 'Plan', name, content: PDF }])).status).toBe(200);
    expect(await stored(entryId, 'Plan')).toMatchObject({ name });
    const { headers } = await read(entryId, 'Plan');
    const exact = /filename\*=UTF-8''(\S+)$/.exec(String(headers['content-disposition']))?.[1] ?? '';
    expect(String(headers['content-disposition'])).toContain(`filename="${plain}"`);
    expect(decodeURIComponent(exact)).toBe(name);
    expect(headers).not.toHaveProperty('set-cookie');
  });

  test('returns 404 for files of deleted entries, other fields and other sites', async () => {
    const entryId = await create('Gone');
    await send(entryId, [{ field: 'Plan', content: PDF }]);
    const foreign = await makeThings(context());
    const theirs = await foreign.api.get(`${DATA}/entryfiles/${entryId}/fields/Plan`);
    expect(theirs.status).toBe(404);
    expect((await read(entryId, 'Nothing')).statusCode).toBe(404);
    expect((await read(entryId, 'Note')).statusCode).toBe(400);
    expect((await read(entryId, 'Logo')).statusCode).toBe(404);
    await things.remove(entryId);
    expect((await read(entryId, 'Plan')).statusCode).toBe(404);
  });
});

import { globSync, readFileSync } from 'node:fs';
import { deflateSync, crc32 } from 'node:zlib';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type { MailPreview, SiteBrand } from '../../../contract/generated/types.gen.ts';
import { claimDueMails } from '../../kernel/mail/mail.store.ts';
import type { ErrorBody } from '../../testing/calls.ts';
import { as, makePerson, makeSite, onEachApp, type Person } from '../../testing/site.ts';
import { registry } from '../registry.ts';
import { MAX_LOGO_BYTES, readLogo } from './logo.ts';

const BRAND = '/api/session/brand';
const UPDATE = '/api/rest/v1/management/settings/brand';
const MAILS = '/api/rest/v1/management/settings/mails';

/** A part of a PNG file: length, type, data and checksum. */
function buildChunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(typed));
  return Buffer.concat([length, typed, sum]);
}

/** A PNG file of this size in pixels. */
function buildPng(width: number, height: number): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width);
  header.writeUInt32BE(height, 4);
  header.set([8, 0], 8);
  return Buffer.concat([
    Buffer.from('89504e470d0a1a0a', 'hex'),
    buildChunk('IHDR', header),
    buildChunk('IDAT', deflateSync(Buffer.alloc(height * (width + 1)))),
    buildChunk('IEND', Buffer.alloc(0)),
  ]).toString('base64');
}
const logo = buildPng(64, 16);
const toBase64 = (text: string) => Buffer.from(text).toString('base64');

test('a logo is a PNG, JPEG or WebP picture within the limits, by its content', () => {
  expect(readLogo(logo)).toMatchObject({ type: 'image/png', width: 64, height: 16 });
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><script>alert(1)</script></svg>';
  for (const content of [svg, 'GIF89a\u0001\u0000\u0001\u0000', '', 'text'])
    expect(readLogo(toBase64(content))).toBe('must be a PNG, JPEG or WebP picture');
  expect(readLogo(buildPng(2001, 2))).toBe('is 2001 by 2 pixels; each side may have 1 to 2000');
  expect(readLogo(Buffer.alloc(MAX_LOGO_BYTES + 1).toString('base64'))).toBe(
    'has 65537 bytes; at most 65536 are allowed',
  );
});

test('every function that composes a mail has an example', () => {
  const files = globSync('service/**/{mails,messages}.ts').map((file) => readFileSync(file, 'utf8'));
  const composers = files.flatMap((text) =>
    [...text.matchAll(/^export function (\w+Mail)\(/gm)].map(([, name = '']) => name),
  );
  expect(composers.length).toBeGreaterThan(10);
  const examples = registry.mailExamples.map(({ compose }) => String(compose)).join('\n');
  expect(composers.filter((name) => !examples.includes(name))).toEqual([]);
});

onEachApp((context) => {
  let person: Person;
  beforeEach(async () => {
    person = await makePerson(context().db, await makeSite(context().db), {});
  });
  const api = () => as(context().app, person, 'console');

  test('stores logo and color, records what changed, and prints both in mails', async () => {
    const { db } = context();
    expect((await api().get<SiteBrand>(BRAND)).body).toEqual({ color: null, logo: null });
    const { status, body, headers } = await api().put<SiteBrand>(UPDATE, { color: '#1B4F8A', logo });
    expect([status, body]).toEqual([
      200,
      { color: '#1b4f8a', logo: { type: 'image/png', width: 64, height: 16, data: logo } },
    ]);
    expect((await api().get<SiteBrand>(BRAND)).body).toEqual(body);
    // What is not named is kept; what is equal leaves no audit row.
    await api().put(UPDATE, { color: '#1b4f8a' });
    const { rows } = await sql<{ changes: Record<string, string[]> }>`select changes from audit_log
      where site_id = ${person.siteId} and action = 'site.brand'`.execute(db);
    expect(rows).toMatchObject([
      { changes: { color: [null, '#1b4f8a'], logo: [null, expect.stringContaining('64 × 16')] } },
    ]);
    const stale = await api().put(UPDATE, { color: null }, { headers: { 'if-match': '"0"' } });
    expect([stale.status, headers['etag']]).toEqual([412, '"1"']);

    await sql`delete from mail`.execute(db);
    expect((await api().post(`${MAILS}/invitation/test`)).status).toBe(202);
    const [mail] = await claimDueMails(db, 1);
    expect(mail).toMatchObject({ recipient: person.email, color: '#1b4f8a', logo: { width: 64 } });
    expect(mail?.subject).toMatch(/^Test: Invitation to /);
    expect(mail?.logo?.content.toString('base64')).toBe(logo);
    expect((await api().put<SiteBrand>(UPDATE, { logo: null })).body).toEqual({
      color: '#1b4f8a',
      logo: null,
    });
  });

  test('refuses a color that is too light and a picture that is none, both at once', async () => {
    const refused = await api().put<ErrorBody>(UPDATE, { color: '#ffee00', logo: toBase64('<svg/>') });
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([400, ['color', 'logo']]);
    expect((await api().get<SiteBrand>(BRAND)).body).toEqual({ color: null, logo: null });
  });

  test('lists every mail with example values of the site; an unknown mail is not sent', async () => {
    const { body } = await api().get<MailPreview[]>(MAILS);
    expect(body.map(({ id }) => id)).toEqual(registry.mailExamples.map(({ id }) => id));
    for (const { text, blocks } of body) {
      expect(text).toMatch(/^Hello Zoë,\n\n/);
      expect(blocks.map((block) => block.text).join('\n\n')).toBe(text.trim());
    }
    expect((await api().post(`${MAILS}/nothing/test`)).status).toBe(404);
  });
});

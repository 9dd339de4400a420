import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createFolderStore } from '../files/folder-store.ts';
import { registerErrorHandlers } from './error-responses.ts';
import { sendFile } from './file-response.ts';

const TEXT = '0123456789abcdef';
const app = fastify();
let dir = '';

beforeAll(async () => {
  registerErrorHandlers(app);
  dir = await mkdtemp(join(tmpdir(), 'steward-files-'));
  await writeFile(join(dir, 'content'), TEXT);
  app.get<{ Querystring: { name?: string; inline?: string } }>('/file', (request, reply) =>
    sendFile(request, reply, {
      blobs: createFolderStore(dir),
      file: {
        blob: 'content',
        type: 'image/png',
        name: request.query.name ?? 'picture.png',
        inline: request.query.inline !== undefined,
        etag: '"version-1"',
      },
    }),
  );
});
afterAll(async () => {
  await app.close();
  await rm(dir, { recursive: true });
});

const get = (headers: Record<string, string> = {}, query: Record<string, string> = {}) =>
  app.inject({ url: '/file', headers, query });

test('sends the whole file with length and entity tag, and headers against executing it', async () => {
  const reply = await get();
  expect(reply.statusCode).toBe(200);
  expect(reply.body).toBe(TEXT);
  expect(reply.headers).toMatchObject({
    'content-length': '16',
    'content-type': 'image/png',
    etag: '"version-1"',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  });
});

test.each([
  ['bytes=0-3', '0123', 'bytes 0-3/16'],
  ['bytes=10-', 'abcdef', 'bytes 10-15/16'],
  ['bytes=-2', 'ef', 'bytes 14-15/16'],
  ['bytes=12-99', 'cdef', 'bytes 12-15/16'],
])('sends the range %s', async (range, body, contentRange) => {
  const reply = await get({ range });
  expect(reply.statusCode).toBe(206);
  expect(reply.body).toBe(body);
  expect(reply.headers).toMatchObject({
    'content-range': contentRange,
    'content-length': String(body.length),
    etag: '"version-1"',
  });
});

test.each(['bytes=99-', 'bytes=5-2', 'bytes=-0'])(
  'rejects the range %s with 416 and the length of the file',
  async (range) => {
    const reply = await get({ range });
    expect([reply.statusCode, reply.json()]).toMatchObject([416, { message: 'The file has no such range' }]);
    expect(reply.headers).toMatchObject({
      'content-range': 'bytes */16',
      'content-type': 'application/json; charset=utf-8',
    });
    expect(reply.headers).not.toHaveProperty('content-disposition');
  },
);

test('sends 304 for the same version, and the whole file for a range of another version', async () => {
  expect((await get({ 'if-none-match': 'W/"version-1", "x"' })).statusCode).toBe(304);
  expect((await get({ 'if-none-match': '"other"' })).body).toBe(TEXT);
  expect((await get({ range: 'bytes=4-', 'if-range': '"version-1"' })).body).toBe(TEXT.slice(4));
  expect((await get({ range: 'bytes=4-', 'if-range': '"other"' })).body).toBe(TEXT);
});

test.each([
  '"; evil="',
  'a\r\nSet-Cookie: x',
  '../../etc/passwd',
  'Größe 漢字.pdf',
  "o'neil(1)*.csv",
  '\ud800',
])('encodes the file name %j as one header parameter', async (name) => {
  const header = (await get({}, { name })).headers['content-disposition'];
  expect(header).toMatch(/^attachment; filename="[\w. ()-]*"; filename\*=UTF-8''[\w.%~!-]+$/);
  const encodedName = /UTF-8''(.+)$/.exec(String(header))?.[1] ?? '';
  expect(decodeURIComponent(encodedName)).toBe(name.toWellFormed());
});

test('sends Content-Disposition inline only for files marked as inline', async () => {
  expect((await get({}, { inline: '1' })).headers['content-disposition']).toMatch(/^inline; /);
});

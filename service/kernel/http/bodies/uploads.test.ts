import { createHash } from 'node:crypto';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import fastify, { type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { registerErrorHandlers } from '../error-responses.ts';
import { readJsonBody } from './read-body.ts';
import { deleteAbandonedUploads, registerMultipart, parseMultipartForm } from './uploads.ts';

const app = fastify();
/** Reads the model without a contract. */
const readModel = async (bytes: Buffer) => readJsonBody(bytes, (value) => ({ value, errors: [] }));
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'steward-uploads-'));
  registerErrorHandlers(app);
  await registerMultipart(app);
  app.post('/form', (request) => describeForm(request));
  app.post('/full', (request) => parseMultipartForm(request, dir, readModel, openOnFullDisk));
});

const DISK_BYTES = 100_000;

/** A file on a disk that is full after 100,000 bytes. */
function openOnFullDisk(path: string): Writable {
  const file = openSync(path, 'wx');
  let size = 0;
  return new Writable({
    write(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size <= DISK_BYTES) writeSync(file, chunk);
      done(size <= DISK_BYTES ? null : Object.assign(new Error('no space left'), { code: 'ENOSPC' }));
    },
    destroy(error, done) {
      closeSync(file);
      done(error);
    },
  });
}

/** The model and the received files with their content. */
async function describeForm(request: FastifyRequest): Promise<unknown> {
  const { model, files, discard } = await parseMultipartForm(request, dir, readModel);
  const receivedFiles = await Promise.all(
    files.map(async ({ path, name, size, hash }) => ({
      name,
      size,
      hash: hash.toString('hex'),
      text: (await readFile(path)).toString().slice(0, 20),
    })),
  );
  await discard();
  return { model: model.value, files: receivedFiles };
}
afterAll(async () => {
  await app.close();
  await rm(dir, { recursive: true });
});

async function encodeForm(form: FormData): Promise<{ headers: Headers; body: Buffer }> {
  const response = new Response(form);
  return { headers: response.headers, body: Buffer.from(await response.arrayBuffer()) };
}

async function post(parts: readonly (readonly [name: string, value: string | File])[], url = '/form') {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const { headers, body } = await encodeForm(form);
  return app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': headers.get('content-type') ?? '' },
    payload: body,
  });
}

const countRemainingFolders = async () => (await readdir(join(dir, 'uploads'))).length;

test('reads the model and the files in order with their hashes, and leaves no files behind', async () => {
  const reply = await post([
    ['model', '{"storeRequests":[]}'],
    ['a', new File(['first'], '../../evil.txt')],
    ['b', new File(['second'], 'b.txt')],
  ]);
  expect(reply.json()).toEqual({
    model: { storeRequests: [] },
    files: [
      { name: 'evil.txt', size: 5, hash: createHash('sha256').update('first').digest('hex'), text: 'first' },
      { name: 'b.txt', size: 6, hash: createHash('sha256').update('second').digest('hex'), text: 'second' },
    ],
  });
  expect(await countRemainingFolders()).toBe(0);
});

test.each([
  ['no model', [['a', new File(['x'], 'x')]], 400, /^model: is required/],
  [
    'a second field',
    [
      ['model', '{}'],
      ['more', 'x'],
    ],
    400,
    /^more: is not a part/,
  ],
  [
    'a second model',
    [
      ['model', '{}'],
      ['model', '{}'],
    ],
    400,
    /^model: is given twice/,
  ],
  ['a field of another name', [['data', '{}']], 400, /^data: is not a part/],
  ['a model that is no JSON', [['model', '{']], 400, /JSON/],
  ['a model with a prototype', [['model', '{"__proto__":{}}']], 400, /./],
  [
    'a file that is too large',
    [
      ['model', '{}'],
      ['a', new File([new Uint8Array(25 * 1024 * 1024 + 1)], 'big.bin')],
    ],
    413,
    /^big\.bin: at most/,
  ],
] as const)('%s is refused and nothing stays behind', async (_name, parts, status, message) => {
  const reply = await post(parts);
  expect(reply.statusCode).toBe(status);
  expect(reply.json().message).toMatch(message);
  expect(await countRemainingFolders()).toBe(0);
});

test('refuses a form whose files together are too large, although each is small enough', async () => {
  const part = new Uint8Array(24 * 1024 * 1024);
  const files = Array.from({ length: 11 }, (_, at) => ['a', new File([part], `${at}.bin`)] as const);
  const reply = await post([['model', '{}'], ...files]);
  expect([reply.statusCode, reply.json().message]).toEqual([
    413,
    'The files of the form: at most 268435456 bytes together. Send them in several requests.',
  ]);
  expect(await countRemainingFolders()).toBe(0);
});

test('a full disk is 507 with a clear text, and nothing stays behind', async () => {
  const small = new File([new Uint8Array(50_000)], 'small.bin');
  const large = new File([new Uint8Array(2_000_000)], 'large.bin');
  const reply = await post(
    [
      ['model', '{}'],
      ['a', small],
      ['b', large],
    ],
    '/full',
  );
  expect([reply.statusCode, reply.json().message]).toEqual([
    507,
    expect.stringMatching(/^The storage of the service is full, so nothing of this request was stored/),
  ]);
  expect(await countRemainingFolders()).toBe(0);
});

test('deletes temporary files of requests whose process ended', async () => {
  const yesterday = new Date(Date.now() - 86_400_000);
  for (const name of ['old', 'new']) {
    await mkdir(join(dir, 'uploads', name), { recursive: true });
    await writeFile(join(dir, 'uploads', name, '0'), 'part');
  }
  await utimes(join(dir, 'uploads', 'old'), 0, 0);
  await deleteAbandonedUploads(dir, yesterday);
  expect(await readdir(join(dir, 'uploads'))).toEqual(['new']);
  await rm(join(dir, 'uploads', 'new'), { recursive: true });
});

const formatPart = (head: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${content}\r\n`;
const filePart = formatPart('"a"; filename="a.txt"', 'first');

const send = (payload: string | Buffer, type = 'multipart/form-data; boundary=x') =>
  app.inject({ method: 'POST', url: '/form', headers: { 'content-type': type }, payload });

test.each([
  '"model"',
  '"model"\r\nContent-Type: application/json',
  '"model"; filename="blob"\r\nContent-Type: application/json',
])('accepts a model part with the header %j', async (head) => {
  const modelPart = formatPart(head, '{"storeRequests":[]}');
  for (const parts of [modelPart + filePart, filePart + modelPart]) {
    expect((await send(`${parts}--x--`)).json()).toMatchObject({
      model: { storeRequests: [] },
      files: [{ name: 'a.txt', text: 'first' }],
    });
  }
  const nested = await send(`${formatPart(head, '['.repeat(40))}--x--`);
  expect([nested.statusCode, nested.json().message]).toEqual([
    400,
    'The body is nested more than 32 levels deep',
  ]);
  const latin1 = await send(Buffer.from(`${formatPart(head, '{"a":"\xe4"}')}--x--`, 'latin1'));
  expect([latin1.statusCode, latin1.json().message]).toEqual([400, 'The body is not encoded in UTF-8']);
  expect(await countRemainingFolders()).toBe(0);
});

test.each([
  ['no boundary', '--x--', 'multipart/form-data'],
  ['another boundary', '--x--', undefined],
  ['no end', '', 'multipart/form-data; boundary=x'],
  ['half a part', '--x\r\nContent-Disp', 'multipart/form-data; boundary=x'],
])('rejects a form with %s', async (_name, end, type = 'multipart/form-data; boundary=y') => {
  const reply = await send(`${formatPart('"model"', '{}')}${filePart}${end}`, type);
  expect([reply.statusCode, reply.json().message]).toEqual([
    400,
    'The form cannot be read: it is incomplete, or its boundary differs from the one in Content-Type',
  ]);
  expect(await countRemainingFolders()).toBe(0);
});

import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyRequest } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { answerErrors } from './failures.ts';
import { acceptForms, readForm } from './uploads.ts';

const app = fastify();
let dir = '';

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'steward-uploads-'));
  answerErrors(app);
  await acceptForms(app);
  app.post('/form', (request) => readAll(request));
});

/** Says what arrived. */
async function readAll(request: FastifyRequest): Promise<unknown> {
  const { model, files, discard } = await readForm(request, dir);
  const read = await Promise.all(
    files.map(async ({ path, name, size, hash }) => ({
      name,
      size,
      hash: hash.toString('hex'),
      text: (await readFile(path)).toString().slice(0, 20),
    })),
  );
  await discard();
  return { model, read };
}
afterAll(async () => {
  await app.close();
  await rm(dir, { recursive: true });
});

async function encoded(form: FormData): Promise<{ headers: Headers; body: Buffer }> {
  const whole = new Response(form);
  return { headers: whole.headers, body: Buffer.from(await whole.arrayBuffer()) };
}

async function post(parts: readonly (readonly [name: string, value: string | File])[]) {
  const form = new FormData();
  for (const [name, value] of parts) form.append(name, value);
  const { headers, body } = await encoded(form);
  return app.inject({
    method: 'POST',
    url: '/form',
    headers: { 'content-type': headers.get('content-type') ?? '' },
    payload: body,
  });
}

const leftovers = async () => (await readdir(join(dir, 'uploads'))).length;

test('the model and the files arrive in order, each with its hash; nothing stays behind', async () => {
  const reply = await post([
    ['model', '{"storeRequests":[]}'],
    ['a', new File(['first'], '../../evil.txt')],
    ['b', new File(['second'], 'b.txt')],
  ]);
  expect(reply.json()).toEqual({
    model: { storeRequests: [] },
    read: [
      { name: 'evil.txt', size: 5, hash: createHash('sha256').update('first').digest('hex'), text: 'first' },
      { name: 'b.txt', size: 6, hash: createHash('sha256').update('second').digest('hex'), text: 'second' },
    ],
  });
  expect(await leftovers()).toBe(0);
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
    /^model: is there twice/,
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
  expect(await leftovers()).toBe(0);
});

const written = (head: string, content: string) =>
  `--x\r\nContent-Disposition: form-data; name=${head}\r\n\r\n${content}\r\n`;
const file = written('"a"; filename="a.txt"', 'first');

const send = (payload: string | Buffer, type = 'multipart/form-data; boundary=x') =>
  app.inject({ method: 'POST', url: '/form', headers: { 'content-type': type }, payload });

test.each([
  '"model"',
  '"model"\r\nContent-Type: application/json',
  '"model"; filename="blob"\r\nContent-Type: application/json',
])('a model is one whatever its sender calls it: %j', async (head) => {
  const model = written(head, '{"storeRequests":[]}');
  for (const parts of [model + file, file + model]) {
    expect((await send(`${parts}--x--`)).json()).toMatchObject({
      model: { storeRequests: [] },
      read: [{ name: 'a.txt', text: 'first' }],
    });
  }
  const deep = await send(`${written(head, '['.repeat(40))}--x--`);
  expect([deep.statusCode, deep.json().message]).toEqual([400, 'The body nests deeper than 32 levels']);
  const otherwise = await send(Buffer.from(`${written(head, '{"a":"\xe4"}')}--x--`, 'latin1'));
  expect([otherwise.statusCode, otherwise.json().message]).toEqual([400, 'The body is not in UTF-8']);
  expect(await leftovers()).toBe(0);
});

test.each([
  ['no boundary', '--x--', 'multipart/form-data'],
  ['another boundary', '--x--', undefined],
  ['no end', '', 'multipart/form-data; boundary=x'],
  ['half a part', '--x\r\nContent-Disp', 'multipart/form-data; boundary=x'],
])('a form with %s is refused in words', async (_name, end, type = 'multipart/form-data; boundary=y') => {
  const reply = await send(`${written('"model"', '{}')}${file}${end}`, type);
  expect([reply.statusCode, reply.json().message]).toEqual([
    400,
    'The form cannot be read: it is cut off, or its boundary is not the one that is named',
  ]);
  expect(await leftovers()).toBe(0);
});

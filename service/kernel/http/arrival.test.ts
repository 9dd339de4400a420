import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { contract } from '../../testing/site.ts';
import { awaitBodies } from './arrival.ts';
import { answerErrors, outsideRoutes } from './failures.ts';
import { acceptForms, readForm } from './uploads.ts';

const FORM = [
  '--x',
  'content-disposition: form-data; name="model"',
  '',
  '{}',
  '--x',
  'content-disposition: form-data; name="file"; filename="a.txt"',
  '',
  'abc',
  '--x--',
  '',
].join('\r\n');

test('a body that does not come is cut off, files have longer, and what has come is left alone (T23)', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'steward-arrival-'));
  const operation = contract.operations.find(({ id }) => id === 'createEntries');
  if (!operation) throw new Error('Entries are created with files');
  const app = fastify({ requestTimeout: 60_000, ...outsideRoutes });
  awaitBodies(app, { usualMs: 100, filesMs: 60_000 });
  answerErrors(app);
  await acceptForms(app);
  const cut = Promise.withResolvers<void>();
  app.post('/json', { config: { operation } }, (request) => Promise.resolve(request.body));
  app.post('/answered-late', async () => cut.promise.then(() => 'at last'));
  app.post('/files', { config: { operation } }, (request) => sizes(request));
  const sizes = async (request: FastifyRequest) => {
    const { files, discard } = await readForm(request, dir);
    await discard();
    return files.map(({ size }) => size);
  };
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const begin = async (path: string, type: string, length: number) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: ${type}\r\n`);
    socket.write(`content-length: ${length}\r\n\r\n`);
    return { socket, answer: text(socket) };
  };
  const files = await begin('/files', 'multipart/form-data; boundary=x', FORM.length);
  files.socket.write(FORM.slice(0, 40));
  const late = await begin('/answered-late', 'application/json', 2);
  late.socket.write('{}');
  const slow = await begin('/json', 'application/json', 100);
  slow.socket.write('{');
  // The last of three: the others were begun before, and would have been cut off before.
  expect(await slow.answer).toMatch(/^HTTP\/1\.1 408 [^]*"The request did not arrive in time"/);
  files.socket.write(FORM.slice(40));
  expect(await files.answer).toMatch(/^HTTP\/1\.1 200 [^]*\[3\]$/);
  cut.resolve();
  expect(await late.answer).toMatch(/^HTTP\/1\.1 200 [^]*at last$/);
  await app.close();
  await rm(dir, { recursive: true });
});

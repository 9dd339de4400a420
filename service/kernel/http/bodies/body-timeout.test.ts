import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import fastify, { type FastifyRequest } from 'fastify';
import { expect, test } from 'vitest';
import { contract } from '../../../testing/site.ts';
import { registerErrorHandlers, connectionErrorHandlers } from '../error-responses.ts';
import { registerBodyTimeout } from './body-timeout.ts';
import { readJsonBody } from './read-body.ts';
import { registerMultipart, parseMultipartForm } from './uploads.ts';

/** Reads the model without a contract. */
const readModel = async (bytes: Buffer) => readJsonBody(bytes, (value) => ({ value, errors: [] }));

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

test('ends requests whose body arrives too slowly, with more time for uploads and none for responses (T23)', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'steward-body-timeout-'));
  const operation = contract.operations.find(({ id }) => id === 'createEntries');
  if (!operation) throw new Error('The contract has no operation createEntries');
  const app = fastify({ requestTimeout: 60_000, ...connectionErrorHandlers });
  registerBodyTimeout(app, { defaultMs: 100, uploadMs: 60_000 });
  registerErrorHandlers(app);
  await registerMultipart(app);
  const timeoutHappened = Promise.withResolvers<void>();
  app.post('/json', { config: { operation } }, (request) => Promise.resolve(request.body));
  app.post('/slow-response', async () => timeoutHappened.promise.then(() => 'response'));
  app.post('/upload', { config: { operation } }, (request) => readFileSizes(request));
  const readFileSizes = async (request: FastifyRequest) => {
    const { files, discard } = await parseMultipartForm(request, dir, readModel);
    await discard();
    return files.map(({ size }) => size);
  };
  await app.listen({ host: '127.0.0.1', port: 0 });
  const { port } = app.server.address() as AddressInfo;
  const startRequest = async (path: string, type: string, length: number) => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\ncontent-type: ${type}\r\n`);
    socket.write(`content-length: ${length}\r\n\r\n`);
    return { socket, response: text(socket) };
  };
  const upload = await startRequest('/upload', 'multipart/form-data; boundary=x', FORM.length);
  upload.socket.write(FORM.slice(0, 40));
  const slowResponse = await startRequest('/slow-response', 'application/json', 2);
  slowResponse.socket.write('{}');
  const slowBody = await startRequest('/json', 'application/json', 100);
  slowBody.socket.write('{');
  // The last of the three requests: the other two started earlier and would have timed out before.
  expect(await slowBody.response).toMatch(/^HTTP\/1\.1 408 [^]*"The request did not arrive in time"/);
  upload.socket.write(FORM.slice(40));
  expect(await upload.response).toMatch(/^HTTP\/1\.1 200 [^]*\[3\]$/);
  timeoutHappened.resolve();
  expect(await slowResponse.response).toMatch(/^HTTP\/1\.1 200 [^]*response$/);
  await app.close();
  await rm(dir, { recursive: true });
});

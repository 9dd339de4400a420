/** Requests that fail before routing: raw bytes on a real socket, and invalid URLs. */
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from '../kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../testing/databases.ts';
import { createTestApp } from '../testing/site.ts';

let testDatabase: TestDatabase;
let database: Database;
let app: FastifyInstance;
let port = 0;
beforeAll(async () => {
  testDatabase = await createTestDatabase('embedded');
  database = await openDatabase(testDatabase);
  app = await createTestApp(database);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await app.close();
  await database.close();
  await testDatabase.remove();
});

/** Sends the bytes and reads until the service closes the connection. */
async function sendRaw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  return text(socket);
}
const getStatus = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const parseBody = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as object;
const formatPost = (headers: string, body: string) =>
  `POST /api/rest/v1/oauth/token HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers}\r\n\r\n${body}`;

test.each([
  ['both lengths', formatPost('content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n')],
  ['two lengths', formatPost('content-length: 5\r\ncontent-length: 6', 'abcdef')],
  ['a bare line feed in a header', formatPost('content-length: 5\nx: y', 'abcde')],
  ['no HTTP', 'hello\r\n\r\n'],
])('rejects %s with 400 and closes the connection (request smuggling)', async (_, bytes) => {
  const answer = await sendRaw(bytes);
  expect(getStatus(answer)).toBe(400);
  expect(Object.keys(parseBody(answer))).toEqual(['message', 'requestId']);
});

test('rejects headers larger than 8 KiB with 431', async () => {
  const answer = await sendRaw(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`);
  expect(getStatus(answer)).toBe(431);
  expect(Object.keys(parseBody(answer))).toEqual(['message', 'requestId']);
});

test('accepts a query of 16,384 characters, percent-encoded at its longest, on the operation that promises it', async () => {
  const query = encodeURIComponent('😀').repeat(16_384);
  const get = (path: string) =>
    sendRaw(
      `GET /api/rest/v4/data/entrydata/${path}?query=${query} HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(7_000)}\r\nconnection: close\r\n\r\n`,
    );
  // Its credentials are checked, so the request line was read.
  expect(getStatus(await get('rows/Company'))).toBe(401);
  const tooLong = await get('Company/entries');
  expect(getStatus(tooLong)).toBe(414);
  expect(Object.keys(parseBody(tooLong))).toEqual(['message', 'requestId']);
});

const getRows = (query: string) =>
  sendRaw(
    `GET /api/rest/v4/data/entrydata/rows/Company?${query} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  );

test('rejects a request line beyond every limit with 431, and too many parameters with 414', async () => {
  expect(getStatus(await getRows(`query=${'x'.repeat(300_000)}`))).toBe(431);
  expect(getStatus(await getRows('a=1&'.repeat(1_001)))).toBe(414);
});

test('answers a URL that is too long like every other error, also to clients that accept pages', async () => {
  const answer = await sendRaw(
    `GET /api/rest/v1/management/user?email=${'a'.repeat(9_000)} HTTP/1.1\r\nhost: a\r\naccept: text/html, */*; q=.2\r\nconnection: close\r\n\r\n`,
  );
  expect(getStatus(answer)).toBe(414);
});

test.each([
  ['no Host header with 400 (RFC 9112 3.2)', '', 400, 'The request has no Host header'],
  [
    'an unknown expectation with 417 (RFC 9110 10.1.1)',
    'host: a\r\nexpect: 200-ok\r\n',
    417,
    'Of the expectations of a request only 100-continue is known',
  ],
])('rejects %s and the error body', async (_name, headers, status, message) => {
  const answer = await sendRaw(`GET /healthz HTTP/1.1\r\n${headers}connection: close\r\n\r\n`);
  expect(getStatus(answer)).toBe(status);
  expect(parseBody(answer)).toMatchObject({ message });
  expect(answer).toMatch(/^x-request-id: /im);
  expect(getStatus(await sendRaw('GET /healthz HTTP/1.0\r\n\r\n'))).toBe(200);
});

test('rejects two Host headers with 400 (RFC 9112 3.2)', async () => {
  for (const second of ['a', 'b']) {
    const answer = await sendRaw(
      `GET /healthz HTTP/1.1\r\nhost: a\r\nHost: ${second}\r\nconnection: close\r\n\r\n`,
    );
    expect(getStatus(answer)).toBe(400);
    expect(parseBody(answer)).toMatchObject({ message: 'The request has more than one Host header' });
  }
});

test('ends connections that send headers slowly while other requests are answered (T23)', async () => {
  const start = Date.now();
  const slow = sendRaw('GET /healthz HTTP/1.1\r\nhost: a\r\n');
  expect(getStatus(await sendRaw('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'))).toBe(200);
  expect(getStatus(await slow)).toBe(408);
  expect(Date.now() - start).toBeLessThan(9_000);
});

test.each([
  '/api/rest/v1/management/user/%E0%A4%A',
  '/api/rest/v1/management/user/%zz',
  `/api/rest/v4/backups/${'x'.repeat(300)}`,
  '/api/%2e%2e/etc/passwd',
  '//evil.test/%2f..',
])('rejects the URL %s with 4xx and a message', async (url) => {
  const reply = await app.inject({ method: 'GET', url });
  expect([400, 401, 404, 414]).toContain(reply.statusCode);
  expect(Object.keys(reply.json())).toEqual(['message', 'requestId']);
});

test.each(['TRACE', 'PATCH', 'PROPFIND', 'LINK'] as const)('rejects the method %s', async (method) => {
  const answer = await sendRaw(
    `${method} /api/rest/v1/management/user HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  );
  expect([404, 405]).toContain(getStatus(answer));
});

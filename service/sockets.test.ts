/** What reaches the service before a route is found: bytes on a real socket, and addresses that are none. */
import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FastifyInstance } from 'fastify';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openDatabase, type Database } from './kernel/db/database.ts';
import { newPlace, type Place } from './testing/databases.ts';
import { openApp } from './testing/site.ts';

let place: Place;
let database: Database;
let app: FastifyInstance;
let port = 0;
beforeAll(async () => {
  place = await newPlace('embedded');
  database = await openDatabase(place);
  app = await openApp(database);
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
});
afterAll(async () => {
  await app.close();
  await database.close();
  await place.remove();
});

/** Sends the bytes and reads until the service hangs up. */
async function raw(bytes: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  return text(socket);
}
const status = (answer: string) => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]);
const bodyOf = (answer: string) => JSON.parse(answer.slice(answer.indexOf('\r\n\r\n') + 4)) as object;
const post = (headers: string, body: string) =>
  `POST /api/rest/v1/oauth/token HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers}\r\n\r\n${body}`;

test.each([
  ['both lengths', post('content-length: 5\r\ntransfer-encoding: chunked', '0\r\n\r\n')],
  ['two lengths', post('content-length: 5\r\ncontent-length: 6', 'abcdef')],
  ['a bare line feed in a header', post('content-length: 5\nx: y', 'abcde')],
  ['no HTTP', 'hello\r\n\r\n'],
])('%s: 400, and the connection ends (no smuggling)', async (_, bytes) => {
  const answer = await raw(bytes);
  expect(status(answer)).toBe(400);
  expect(Object.keys(bodyOf(answer))).toEqual(['message', 'requestId']);
});

test('headers over 8 KiB: 431', async () => {
  const answer = await raw(`GET / HTTP/1.1\r\nhost: a\r\nx: ${'y'.repeat(9_000)}\r\n\r\n`);
  expect(status(answer)).toBe(431);
  expect(Object.keys(bodyOf(answer))).toEqual(['message', 'requestId']);
});

test('whoever sends headers slowly is cut off while others are answered (T23)', async () => {
  const start = Date.now();
  const slow = raw('GET /healthz HTTP/1.1\r\nhost: a\r\n');
  expect(status(await raw('GET /healthz HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n'))).toBe(200);
  expect(status(await slow)).toBe(408);
  expect(Date.now() - start).toBeLessThan(9_000);
});

test.each([
  '/api/rest/v1/management/user/%E0%A4%A',
  '/api/rest/v1/management/user/%zz',
  `/api/rest/v4/backups/${'x'.repeat(300)}`,
  '/api/%2e%2e/etc/passwd',
  '//evil.test/%2f..',
])('%s is 4xx with a message', async (url) => {
  const reply = await app.inject({ method: 'GET', url });
  expect([400, 401, 404, 414]).toContain(reply.statusCode);
  expect(Object.keys(reply.json())).toEqual(['message', 'requestId']);
});

test.each(['TRACE', 'PATCH', 'PROPFIND', 'LINK'] as const)('the method %s finds nothing', async (method) => {
  const answer = await raw(
    `${method} /api/rest/v1/management/user HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`,
  );
  expect([404, 405]).toContain(status(answer));
});

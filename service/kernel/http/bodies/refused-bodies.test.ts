/** Clients that send a large body read the response that refuses it, instead of a broken connection (RFC 9112 9.6). */
import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { beforeAll, expect, test } from 'vitest';
import { makePerson, makeSite, onEachApp, type Person } from '../../../testing/site.ts';

const USER = '/api/rest/v1/management/user';
const ENTRIES = '/api/rest/v4/data/entrydata/1';
const LINK = '/console/api/session/link';
const MEBIBYTE = 1024 * 1024;
const CHUNK = Buffer.alloc(64 * 1024, ' ');
const CHUNK_HEAD = `${CHUNK.length.toString(16)}\r\n`;

interface Sending {
  path?: string;
  size: number;
  headers?: Readonly<Record<string, string>>;
  isChunked?: boolean;
}

/** Sends the headers of a request. */
async function sendHeaders(
  port: number,
  { path = USER, size, headers = {}, isChunked }: Sending,
): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  const length = isChunked ? 'transfer-encoding: chunked' : `content-length: ${size}`;
  const lines = Object.entries({ host: 'a', 'content-type': 'application/json', ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.write(`POST ${path} HTTP/1.1\r\n${head}${length}\r\n\r\n`);
  return socket;
}

/** Resolves when the data has left the process; rejects when the connection is broken. */
const write = (socket: Socket, data: string | Buffer) =>
  new Promise<void>((resolve, reject) => socket.write(data, (error) => (error ? reject(error) : resolve())));

/** Sends a body of spaces, which no JSON parser accepts. */
async function sendBody(socket: Socket, { size, isChunked }: Sending): Promise<void> {
  for (let sentBytes = 0; sentBytes < size; sentBytes += CHUNK.length) {
    if (isChunked) await write(socket, CHUNK_HEAD);
    await write(socket, isChunked ? CHUNK : CHUNK.subarray(0, size - sentBytes));
    if (isChunked) await write(socket, '\r\n');
  }
  if (isChunked) await write(socket, '0\r\n\r\n');
}

interface Response {
  head: string;
  status: number;
  message: string;
}

/** Reads a response with a JSON body, or an interim response. */
async function readResponse(socket: Socket): Promise<Response> {
  let received = '';
  for await (const data of socket.iterator({ destroyOnReturn: false })) {
    received += String(data);
    const [head = '', content = ''] = received.split('\r\n\r\n');
    const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (!received.includes('\r\n\r\n') || content.length < length) continue;
    const { message = '' } = JSON.parse(content || '{}') as { message?: string };
    return { head, status: Number(head.split(' ')[1]), message };
  }
  throw new Error(`The connection ended after: ${received}`);
}

onEachApp((context) => {
  let admin: Person;
  let port = 0;
  beforeAll(async () => {
    admin = await makePerson(context().db, await makeSite(context().db));
    await context().app.listen({ host: '127.0.0.1', port: 0 });
    ({ port } = context().app.server.address() as AddressInfo);
  });
  const authorize = (headers?: Sending['headers']) => ({
    ...headers,
    authorization: `Bearer ${admin.token}`,
  });

  /** Sends a whole request before it reads the response. */
  async function send(sending: Sending): Promise<Response> {
    const socket = await sendHeaders(port, sending);
    await sendBody(socket, sending);
    const response = await readResponse(socket);
    socket.destroy();
    return response;
  }

  const close = { connection: 'close' };
  test.each<[name: string, sending: Sending, isSignedIn: boolean, status: number]>([
    ['8 MiB without a token', { size: 8 * MEBIBYTE }, false, 401],
    ['8 MiB without a token, then close', { size: 8 * MEBIBYTE, headers: close }, false, 401],
    ['8 MiB without a token, in chunks', { size: 8 * MEBIBYTE, isChunked: true }, false, 401],
    ['8 MiB, above the limit', { size: 8 * MEBIBYTE }, true, 413],
    ['8 MiB, above the limit, then close', { size: 8 * MEBIBYTE, headers: close }, true, 413],
    ['8 MiB, above the limit, in chunks', { size: 8 * MEBIBYTE, isChunked: true }, true, 413],
    ['20 MiB, above the largest limit', { path: ENTRIES, size: 20 * MEBIBYTE, headers: close }, true, 413],
    ['the wrong media type', { size: MEBIBYTE / 2, headers: { 'content-type': 'text/xml' } }, true, 415],
    [
      'a form for an operation without files',
      { size: 8 * MEBIBYTE, headers: { 'content-type': 'multipart/form-data; boundary=x' } },
      true,
      415,
    ],
  ])(
    'a client that sends %s reads the response after its body',
    async (_name, sending, isSignedIn, status) => {
      const headers = isSignedIn ? authorize(sending.headers) : { ...sending.headers };
      expect((await send({ ...sending, headers })).status).toBe(status);
    },
  );

  test('a client without credentials that sends 20 times 1 MiB reads 20 refusals, before its bodies', async () => {
    const sending = { path: LINK, size: MEBIBYTE, headers: { 'x-steward-console': '1' } };
    const sockets = await Promise.all(Array.from({ length: 20 }, () => sendHeaders(port, sending)));
    const responses = await Promise.all(sockets.map(readResponse));
    for (const { status, message } of responses)
      expect([status, message]).toEqual([
        413,
        'The body has 1048576 bytes; this operation accepts at most 16384',
      ]);
    await Promise.all(sockets.map((socket) => sendBody(socket, sending)));
    for (const socket of sockets) socket.destroy();
  });

  test('413 names the limit and the size, and nothing internal', async () => {
    const headers = authorize();
    const { message } = await send({ size: 2 * MEBIBYTE, headers });
    expect(message).toBe('The body has 2097152 bytes; this operation accepts at most 1048576');
    const chunked = await send({ size: 2 * MEBIBYTE, isChunked: true, headers });
    expect(chunked.message).toBe('The body has more than the 1048576 bytes that this operation accepts');
  });

  test('a client that asks first sends only a body that can be accepted (RFC 9110 10.1.1)', async () => {
    const ask = async (sending: Sending) => {
      const headers = { ...sending.headers, expect: '100-continue' };
      const socket = await sendHeaders(port, { ...sending, headers });
      return { socket, response: await readResponse(socket) };
    };
    const anonymous = await ask({ size: 8 * MEBIBYTE });
    expect(anonymous.response.status).toBe(401);
    expect(anonymous.response.head).toMatch(/^connection: close$/im);
    const tooLarge = await ask({ size: 8 * MEBIBYTE, headers: authorize() });
    expect(tooLarge.response.status).toBe(413);
    const accepted = await ask({ size: 100, headers: authorize() });
    expect(accepted.response.status).toBe(100);
    await sendBody(accepted.socket, { size: 100 });
    expect((await readResponse(accepted.socket)).status).toBe(400);
    for (const { socket } of [anonymous, tooLarge, accepted]) socket.destroy();
  });

  test('a connection is kept for the next request after a refused body', async () => {
    const socket = await sendHeaders(port, { size: 8 * MEBIBYTE });
    await sendBody(socket, { size: 8 * MEBIBYTE });
    expect((await readResponse(socket)).status).toBe(401);
    socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
    expect((await readResponse(socket)).status).toBe(200);
    socket.destroy();
  });

  test('a connection is closed after a request whose headers are not trusted', async () => {
    const socket = await sendHeaders(port, { size: 8 * MEBIBYTE, headers: { Host: 'b' } });
    const { status, head } = await readResponse(socket);
    expect(status).toBe(400);
    expect(head).toMatch(/^connection: close$/im);
    socket.destroy();
  });

  test('a client that sends a form with a file that is too large reads the response after 60 MiB', async () => {
    const part = '--x\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n';
    const size = 60 * MEBIBYTE;
    const headers = authorize({ 'content-type': 'multipart/form-data; boundary=x' });
    const socket = await sendHeaders(port, { path: ENTRIES, size: part.length + size, headers });
    await write(socket, part);
    await sendBody(socket, { size });
    const { status, message } = await readResponse(socket);
    expect([status, message]).toEqual([413, 'a: at most 26214400 bytes']);
    socket.destroy();
  });

  test('a body without end is cut off', async () => {
    const socket = await sendHeaders(port, { size: 0, isChunked: true });
    socket.on('error', () => {});
    expect((await readResponse(socket)).status).toBe(401);
    await expect(sendBody(socket, { size: 256 * MEBIBYTE, isChunked: true })).rejects.toThrow(
      /EPIPE|ECONNRESET/,
    );
    expect(socket.bytesWritten).toBeGreaterThan(32 * MEBIBYTE);
  });
});

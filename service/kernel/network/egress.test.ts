import type { LookupAddress } from 'node:dns';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createEgress, EgressError, parseEgressRules } from './egress.ts';

const LIMIT_MS = 1_500;
const log = { warn: vi.fn<(entry: { err?: Error }) => void>() };
const servers: { close(): unknown }[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
  log.warn.mockClear();
});

async function listen(server: Server | ReturnType<typeof createSocketServer>): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('The server has no port');
  return address.port;
}
const serve = (listener: RequestListener) => listen(createServer(listener));

const create = (allow: string, addresses: readonly string[] = ['127.0.0.1'], timeLimitMs = LIMIT_MS) =>
  createEgress({
    rules: parseEgressRules(allow) ?? [],
    log,
    timeLimitMs,
    lookup: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  });
/** The logged reason of the only failure. */
const getReason = () => String(log.warn.mock.calls[0]?.[0]?.err?.message);

describe('rules', () => {
  test.each([
    'public',
    '10.0.0.0/8',
    'login.internal:8443',
    '[::1]:80',
    'fd00::/8',
    '127.0.0.1:9000, public',
  ])('accepts %s', (text) => expect(parseEgressRules(text)).toBeDefined());
  test.each([
    '10.0.0.300',
    '*',
    'https://a.example',
    'a.example:0',
    'a.example:99999',
    '10.0.0.0/33',
    '[::1',
  ])('refuses %s', (text) => expect(parseEgressRules(text)).toBeUndefined());
});

describe('addresses', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['localhost', '127.0.0.1'],
    ['10.1.2.3', '10.1.2.3'],
    ['169.254.169.254', '169.254.169.254'],
    ['[::1]', '::1'],
    ['[fd00::1]', 'fd00::1'],
    ['[fe80::1]', 'fe80::1'],
    ['[::ffff:127.0.0.1]', '::ffff:7f00:1'],
    ['[64:ff9b::7f00:1]', '64:ff9b::7f00:1'],
    ['[2002:7f00:1::]', '2002:7f00:1::'],
    ['0x7f.1', '127.0.0.1'],
    ['2130706433', '127.0.0.1'],
    ['0.0.0.0', '0.0.0.0'],
  ])('%s is not public', async (host, address) => {
    const egress = create('public', [address], 50);
    await expect(egress.fetch(`https://${host}/`)).rejects.toThrow(EgressError);
    expect(getReason()).toBe(`STEWARD_EGRESS_ALLOW does not allow ${address}`);
  });

  test.each([
    ['127.0.0.1', true],
    ['127.0.0.0/8', true],
    ['idp.internal', true],
    ['10.0.0.0/8', false],
    ['other.internal', false],
    ['public', false],
    ['idp.internal:1', false],
    ['127.0.0.1:1', false],
    ['', false],
  ])('with the rule %j a name of this machine is called: %s', async (allow, isCalled) => {
    let connections = 0;
    const port = await listen(
      createSocketServer((socket) => {
        connections += 1;
        socket.destroy();
      }),
    );
    await expect(create(allow, ['127.0.0.1'], 300).fetch(`https://idp.internal:${port}/`)).rejects.toThrow(
      EgressError,
    );
    expect(connections > 0).toBe(isCalled);
  });

  test('a name is resolved once, and the connection goes to the address that was checked', async () => {
    const port = await serve((_request, response) => response.end('here'));
    const lookup = vi.fn<() => Promise<LookupAddress[]>>(async () => [
      { address: '10.9.8.7', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ]);
    const egress = createEgress({ rules: parseEgressRules(`127.0.0.1:${port}`) ?? [], log, lookup });
    // `localhost` may be called without TLS; it is resolved by the function above.
    const response = await egress.fetch(`http://localhost:${port}/`);
    expect([await response.text(), lookup.mock.calls.length]).toEqual(['here', 1]);
  });
});

test('sends method, headers and body, and reads status, headers and body', async () => {
  const port = await serve((request, response) => {
    request.setEncoding('utf8').once('data', (body: string) => {
      const { method, headers } = request;
      response.writeHead(201, { 'x-a': ['1', '2'] });
      response.end(JSON.stringify({ method, body, type: headers['content-type'], host: headers.host }));
    });
  });
  const response = await create('127.0.0.1').fetch(`http://localhost:${port}/`, {
    method: 'POST',
    body: new URLSearchParams({ a: 'b c' }),
  });
  expect([response.status, response.headers.get('x-a')]).toEqual([201, '1, 2']);
  expect(await response.json()).toEqual({
    method: 'POST',
    body: 'a=b+c',
    type: 'application/x-www-form-urlencoded;charset=UTF-8',
    host: `localhost:${port}`,
  });
});

test('follows no redirect', async () => {
  const paths: (string | undefined)[] = [];
  const port = await serve((request, response) => {
    paths.push(request.url);
    response.writeHead(302, { location: '/next' }).end();
  });
  const response = await create('127.0.0.1').fetch(`http://127.0.0.1:${port}/first`);
  expect([response.status, paths]).toEqual([302, ['/first']]);
});

test('every failure has the same text and ends after the same time', async () => {
  const closed = await serve(() => {});
  servers.pop()?.close();
  const silent = await listen(createSocketServer(() => {}));
  const noHttp = await listen(createSocketServer((socket) => socket.end('SSH-2.0\r\n')));
  const tooLarge = await serve((_request, response) => response.end(Buffer.alloc(1_000_001)));
  const noProvider = await serve((_request, response) => response.writeHead(404).end());
  const egress = create('127.0.0.1');
  const fail = async (task: () => Promise<unknown>) => {
    const start = performance.now();
    const error: unknown = await egress.run(task).catch((reason: unknown) => reason);
    return { text: String(error), ms: performance.now() - start };
  };
  const ports = [closed, silent, noHttp, tooLarge];
  const failures = await Promise.all([
    ...ports.map((port) => fail(() => egress.fetch(`http://127.0.0.1:${port}/`))),
    fail(() => egress.fetch('http://localhost:1/', { method: 'POST' })),
    fail(() => egress.fetch('https://10.0.0.1/')),
    fail(async () => {
      const response = await egress.fetch(`http://127.0.0.1:${noProvider}/`);
      throw new Error(`Status ${response.status}`);
    }),
  ]);
  expect(new Set(failures.map(({ text }) => text))).toEqual(
    new Set(['EgressError: The server cannot be called']),
  );
  const times = failures.map(({ ms }) => ms);
  // A closed port would answer in a millisecond, a silent one never.
  expect(Math.min(...times)).toBeGreaterThanOrEqual(LIMIT_MS - 5);
  // All wait for timers of the same length that started together; what differs is the load of this machine.
  expect(Math.max(...times) - Math.min(...times)).toBeLessThan(LIMIT_MS / 3);
  expect(log.warn).toHaveBeenCalledTimes(failures.length);
});

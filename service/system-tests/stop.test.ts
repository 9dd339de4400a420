/** Stopping the service with SIGTERM while clients use it: a real process, real connections. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request, type ClientRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { openDatabase } from '../kernel/db/database.ts';
import { createTestDatabase, onEachKind, type TestDatabase } from '../testing/databases.ts';
import { getKillCount } from '../testing/processes/kills.ts';
import { publishCells } from '../testing/processes/publication-process.ts';
import { startService, type ServiceProcess } from '../testing/processes/service-process.ts';
import { makePerson, makeSite, type Person } from '../testing/site.ts';

const SHARE = { embedded: 1, postgres: 1 };
const BUSY_CLIENTS = 24;
const WAITING_CONNECTIONS = 12;

/** More than the operating system holds for a reader. */
const STREAMED_EVENTS = 1_500;
const STREAMED_LENGTH = 9_000;

const NOTHING_HELD = '00000000 ';

const STREAM = '/api/rest/v1/publication/stream?topic=default-data';
const USERS = '/api/rest/v1/management/user';

/** What happened to one request. `sentAt` is when its last byte was handed to the operating system (ms since 1970). */
interface Outcome {
  sentAt: number;
  status: number | undefined;
  closes: boolean;
  error: string | undefined;
}

const awaitResponse = (outgoing: ClientRequest): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    outgoing.once('response', resolve).once('error', reject);
  });

/** Bytes that the operating system holds for the reader of a connection, at both ends: two numbers in hexadecimal digits. */
function readHeldBytes(port: number, readerPort: number | undefined): string {
  const [from, to] = [port, readerPort ?? 0].map((each) => each.toString(16).toUpperCase().padStart(4, '0'));
  const table = readFileSync('/proc/net/tcp', 'utf8');
  const [, sent = ''] = new RegExp(`:${from} \\w+:${to} \\w\\w (\\w+):`).exec(table) ?? [];
  const [, received = ''] = new RegExp(`:${to} \\w+:${from} \\w\\w \\w+:(\\w+)`).exec(table) ?? [];
  return `${sent} ${received}`;
}

/** A client with one connection, which it keeps open. */
function createClient(service: ServiceProcess, headers: Record<string, string> = {}) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    agent,
    async send(path: string, method = 'GET', body?: string): Promise<Outcome> {
      const outcome: Outcome = { sentAt: Infinity, status: undefined, closes: false, error: undefined };
      const outgoing = request(`${service.address}${path}`, { agent, method, headers });
      outgoing.once('finish', () => (outcome.sentAt = Date.now()));
      outgoing.end(body);
      try {
        const response = await awaitResponse(outgoing);
        outcome.closes = response.headers.connection === 'close';
        await text(response);
        outcome.status = response.statusCode;
      } catch (error) {
        outcome.error = error instanceof Error ? error.message : String(error);
      }
      return outcome;
    },
  };
}

type Client = ReturnType<typeof createClient>;

onEachKind((kind) => {
  let testDatabase: TestDatabase;
  let person: Person;
  beforeAll(async () => {
    testDatabase = await createTestDatabase(kind);
    const { db, close } = await openDatabase(testDatabase);
    person = await makePerson(db, await makeSite(db));
    await close();
  });
  afterAll(() => testDatabase.remove());
  let service: ServiceProcess | undefined;
  afterEach(async () => {
    service?.child.kill('SIGKILL');
    await service?.exited;
  });
  const start = async (env?: Readonly<Record<string, string>>): Promise<ServiceProcess> =>
    (service = await startService(testDatabase, env));

  const getHeaders = () => ({
    authorization: `Bearer ${person.token}`,
    'content-type': 'application/json',
  });

  /** Sends request after request, reads and writes, until a response closes the connection or a request fails. */
  async function keepBusy(client: Client, index: number): Promise<Outcome[]> {
    const outcomes: Outcome[] = [];
    for (;;) {
      const isWrite = (index + outcomes.length) % 4 === 0;
      const outcome = isWrite
        ? await client.send(
            USERS,
            'PUT',
            JSON.stringify({ id: person.userId, lastName: `L${outcomes.length}` }),
          )
        : await client.send(`${USERS}?pageSize=5`);
      outcomes.push(outcome);
      if (outcome.closes || outcome.error !== undefined) return outcomes;
    }
  }

  const rounds = getKillCount(kind, SHARE);
  test(
    `SIGTERM under load loses no request that was sent before the listener closed (${rounds} rounds)`,
    async () => {
      for (let round = 0; round < rounds; round += 1) {
        const running = await start();
        const idle = Array.from({ length: WAITING_CONNECTIONS }, () => createClient(running, getHeaders()));
        await Promise.all(idle.map((client) => client.send('/healthz')));
        const busy = Array.from({ length: BUSY_CLIENTS }, () => createClient(running, getHeaders()));
        // Every busy client has a connection and a different number of answers when the signal comes.
        await Promise.all(busy.map((client) => client.send('/healthz')));
        const load = busy.map(keepBusy);
        for (let count = 0; count < 3 + round; count += 1) await idle[0]?.send('/healthz');
        const { port, hostname } = new URL(running.address);
        // Requests on new connections that the service has perhaps not accepted yet.
        const fresh = Array.from({ length: WAITING_CONNECTIONS }, () => connect(Number(port), hostname));
        await Promise.all(fresh.map((socket) => once(socket, 'connect')));
        const freshAnswers = fresh.map((socket) => {
          socket.write('GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n');
          return text(socket).catch(String);
        });
        // Requests on connections that were unused until now.
        const lastRequests = idle.map((client) => client.send(`${USERS}?pageSize=1`));
        running.child.kill('SIGTERM');

        const outcomes = (await Promise.all([...load, ...lastRequests])).flat();
        const closedAt = Date.parse((await running.waitForRecord('no longer listening')).time);
        const lost = outcomes.filter(({ sentAt, status }) => sentAt < closedAt && status !== 200);
        expect(lost).toEqual([]);
        expect(outcomes.filter(({ closes }) => closes).length).toBeGreaterThanOrEqual(BUSY_CLIENTS);
        for (const answer of await Promise.all(freshAnswers)) expect(answer).toMatch(/^HTTP\/1\.1 200 /);
        expect(await running.exited).toBe(0);
      }
    },
    60_000 + rounds * 10_000,
  );

  test('with STOP_TIMEOUT it ends although a request has not', async () => {
    const running = await start({ STOP_TIMEOUT: '1' });
    const { port, hostname } = new URL(running.address);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    // A request whose body never arrives.
    socket.write(
      `PUT ${USERS} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${person.token}\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n{`,
    );
    // Its answer shows that the service has read what came before.
    await createClient(running).send('/livez');
    running.child.kill('SIGTERM');
    await running.waitForRecord('no longer listening');
    expect(await running.exited).toBe(1);
    socket.destroy();
  });

  test('it ends in order although the reader of a stream has stopped reading', async () => {
    const { db, close } = await openDatabase(testDatabase);
    await publishCells(db, person.siteId, Array<string>(STREAMED_EVENTS).fill('x'.repeat(STREAMED_LENGTH)));
    await close();
    const running = await start();
    const { port, hostname } = new URL(running.address);
    const socket = connect(Number(port), hostname).on('error', () => {});
    await once(socket, 'connect');
    socket.write(
      `GET ${STREAM} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${person.token}\r\nlast-event-id: 0\r\n\r\n`,
    );
    const [head] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    expect(String(head)).toMatch(/^HTTP\/1\.1 200 /);
    // The service waits for the reader when what the operating system holds for it grows no more.
    let last = '';
    await vi.waitUntil(
      () => {
        const held = readHeldBytes(Number(port), socket.localPort);
        const isWaiting = held === last && !held.startsWith(NOTHING_HELD);
        last = held;
        return isWaiting;
      },
      { interval: 300, timeout: 30_000 },
    );
    running.child.kill('SIGTERM');
    expect(await running.exited).toBe(0);
    socket.destroy();
  });

  test('with STOP_DELAY it reports not ready first and answers new connections until the delay is over', async () => {
    const running = await start({ STOP_DELAY: '3' });
    const client = createClient(running);
    expect(await client.send('/readyz')).toMatchObject({ status: 200, closes: false });
    running.child.kill('SIGTERM');
    await running.waitForRecord('stopping');
    expect(await client.send('/readyz')).toMatchObject({ status: 503, closes: true });
    expect(await createClient(running).send('/healthz')).toMatchObject({ status: 200, closes: true });
    expect(await running.exited).toBe(0);
  });
});

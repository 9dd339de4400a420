/** NATS JetStream as a destination, with a real server and with servers that misbehave. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import type { DeliveryAttempt, Destination } from '../../../../contract/generated/types.gen.ts';
import { createEgress, parseEgressRules } from '../../../kernel/network/egress.ts';
import { createLog } from '../../../kernel/telemetry/log.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import { ensureNatsServer, startNats, type NatsServer } from '../../../testing/servers/nats.ts';
import { as, makePerson, makeSite, onEachApp, services } from '../../../testing/site.ts';
import { runTask } from '../../../testing/tasks.ts';
import { createDeliveryTask } from './deliver.ts';
import { createJetStreamPublisher } from './jetstream.ts';

const DESTINATIONS = '/api/rest/v1/publication/destinations';
const program = ensureNatsServer();
const CREDENTIALS = { user: 'steward', password: 'correct-horse' };
const USERS = `{ user: "${CREDENTIALS.user}", password: "${CREDENTIALS.password}" }, { user: "reader", password: "x", permissions: { publish: "_INBOX.>" } }`;

/** Failures are reported after this time; enough for a connection on a busy machine where one must succeed. */
const LIMITS_MS = { failure: 400, success: 2_000 };
const createTestEgress = (allow = '127.0.0.1', timeLimitMs = LIMITS_MS.failure) =>
  createEgress({
    rules: parseEgressRules(allow) ?? [],
    log: createLog('silent'),
    timeLimitMs,
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  });
const testServices = { ...services, egress: createTestEgress('127.0.0.1', LIMITS_MS.success) };
const NOT_CALLED = { status: null, detail: 'The server cannot be called' };

describe.skipIf(program === undefined)('a real server', () => {
  let server: NatsServer;
  beforeAll(async () => {
    server = await startNats(program ?? '', `authorization { users: [${USERS}] }`);
  });
  afterAll(() => server.remove());

  /** Runs a task with a connection that has the rights to see all. */
  async function inspect<T>(
    task: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
  ): Promise<T> {
    const { user, password } = CREDENTIALS;
    const nats = await connect({ servers: `127.0.0.1:${server.port}`, user, pass: password });
    try {
      return await task(await jetstreamManager(nats));
    } finally {
      await nats.close();
    }
  }

  onEachApp(
    (context) => {
      test('stores each event once and in order, across failures and a server that was down', async () => {
        const { app, db } = context();
        const person = await makePerson(db, await makeSite(db));
        const api = as(app, person);
        // Both databases have the same site ids.
        const stream = `S${randomUUID()}`;
        const subject = `steward.${stream}.users`;
        const deliver = () => runTask(createDeliveryTask({ db, services: testServices }));
        const createGroups = async (...names: string[]) => {
          for (const name of names) expect((await api.post('user/group', { name })).status).toBe(200);
        };
        const topics = await api.get<{ id: number; name: string }[]>(
          '/api/rest/v1/publication/topicdefinitions',
        );
        const created = await api.post<Destination & ErrorBody>(DESTINATIONS, {
          topicId: topics.body.find(({ name }) => name === 'default-users')?.id,
          name: 'Bus',
          kind: 'JetStream',
          url: `nats://127.0.0.1:${server.port}`,
          subject,
          credentials: CREDENTIALS,
        });
        expect([created.status, created.body]).toMatchObject([
          200,
          { kind: 'JetStream', subject, hasCredentials: true },
        ]);
        const path = `${DESTINATIONS}/${created.body.id}`;
        const makeDue = () =>
          sql`update publication_destination set next_attempt_at = now() - interval '1 second'
            where destination_id = ${created.body.id}`.execute(db);
        const readAttempts = async () => (await api.get<DeliveryAttempt[]>(`${path}/attempts`)).body;
        const fail = async () => {
          await makeDue();
          await deliver();
          const [attempt] = await readAttempts();
          return { status: attempt?.status, detail: attempt?.detail };
        };
        await createGroups('A', 'B');
        expect(await fail()).toEqual({
          status: 503,
          detail: `No stream of the server has the subject ${subject}`,
        });
        await inspect((manager) => manager.streams.add({ name: stream, subjects: [subject] }));
        await api.put(path, { credentials: { user: 'reader', password: 'x' } });
        expect(await fail()).toEqual({
          status: 403,
          detail: `The credentials do not permit messages to ${subject}`,
        });
        await api.put(path, { credentials: { ...CREDENTIALS, password: 'wrong' } });
        expect(await fail()).toEqual({ status: 401, detail: 'The server refused the credentials' });
        await server.stop();
        await api.put(path, { credentials: CREDENTIALS });
        expect(await fail()).toEqual(NOT_CALLED);
        await server.start();
        await makeDue();
        // Two processes at the same time.
        await Promise.all([deliver(), deliver()]);
        await createGroups('C');
        await deliver();
        // A process that ended before it saved that the stream has the message sends it again.
        const [last] = await readAttempts();
        expect(last?.address).toBe(`nats://127.0.0.1:${server.port} ${subject}`);
        const resent = await api.post<{ attempts: DeliveryAttempt[] }>(`${path}/resend`, {
          offset: last?.offset,
        });
        expect(resent.body.attempts).toMatchObject([
          { status: 200, detail: `Stream ${stream}, sequence 3, already stored` },
        ]);
        expect((await api.get<Destination>(path)).body).toMatchObject({ lag: 0, failures: 0 });
        const stored = await inspect(async (manager) => {
          const { messages } = (await manager.streams.info(stream)).state;
          const all = await Promise.all(
            Array.from({ length: messages }, (_, index) =>
              manager.streams.getMessage(stream, { seq: index + 1 }),
            ),
          );
          return all.map((message) => {
            const event = message?.json<{
              eventId: string;
              payload: { entities: { created: [{ name: string }] } };
            }>();
            expect(message?.header.get('Nats-Msg-Id')).toBe(`${event?.eventId}.${created.body.id}`);
            return event?.payload.entities.created[0].name;
          });
        });
        expect(stored).toEqual(['A', 'B', 'C']);
        // Neither answers nor the audit log have the password, and the database has it encrypted.
        const { rows } = await sql<{ text: string }>`
          select row_to_json(a)::text as text from audit_log a where site_id = ${person.siteId}
          union all select row_to_json(d)::text from publication_destination d where site_id = ${person.siteId}`.execute(
          db,
        );
        const texts = [...rows.map(({ text }) => text), (await api.get(DESTINATIONS)).text, created.text];
        expect(texts.join()).not.toContain(CREDENTIALS.password);
      });

      test('stores an event for each of the destinations that share a stream', async () => {
        const { app, db } = context();
        const api = as(app, await makePerson(db, await makeSite(db)));
        const stream = `S${randomUUID()}`;
        const subjects = ['one', 'two'].map((name) => `steward.${stream}.${name}`);
        await inspect((manager) => manager.streams.add({ name: stream, subjects }));
        const topics = await api.get<{ id: number; name: string }[]>(
          '/api/rest/v1/publication/topicdefinitions',
        );
        for (const subject of subjects)
          await api.post(DESTINATIONS, {
            topicId: topics.body.find(({ name }) => name === 'default-users')?.id,
            name: subject,
            kind: 'JetStream',
            url: `nats://127.0.0.1:${server.port}`,
            subject,
            credentials: CREDENTIALS,
          });
        expect((await api.post('user/group', { name: 'A' })).status).toBe(200);
        await runTask(createDeliveryTask({ db, services: testServices }));
        const { state } = await inspect((manager) => manager.streams.info(stream, { subjects_filter: '>' }));
        expect(state.subjects).toEqual(Object.fromEntries(subjects.map((subject) => [subject, 1])));
      });

      test('needs a subject and one kind of credentials, which are not sent to another address', async () => {
        const { app, db } = context();
        const api = as(app, await makePerson(db, await makeSite(db)));
        const topics = await api.get<{ id: number }[]>('/api/rest/v1/publication/topicdefinitions');
        const base = { topicId: topics.body[0]?.id, name: 'Bus', kind: 'JetStream', subject: 'a.b' };
        const url = 'tls://nats.example.com';
        const create = (body: object) =>
          api.post<Destination & ErrorBody>(DESTINATIONS, { ...base, url, ...body });
        const refused = [
          { subject: undefined, url: 'nats://nats.example.com', credentials: { user: 'a', token: 'b' } },
          { kind: 'Webhook', url: 'https://hooks.example.com', credentials: { token: 'a' } },
        ];
        const errors = await Promise.all(refused.map(async (body) => (await create(body)).body.errors));
        expect(errors).toEqual([
          [
            { path: 'url', message: 'must start with tls://' },
            { path: 'subject', message: 'is required for JetStream' },
            { path: 'credentials', message: 'must be user and password, token, or credentialsFile' },
          ],
          [
            { path: 'subject', message: 'is for JetStream only' },
            { path: 'credentials', message: 'are for JetStream only' },
          ],
        ]);
        expect((await create({ subject: '$JS.API.>' })).status).toBe(400);
        const { body: destination } = await create({ credentials: { token: 'secret' } });
        const path = `${DESTINATIONS}/${destination.id}`;
        const moved = { url: 'tls://attacker.example.com' };
        expect((await api.put<ErrorBody>(path, moved)).body.errors).toEqual([
          { path: 'credentials', message: 'must be given again with another url' },
        ]);
        expect((await api.put<Destination>(path, { ...moved, credentials: null })).body).toMatchObject({
          ...moved,
          hasCredentials: false,
        });
      });
    },
    { services: testServices },
  );

  test('is called by TLS with a certificate that is valid for its name or address only', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'steward-tls-'));
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const trusted = getCACertificates();
    const request =
      'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=nats.test' +
      ` -addext subjectAltName=DNS:nats.test,IP:127.0.0.1 -keyout ${key} -out ${cert}`;
    execFileSync('openssl', request.split(' '), { stdio: 'ignore' });
    const secure = await startNats(program ?? '', `tls { cert_file: "${cert}", key_file: "${key}" }`);
    const publish = async (host: string, timeLimitMs = LIMITS_MS.success) => {
      const publisher = createJetStreamPublisher(createTestEgress('127.0.0.1', timeLimitMs), {
        url: `tls://${host}:${secure.port}`,
        subject: 'none',
        credentials: undefined,
      });
      try {
        return (await publisher.publish({ messageId: 'e', body: '{}' })).status;
      } finally {
        await publisher.close();
      }
    };
    try {
      expect(await publish('nats.test', LIMITS_MS.failure)).toBeNull();
      setDefaultCACertificates([...trusted, readFileSync(cert, 'utf8')]);
      // 503: the server has answered that there is no stream.
      const statuses = await Promise.all([
        publish('nats.test'),
        publish('127.0.0.1'),
        publish('other.test', LIMITS_MS.failure),
      ]);
      expect(statuses).toEqual([503, 503, null]);
    } finally {
      setDefaultCACertificates(trusted);
      await secure.remove();
      rmSync(folder, { recursive: true });
    }
  });
});

/** Publishes a message with credentials. */
const publishOnce = async (url: string, egress = createTestEgress()) => {
  const credentials = { token: 'secret' };
  const publisher = createJetStreamPublisher(egress, { url, subject: 'a', credentials });
  const result = await publisher.publish({ messageId: 'e', body: '{}' });
  await publisher.close();
  return result;
};
/** The first message of a server. */
const info = (properties: object) =>
  `INFO ${JSON.stringify({ server_id: 'x', version: '2.9.10', proto: 1, headers: true, max_payload: 1_000_000, ...properties })}\r\n`;

describe('a server that misbehaves', () => {
  const sockets: Socket[] = [];
  let received = '';
  let endServer: (() => void) | undefined;
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
    received = '';
    endServer?.();
  });

  async function listen(onConnection: (socket: Socket) => void): Promise<number> {
    const server = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', (chunk) => (received += chunk.toString())).on('error', () => {});
      onConnection(socket);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    endServer = () => server.close();
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  }

  test('gets no connection when the egress rules do not allow its address, and no credentials without TLS', async () => {
    const port = await listen((socket) => socket.write(info({})));
    expect(await publishOnce(`tls://nats.test:${port}`, createTestEgress('public'))).toEqual(NOT_CALLED);
    expect(sockets).toHaveLength(0);
    expect(await publishOnce(`tls://nats.test:${port}`)).toEqual(NOT_CALLED);
    expect([sockets.length, received]).toEqual([1, '']);
  });

  test('cannot name another server, and does not keep the connection', async () => {
    const port = await listen((socket) => {
      socket.write(info({ connect_urls: [`127.0.0.2:${port}`, `localhost:${port}`] }));
      socket.on('data', () => {
        if (received.includes('PING')) socket.end();
      });
    });
    expect(await publishOnce(`nats://127.0.0.1:${port}`)).toEqual(NOT_CALLED);
    expect(sockets).toHaveLength(1);
  });

  test.each([
    ['sends without end', 'x'.repeat(65_536)],
    ['sends nothing', ''],
  ])('%s, and is disconnected', async (_name, text) => {
    let sent = 0;
    const port = await listen((socket) => {
      const write = () => {
        while (!socket.destroyed && socket.write(text)) sent += text.length;
      };
      if (text === '') return;
      socket.on('drain', write);
      write();
    });
    expect(await publishOnce(`nats://127.0.0.1:${port}`)).toEqual(NOT_CALLED);
    await vi.waitUntil(() => sockets.every(({ destroyed }) => destroyed), { timeout: 20_000 });
    expect(sent).toBeLessThan(500e6);
  });

  test('is disconnected at once when its name was found too late', async () => {
    const port = await listen(() => {});
    const egress = createEgress({
      rules: parseEgressRules('localhost') ?? [],
      log: createLog('silent'),
      timeLimitMs: 2_000,
      async lookup() {
        await sleep(1_300);
        return [{ address: '127.0.0.1', family: 4 }];
      },
    });
    const target = { url: `nats://localhost:${port}`, subject: 'a', credentials: undefined };
    const publisher = createJetStreamPublisher(egress, target);
    expect(await publisher.publish({ messageId: 'x', body: '{}' })).toEqual(NOT_CALLED);
    await vi.waitUntil(() => sockets.length === 1 && sockets[0]?.destroyed, { timeout: 5_000 });
  });
});

/** Destinations with a receiver that fails on purpose. */
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { sql } from 'kysely';
import { Webhook } from 'standardwebhooks';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { DeliveryAttempt, Destination } from '../../../../contract/generated/types.gen.ts';
import { createEncryption } from '../../../kernel/auth/encryption.ts';
import { withTransaction } from '../../../kernel/db/database.ts';
import { createEgress, parseEgressRules } from '../../../kernel/network/egress.ts';
import { deleteExpiredEventsTask } from '../../../kernel/outbox/delete-expired-events.ts';
import { createLog } from '../../../kernel/telemetry/log.ts';
import type { ErrorBody } from '../../../testing/calls.ts';
import { untilSomebodyWaits } from '../../../testing/databases.ts';
import { readLoopbackTls, trustLoopbackCertificate } from '../../../testing/servers/agent-clients.ts';
import { as, makePerson, makeSite, onEachApp, services, type Person } from '../../../testing/site.ts';
import { runTask } from '../../../testing/tasks.ts';
import { ageEvents } from '../../../testing/topic-messages.ts';
import {
  createAttemptRetentionTask,
  createDeliveryTask,
  DELIVERY_TASKS,
  getDeliveryRetryMs,
} from './deliver.ts';
import { deleteDestination, insertAttempt, insertDestination } from './destinations.store.ts';

const DESTINATIONS = '/api/rest/v1/publication/destinations';
/** Failures of an outgoing request are reported after this time. */
const TIME_LIMIT_MS = 1_500;
const testServices = {
  ...services,
  egress: createEgress({
    rules: parseEgressRules('127.0.0.1') ?? [],
    log: createLog('silent'),
    timeLimitMs: TIME_LIMIT_MS,
  }),
};

type Answer = (request: IncomingMessage, response: ServerResponse, body: string) => void;
interface Received {
  headers: Record<string, string>;
  body: string;
  name: unknown;
}
const answerOk: Answer = (_request, response) => response.end('thanks');
const answerLarge: Answer = (_request, response) => response.end(Buffer.alloc(10_000_000));
const answerWithoutEnd: Answer = (_request, response) => void response.writeHead(200).write('x');
const answerStatus =
  (status: number, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    response.writeHead(status, headers).end('no');

/** @returns the address and the port */
async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
}

test('a failing destination is tried again after 5 s, 20 s, 80 s, and at most after an hour', () => {
  expect([1, 2, 3, 9].map(getDeliveryRetryMs)).toEqual([5_000, 20_000, 80_000, 3_600_000]);
});

onEachApp(
  (context) => {
    let person: Person;
    let server: Server;
    let url = '';
    let answer: Answer = answerOk;
    let received: Received[] = [];
    beforeEach(async () => {
      person = await makePerson(context().db, await makeSite(context().db));
      answer = answerOk;
      received = [];
      server = createServer(receive);
      url = `http://${await listen(server)}/hook`;
    });
    afterEach(() => stop(server));

    const receive = (request: IncomingMessage, response: ServerResponse) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => {
        const message = JSON.parse(body) as { payload: { entities: { created: { name: unknown }[] } } };
        const headers = request.headers as Record<string, string>;
        received.push({ headers, body, name: message.payload.entities.created[0]?.name });
        answer(request, response, body);
      });
    };

    const api = () => as(context().app, person);
    const deliver = () => runTask(createDeliveryTask({ db: context().db, services: testServices }));
    const createGroups = async (...names: string[]) => {
      for (const name of names) expect((await api().post('user/group', { name })).status).toBe(200);
    };
    async function createDestination(name = 'Warehouse'): Promise<Destination> {
      const topics = await api().get<{ id: number; name: string }[]>(
        '/api/rest/v1/publication/topicdefinitions',
      );
      const topicId = topics.body.find((topic) => topic.name === 'default-users')?.id;
      const created = await api().post<Destination>(DESTINATIONS, { topicId, name, url });
      expect([created.status, created.text]).toEqual([200, created.text]);
      return created.body;
    }
    const read = async ({ id }: Destination) => (await api().get<Destination>(`${DESTINATIONS}/${id}`)).body;
    const listAttempts = async ({ id }: Destination) =>
      (await api().get<DeliveryAttempt[]>(`${DESTINATIONS}/${id}/attempts`)).body;
    /** Makes the next attempt due, of a destination that has been failing for these days. */
    const makeDue = ({ id }: Destination, failingDays = 0) =>
      sql`update publication_destination set next_attempt_at = now() - interval '1 second',
          failing_since = case when failures > 0 then now() - ${`${failingDays} days`}::interval end
        where destination_id = ${id}`.execute(context().db);

    test('requests at the same time do not exceed the limit of a site', async () => {
      const { topicId, siteId } = { ...(await createDestination()), siteId: person.siteId };
      const { creating } = await withTransaction(context().db, { lockedSiteId: siteId }, async (tx) => {
        for (let at = 2; at <= 50; at += 1)
          await insertDestination(tx, siteId, {
            topicId,
            name: `Warehouse ${at}`,
            kind: 'Webhook',
            url,
            subject: null,
            secret: Buffer.alloc(64),
          });
        const started = { creating: api().post(DESTINATIONS, { topicId, name: 'One more', url }) };
        await Promise.race([started.creating, untilSomebodyWaits(context().db)]);
        return started;
      });
      expect((await creating).status).toBe(409);
    });

    test('gets each event once, in order, with a signature that the library of Standard Webhooks verifies', async () => {
      await createGroups('Before');
      const destination = await createDestination();
      expect(destination.secret).toMatch(/^whsec_/);
      await createGroups('A', 'B', 'C');
      // Two processes at the same time.
      await Promise.all([deliver(), deliver()]);
      expect(received.map(({ name }) => name)).toEqual(['A', 'B', 'C']);
      for (const { headers, body } of received) {
        const verified = new Webhook(destination.secret ?? '').verify(body, headers) as { eventId: string };
        expect(headers['webhook-id']).toBe(`${verified.eventId}.${destination.id}`);
        expect(() => new Webhook(destination.secret ?? '').verify(`${body} `, headers)).toThrow(
          'No matching signature found',
        );
      }
      expect(await read(destination)).toMatchObject({ lag: 0, failures: 0, isEnabled: true });
      expect(await listAttempts(destination)).toMatchObject([
        { status: 200, detail: 'thanks', address: url },
        { status: 200 },
        { status: 200 },
      ]);
      // An event after a finished batch is delivered by the next run.
      await createGroups('D');
      await deliver();
      expect(received.map(({ name }) => name)).toEqual(['A', 'B', 'C', 'D']);
      // The key is shown once.
      expect(JSON.stringify(await api().get(DESTINATIONS))).not.toContain('whsec_');
    });

    test.each([
      ['an error', answerStatus(500), 500],
      ['a redirect', answerStatus(302, { location: '/other' }), 302],
      ['no answer', () => {}, null],
      ['an answer of 10 MB', answerLarge, null],
      ['an answer that does not end', answerWithoutEnd, null],
    ])('%s holds up the later events until an attempt succeeds', async (_name, failing, status) => {
      const destination = await createDestination();
      await createGroups('A', 'B');
      answer = failing;
      await deliver();
      expect(received.map(({ name }) => name)).toEqual(['A']);
      expect(await read(destination)).toMatchObject({ lag: 2, failures: 1, isEnabled: true });
      expect(await listAttempts(destination)).toMatchObject([{ status }]);
      // Not due yet.
      await deliver();
      expect(received).toHaveLength(1);
      answer = answerOk;
      await makeDue(destination);
      await deliver();
      expect(received.map(({ name }) => name)).toEqual(['A', 'A', 'B']);
      expect(await read(destination)).toMatchObject({ lag: 0, failures: 0, failingSince: null });
    });

    test('has messages of its own for a receiver that drops repeats, which keep their id when they are sent again', async () => {
      const destinations = [await createDestination(), await createDestination('Office')];
      await createGroups('A');
      answer = answerStatus(500);
      await deliver();
      answer = answerOk;
      for (const destination of destinations) await makeDue(destination);
      await deliver();
      const ids = received.map(({ headers }) => headers['webhook-id']);
      const [first] = received;
      const { eventId } = JSON.parse(first?.body ?? '') as { eventId: string };
      const own = destinations.map(({ id }) => `${eventId}.${id}`);
      expect(ids).toEqual([...own, ...own]);
    });

    test('is called by TLS, but not with a certificate that the service does not trust', async () => {
      const secure = createSecureServer(readLoopbackTls(), receive);
      url = `https://${await listen(secure)}/hook`;
      const trusted = getCACertificates();
      try {
        const destination = await createDestination();
        await createGroups('A');
        await deliver();
        expect(received).toEqual([]);
        expect(await read(destination)).toMatchObject({ lag: 1, failures: 1, isEnabled: true });
        expect(await listAttempts(destination)).toMatchObject([
          { status: null, detail: 'The server cannot be called' },
        ]);
        trustLoopbackCertificate();
        await makeDue(destination);
        await deliver();
        expect(received.map(({ name }) => name)).toEqual(['A']);
        expect(await read(destination)).toMatchObject({ lag: 0, failures: 0 });
      } finally {
        setDefaultCACertificates(trusted);
        await stop(secure);
      }
    });

    test('a signing key that cannot be decrypted fails as an attempt, with the reason', async () => {
      const destination = await createDestination();
      await createGroups('A');
      const encryption = createEncryption(Buffer.alloc(32));
      await runTask(createDeliveryTask({ db: context().db, services: { ...testServices, encryption } }));
      const detail =
        'The signing key cannot be decrypted: A secret was encrypted with another key: set STEWARD_SECRET_KEY, or restore secret.key in the data folder';
      expect(await listAttempts(destination)).toMatchObject([{ status: null, detail, address: url }]);
      expect(await read(destination)).toMatchObject({ lag: 1, failures: 1, isEnabled: true });
      // One event that is sent again has the same answer.
      await sql`update publication_destination set secret = ${randomBytes(64)} where destination_id = ${destination.id}`.execute(
        context().db,
      );
      const offset = (await listAttempts(destination))[0]?.offset;
      const resent = await api().post<{ attempts: DeliveryAttempt[] }>(
        `${DESTINATIONS}/${destination.id}/resend`,
        { offset },
      );
      expect([resent.status, resent.body.attempts]).toMatchObject([200, [{ status: null, detail }]]);
      expect(received).toEqual([]);
    });

    test('is switched off after 3 days of failures, which the administrators are told, and continues where it ended', async () => {
      const unmailed = await makePerson(context().db, person.siteId);
      await sql`insert into notification_setting (site_id, user_id, category, in_console, by_mail, in_browser)
        values (${person.siteId}, ${unmailed.userId}, 'alert', true, false, false)`.execute(context().db);
      const destination = await createDestination();
      await createGroups('A');
      answer = answerStatus(500);
      await deliver();
      await makeDue(destination, 2.9);
      // The clock of one process is wrong: the time of the database counts.
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 86_400_000 });
      await deliver();
      vi.useRealTimers();
      expect(await read(destination)).toMatchObject({ isEnabled: true, failures: 2 });
      await makeDue(destination, 3);
      await deliver();
      expect(await read(destination)).toMatchObject({
        isEnabled: false,
        disabledReason: 'The destination answered 500',
      });
      const { rows } = await sql<{ title: string }>`
        select title from notification where site_id = ${person.siteId} and user_id = ${person.userId}`.execute(
        context().db,
      );
      expect(rows).toEqual([{ title: 'Events are no longer sent to Warehouse' }]);
      // By mail as well, unless the user wants none.
      const mails = await sql<{ recipient: string; subject: string }>`
        select recipient, subject from mail where site_id = ${person.siteId}`.execute(context().db);
      expect(mails.rows).toEqual([
        {
          recipient: person.email,
          subject: expect.stringMatching(/: Events are no longer sent to Warehouse$/) as string,
        },
      ]);
      answer = answerOk;
      const count = received.length;
      await makeDue(destination);
      await deliver();
      expect(received).toHaveLength(count);
      await api().put(`${DESTINATIONS}/${destination.id}`, { isEnabled: true });
      await deliver();
      expect(received.slice(count).map(({ name }) => name)).toEqual(['A']);
    });

    test('a change during an attempt counts: its failure neither delays the next one nor switches off', async () => {
      const destination = await createDestination();
      await createGroups('A');
      answer = answerStatus(500);
      await deliver();
      await makeDue(destination, 4);
      answer = (_request, response) => {
        const moved = { url: `${url}/moved`, isEnabled: true };
        void api()
          .put(`${DESTINATIONS}/${destination.id}`, moved)
          .finally(() => response.writeHead(500).end('no'));
      };
      await deliver();
      expect(await read(destination)).toMatchObject({
        isEnabled: true,
        disabledReason: null,
        failures: 0,
        failingSince: null,
      });
      answer = answerOk;
      await deliver();
      expect(received.map(({ name }) => name)).toEqual(['A', 'A', 'A']);
      expect(await listAttempts(destination)).toMatchObject([
        { status: 200, address: `${url}/moved` },
        { status: 500, address: url },
        { status: 500, address: url },
      ]);
      expect(await read(destination)).toMatchObject({ lag: 0 });
    });

    test('a receiver that is slow does not hold up other destinations', async () => {
      const slow = await createDestination();
      const other = await createDestination('Office');
      await createGroups('A', 'B');
      const held: ServerResponse[] = [];
      // The first request is answered when the other destination has got all its events.
      answer = (_request, response) => {
        if (received.length === 1) held.push(response);
        else response.end();
        if (received.length === 3) held[0]?.end();
      };
      await Promise.all(
        DELIVERY_TASKS.map((name) =>
          runTask(createDeliveryTask({ db: context().db, services: testServices }, name)),
        ),
      );
      expect(received.map(({ name }) => name)).toEqual(['A', 'A', 'B', 'B']);
      for (const destination of [slow, other])
        expect(await read(destination)).toMatchObject({ lag: 0, failures: 0 });
    });

    test('a stop ends a batch after the message on its way, and another process continues at once', async () => {
      const destination = await createDestination();
      await createGroups('A', 'B', 'C');
      const stopping = new AbortController();
      answer = (_request, response) => {
        stopping.abort();
        response.end();
      };
      await createDeliveryTask({ db: context().db, services: testServices }).run(stopping.signal);
      expect(received.map(({ name }) => name)).toEqual(['A']);
      expect(await read(destination)).toMatchObject({ lag: 2, failures: 0 });
      await deliver();
      expect(received.map(({ name }) => name)).toEqual(['A', 'B', 'C']);
    });

    test('events that are sent again at the same time are each answered with their own attempt', async () => {
      const destination = await createDestination();
      await createGroups('A', 'B');
      await deliver();
      const [newest, oldest] = await listAttempts(destination);
      const offsets = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? newest : oldest)?.offset);
      const answers = await Promise.all(
        offsets.map((offset) =>
          api().post<{ attempts: DeliveryAttempt[] }>(`${DESTINATIONS}/${destination.id}/resend`, { offset }),
        ),
      );
      expect(answers.map(({ body }) => body.attempts.map(({ offset }) => offset))).toEqual(
        offsets.map((offset) => [offset]),
      );
    });

    test('an event that is sent again while the destination is changed goes to the new address', async () => {
      const { db } = context();
      const { id } = await createDestination();
      await createGroups('A');
      const { resending } = await withTransaction(db, {}, async (tx) => {
        await sql`update publication_destination set url = ${`${url}/moved`} where destination_id = ${id}`.execute(
          tx,
        );
        const started = {
          resending: api().post<{ attempts: DeliveryAttempt[] }>(`${DESTINATIONS}/${id}/resend`, {
            offset: 0,
          }),
        };
        await Promise.race([started.resending, untilSomebodyWaits(db)]);
        return started;
      });
      expect((await resending).body.attempts).toMatchObject([{ status: 200, address: `${url}/moved` }]);
    });

    test('an attempt that ends while its destination is deleted is not recorded', async () => {
      const { db } = context();
      const { id } = await createDestination();
      const attempt = { off: 0, eventId: randomUUID(), address: url, durationMs: 1, status: 200, detail: '' };
      const { inserting } = await withTransaction(db, {}, async (tx) => {
        await deleteDestination(tx, person.siteId, id);
        const started = { inserting: insertAttempt(db, person.siteId, id, attempt) };
        await Promise.race([started.inserting, untilSomebodyWaits(db)]);
        return started;
      });
      expect(await inserting).toBeUndefined();
    });

    test('waits for no events that were deleted before they were delivered, counts them and tells the administrators once', async () => {
      const { db } = context();
      const destination = await createDestination();
      await createGroups('A', 'B', 'C');
      await api().put(`${DESTINATIONS}/${destination.id}`, { isEnabled: false });
      const start = destination.next;
      expect(await read(destination)).toMatchObject({ next: start, lag: 3, lostEvents: 0, lostDate: null });
      await ageEvents(db, person.siteId, 10, { end: start + 2 });
      await runTask(deleteExpiredEventsTask({ db }));
      expect(await read(destination)).toMatchObject({
        next: start + 2,
        lag: 1,
        lostEvents: 2,
        lostDate: null,
      });
      await api().put(`${DESTINATIONS}/${destination.id}`, { isEnabled: true });
      answer = answerStatus(500);
      await deliver();
      expect(received.map(({ name }) => name)).toEqual(['C']);
      const found = { next: start + 2, lag: 1, lostEvents: 2, lostDate: expect.any(String) as unknown };
      expect(await read(destination)).toMatchObject(found);
      const notices = () =>
        sql<{ title: string; detail: string; path: string }>`
          select title, detail, path from notification where site_id = ${person.siteId} and user_id = ${person.userId}`.execute(
          db,
        );
      const notice = {
        title: 'Warehouse has lost 2 events',
        detail: `Events are kept for 9 days. 2 events of default-users were deleted before delivery (offsets ${start} to ${start + 1}).`,
        path: `/publications/destinations/${destination.id}`,
      };
      expect((await notices()).rows).toEqual([notice]);
      // All that was due is deleted; the loss goes on.
      await ageEvents(db, person.siteId, 10, { end: start + 3 });
      await runTask(deleteExpiredEventsTask({ db }));
      expect(await read(destination)).toMatchObject({ next: start + 3, lag: 0, lostEvents: 3 });
      await makeDue(destination);
      await deliver();
      expect(received).toHaveLength(1);
      expect(await read(destination)).toMatchObject({ next: start + 3, lag: 0, lostEvents: 3 });
      expect((await notices()).rows).toEqual([notice]);
      // A loss after a day without one is another.
      await sql`update publication_destination set lost_at = now() - interval '25 hours'
        where destination_id = ${destination.id}`.execute(db);
      await createGroups('D');
      await ageEvents(db, person.siteId, 10);
      await runTask(deleteExpiredEventsTask({ db }));
      await createGroups('E');
      answer = answerOk;
      await deliver();
      expect(received.map(({ name }) => name)).toEqual(['C', 'E']);
      expect(await read(destination)).toMatchObject({ lag: 0, lostEvents: 4 });
      expect((await notices()).rows.map(({ title }) => title)).toEqual([
        notice.title,
        'Warehouse has lost 1 event',
      ]);
    });

    test('counts deleted events that a resend skips', async () => {
      const { db } = context();
      const destination = await createDestination();
      await createGroups('A', 'B', 'C');
      await api().put(`${DESTINATIONS}/${destination.id}`, { isEnabled: false });
      await ageEvents(db, person.siteId, 10, { end: destination.next + 2 });
      await runTask(deleteExpiredEventsTask({ db }));
      const path = `${DESTINATIONS}/${destination.id}`;
      expect((await api().post(`${path}/resend`, { since: '2020-01-01T00:00:00Z' })).status).toBe(200);
      expect(await read(destination)).toMatchObject({
        next: destination.next + 2,
        lag: 1,
        lostEvents: 2,
        lostDate: expect.any(String) as unknown,
      });
    });

    test('gets a single event or all since a moment again', async () => {
      const destination = await createDestination();
      await createGroups('A', 'B');
      await deliver();
      const resend = (body: object) =>
        api().post<{ attempts: DeliveryAttempt[] } & ErrorBody>(
          `${DESTINATIONS}/${destination.id}/resend`,
          body,
        );
      const [newest, oldest] = await listAttempts(destination);
      await api().put(`${DESTINATIONS}/${destination.id}`, { url: `${url}/moved` });
      expect((await resend({ offset: oldest?.offset })).body.attempts).toMatchObject([
        { offset: oldest?.offset, status: 200, address: `${url}/moved` },
      ]);
      // An attempt keeps the address that it was sent to.
      expect((await listAttempts(destination)).map(({ address }) => address)).toEqual([
        `${url}/moved`,
        url,
        url,
      ]);
      expect(received.map(({ name }) => name)).toEqual(['A', 'B', 'A']);
      expect((await resend({ since: '2020-01-01T00:00:00Z' })).status).toBe(200);
      await deliver();
      expect(received.slice(3).map(({ name }) => name)).toEqual(['A', 'B']);
      expect((await resend({ offset: (newest?.offset ?? 0) + 1 })).status).toBe(400);
      expect((await resend({})).status).toBe(400);
      const yearZero = await resend({ since: '0000-01-01T00:00:00Z' });
      expect([yearZero.status, yearZero.body.errors?.map(({ path }) => path)]).toEqual([400, ['since']]);
      await sql`update delivery_attempt set at = now() - interval '10 days'`.execute(context().db);
      await runTask(createAttemptRetentionTask(context()));
      expect(await listAttempts(destination)).toEqual([]);
    });

    test('is created, changed and deleted with audit rows; inner addresses are never called', async () => {
      const destination = await createDestination();
      const refused = await api().post<ErrorBody>(DESTINATIONS, {
        topicId: destination.topicId,
        name: 'Plain',
        url: 'http://hooks.example.com',
      });
      expect(refused.body.message).toBe('url: must start with https://');
      expect(
        (await api().post(DESTINATIONS, { topicId: destination.topicId, name: ' warehouse ', url })).status,
      ).toBe(409);
      const unnamed = { topicId: destination.topicId, name: '  ', url };
      expect((await api().post<ErrorBody>(DESTINATIONS, unnamed)).body.message).toBe(
        'name: must not be empty',
      );
      const path = `${DESTINATIONS}/${destination.id}`;
      expect((await api().put(path, { name: 'X' }, { headers: { 'if-match': '"9"' } })).status).toBe(412);
      expect((await api().put<ErrorBody>(path, { name: ' ' })).body.message).toBe('name: must not be empty');
      // A webhook has no credentials: its signing key stays.
      expect((await api().put(path, { credentials: null })).status).toBe(200);
      // Another address of this machine, which the egress rules do not allow.
      await api().put(path, { url: url.replace('127.0.0.1', '127.0.0.2').replace('http:', 'https:') });
      await createGroups('A');
      await deliver();
      expect(received).toEqual([]);
      expect(await listAttempts(destination)).toMatchObject([
        { status: null, detail: 'The server cannot be called' },
      ]);
      expect((await api().del(path)).status).toBe(204);
      expect((await api().get(path)).status).toBe(404);
      const { rows } = await sql<{ action: string }>`
        select action from audit_log where site_id = ${person.siteId} and subject_type = 'destination' order by audit_id`.execute(
        context().db,
      );
      expect(rows.map(({ action }) => action)).toEqual([
        'destination.create',
        'destination.update',
        'destination.delete',
      ]);
    });
  },
  { services: testServices },
);

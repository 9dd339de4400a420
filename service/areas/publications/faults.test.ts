/** Processes that are killed or frozen while they write events, fill topics and deliver: several on one PostgreSQL. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PublicationEvent } from '../../../contract/generated/types.gen.ts';
import { createEncryption } from '../../kernel/auth/encryption.ts';
import { openDatabase, type Database } from '../../kernel/db/database.ts';
import { createTestDatabase, type TestDatabase } from '../../testing/databases.ts';
import { resumeProcess } from '../../testing/processes/job-process.ts';
import { getKillCount } from '../../testing/processes/kills.ts';
import {
  publishCells,
  RARE_EVERY,
  startPublicationProcess,
  WRITTEN,
  type PublicationProcess,
  type PublicationTask,
} from '../../testing/processes/publication-process.ts';
import { endConnections } from '../../testing/servers/cluster.ts';
import { as, createTestApp, makePerson, makeSite, services } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { TOPIC_MESSAGES } from '../../testing/topic-messages.ts';
import { createDeliveryTask, getSecretContext } from './destinations/deliver.ts';
import { insertDestination } from './destinations/destinations.store.ts';
import { createFillTask } from './fill-topics.ts';
import { insertTopic, listTopics } from './publications.store.ts';

/** `npm run proof` kills more often, with more events in each transaction. */
const isProof = process.env['STEWARD_PROOF'] !== undefined;
const ROUNDS = isProof ? 12 : 2;
const EVENTS_PER_TRANSACTION = isProof ? 25 : 1;
const KILLS_TIMEOUT_MS = isProof ? 900_000 : 60_000;
const WAITING_POLLS = isProof ? 200 : 5;
/** The long run: events that are written while writers, fillers and relays are killed, and the events of one transaction. */
const LONG_RUN = isProof
  ? { events: 1_000_000, eventsPerTransaction: 500, timeoutMs: 7_200_000 }
  : { events: 1_500, eventsPerTransaction: 50, timeoutMs: 300_000 };
const messages = sql.raw(TOPIC_MESSAGES);
const key = randomBytes(32).toString('base64');

describe.skipIf(process.env['STEWARD_TEST_DATABASES'] === 'embedded')('several processes', () => {
  let place: TestDatabase;
  let database: Database;
  let server: Server;
  let siteId = 0;
  let destinationId = 0;
  let received: string[] = [];
  let processes: PublicationProcess[] = [];

  beforeAll(async () => {
    place = await createTestDatabase('postgres');
    // The long run is checked with statements that read all of its events.
    database = await openDatabase({ ...place, limits: { statementMs: 0 } });
    server = createServer((request, response) => {
      received.push(String(request.headers['webhook-id']));
      request.resume().on('end', () => response.end());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await database.close();
    await place.remove();
  });
  beforeEach(async () => {
    received = [];
    const { db } = database;
    siteId = await makeSite(db);
    await listTopics(db, siteId);
    const address = server.address();
    const port = typeof address === 'object' && address ? address.port : 0;
    const secret = `whsec_${Buffer.alloc(32).toString('base64')}`;
    await db.transaction().execute(async (tx) => {
      const id = await insertTopic(tx, siteId, {
        name: 'all',
        format: 'Cells',
        entryTypes: [{ entryTypeId: WRITTEN.entryTypeId }],
      });
      if (id === undefined) throw new Error('The topic exists');
      const inserted = await insertDestination(tx, siteId, {
        topicId: id,
        name: 'Receiver',
        kind: 'Webhook',
        url: `http://127.0.0.1:${port}/`,
        subject: null,
        secret: createEncryption(Buffer.from(key, 'base64')).encrypt(
          Buffer.from(secret),
          getSecretContext(siteId),
        ),
      });
      if (inserted === undefined) throw new Error('The destination exists');
      destinationId = inserted;
    });
  });
  afterEach(async () => {
    for (const { child } of processes) child.kill('SIGKILL');
    await Promise.all(processes.map(({ exited }) => exited));
    processes = [];
  });

  const start = (
    role: PublicationTask['role'],
    fault?: PublicationTask['fault'],
    batchSize = EVENTS_PER_TRANSACTION,
  ): PublicationProcess => {
    const started = startPublicationProcess({
      role,
      databaseUrl: place.databaseUrl ?? '',
      siteId,
      key,
      batchSize,
      ...(fault && { fault }),
    });
    processes.push(started);
    return started;
  };
  const fill = () => runTask(createFillTask(database));
  const deliver = () =>
    runTask(
      createDeliveryTask({
        db: database.db,
        services: { ...services, encryption: createEncryption(Buffer.from(key, 'base64')) },
      }),
    );
  /** Ends leases of processes that are gone, as time does. */
  const endLeases = () =>
    sql`update publication_destination set lease_until = now() - interval '1 second' where site_id = ${siteId}`.execute(
      database.db,
    );
  /** Offsets and ids of the events of a topic. */
  const listEvents = async (name: string): Promise<{ off: number; id: string }[]> => {
    const { rows } = await sql<{ off: number; id: string }>`
      select off, payload ->> 'eventId' as id from ${messages} as message
      where site_id = ${siteId} and name = ${name} order by off`.execute(database.db);
    return rows;
  };
  /** `webhook-id` of an event. */
  const toMessageId = ({ id }: { id: string }): string => `${id}.${destinationId}`;
  const readPosition = async () => {
    const { rows } = await sql<{ next: number; behind: number }>`
      select d.next, t.next - d.next as behind from publication_destination d join topic t on t.topic_id = d.topic_id
      where d.site_id = ${siteId}`.execute(database.db);
    return rows[0];
  };

  test(
    'killed writers, fillers and relays leave no gap, fill no event twice and lose none',
    async () => {
      let committed = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        const writer = start('write', {
          signal: 'SIGKILL',
          statement: 12 + 7 * round,
          isDuring: round === 1,
        });
        // The filler is killed with events derived and not committed; the relay when the receiver has an event and the database does not.
        const filler = start('fill', {
          signal: 'SIGKILL',
          statement: 1,
          text: 'with counted',
          isDuring: round === 1,
        });
        const relay = start('deliver', { signal: 'SIGKILL', statement: 1 + round, text: 'set next' });
        await Promise.all([writer.exited, filler.exited]);
        // The relay needs something to deliver; the server may not have ended the transaction of the filler yet.
        await vi.waitUntil(
          async () => {
            await fill();
            return (
              (await listEvents('all')).length >= committed + writer.lines.length * EVENTS_PER_TRANSACTION
            );
          },
          { timeout: 20_000 },
        );
        await relay.exited;
        committed += writer.lines.length * EVENTS_PER_TRANSACTION;
        await endLeases();
      }
      await fill();
      await deliver();
      const source = await listEvents('default-data');
      const filled = await listEvents('all');
      const offsets = source.map((_, index) => index);
      expect(source.length).toBeGreaterThanOrEqual(committed);
      expect(committed).toBeGreaterThan(ROUNDS);
      expect([source.map(({ off }) => off), filled.map(({ off }) => off)]).toEqual([offsets, offsets]);
      expect(filled.map(({ id }) => id)).toEqual(source.map(({ id }) => id));
      // The receiver drops doubles by `webhook-id`: the rest is in order and complete.
      expect([...new Set(received)]).toEqual(filled.map(toMessageId));
      expect(received.length).toBeLessThanOrEqual(filled.length + ROUNDS);
    },
    KILLS_TIMEOUT_MS,
  );

  test(
    `${LONG_RUN.events} events are complete and in order at each stage while writers, fillers and relays are killed again and again`,
    async () => {
      const { events, eventsPerTransaction } = LONG_RUN;
      const kills = getKillCount('postgres', { postgres: 1, embedded: 0 });
      // The receiver gets one of 50 events.
      await sql`update topic_definition set entry_types = ${JSON.stringify([
        { entryTypeId: WRITTEN.entryTypeId, fieldIds: [WRITTEN.rareFieldId] },
      ])}::jsonb where site_id = ${siteId}`.execute(database.db);
      await database.db.transaction().execute((tx) =>
        insertTopic(tx, siteId, {
          name: 'every',
          format: 'Cells',
          entryTypes: [{ entryTypeId: WRITTEN.entryTypeId }],
        }),
      );
      const killed = { write: 0, fill: 0, deliver: 0 };
      const writers: PublicationProcess[] = [];
      const done = Promise.withResolvers<'done'>();
      /** Starts a process, which kills itself at its n-th statement with the text, until `isOver`. */
      const killRepeatedly = async (
        role: PublicationTask['role'],
        { text, every }: { text: string; every: number },
        isOver: () => boolean,
      ): Promise<void> => {
        for (let turn = 0; !isOver(); turn += 1) {
          const statement = Math.max(1, Math.round((every * (2 + (turn % 5))) / 4));
          const isDuring = turn % 2 === 1;
          const started = start(role, { signal: 'SIGKILL', statement, text, isDuring }, eventsPerTransaction);
          if (role === 'write') writers.push(started);
          if ((await Promise.race([started.exited, done.promise])) === 'done') break;
          killed[role] += 1;
          if (role === 'deliver') await endLeases();
        }
      };
      const countCommitted = () =>
        eventsPerTransaction * writers.reduce((sum, { lines }) => sum + lines.length, 0);
      let isDone = false;
      const stages = [
        // A filler takes up to 500 events with one transaction.
        killRepeatedly('fill', { text: 'with counted', every: events / 500 / kills }, () => isDone),
        killRepeatedly('deliver', { text: 'set next', every: events / RARE_EVERY / kills }, () => isDone),
      ];
      await killRepeatedly(
        'write',
        { text: 'insert into topic_event', every: events / eventsPerTransaction / kills },
        () => countCommitted() >= events,
      );
      const readEnds = async () => {
        const { rows } = await sql<{ name: string; next: number; unread: number }>`
          select t.name, t.next, coalesce(s.next - d.source_next, 0) as unread from topic t
          left join topic_definition d on d.site_id = t.site_id and d.topic_id = t.topic_id
          left join topic s on s.site_id = t.site_id and s.name = 'default-data'
          where t.site_id = ${siteId}`.execute(database.db);
        return rows;
      };
      await vi.waitUntil(
        async () =>
          (await readEnds()).every(({ unread }) => unread === 0) && (await readPosition())?.behind === 0,
        { timeout: LONG_RUN.timeoutMs, interval: 200 },
      );
      isDone = true;
      done.resolve('done');
      await Promise.all(stages);

      // A committed transaction is there whole, another one whole or not at all.
      const { rows: transactions } = await sql<{ value: string; count: number }>`
        select payload #>> '{payload,entities,updated,0,cells,0,value}' as value, count(*)::int as count
        from ${messages} as message where site_id = ${siteId} and name = 'default-data' group by 1`.execute(
        database.db,
      );
      const stored = new Map(transactions.map(({ value, count }) => [value, count]));
      const promised = writers.flatMap(({ child, lines }) => lines.map((_, at) => `${child.pid} ${at + 1}`));
      expect(promised.filter((value) => !stored.has(value))).toEqual([]);
      expect(new Set(stored.values())).toEqual(new Set([eventsPerTransaction]));
      expect(promised.length * eventsPerTransaction).toBeGreaterThanOrEqual(events);

      // Offsets are 0 to next - 1, and no event is there twice.
      const { rows: topics } = await sql<{ name: string; next: number; counts: number[] }>`
        select name, next, array[count(*), count(distinct payload ->> 'eventId'), max(off) + 1 - min(off), max(off) + 1]::int[] as counts
        from ${messages} as message where site_id = ${siteId} group by name, next`.execute(database.db);
      const total = stored.size * eventsPerTransaction;
      const rare = total / RARE_EVERY;
      expect(new Map(topics.map(({ name, next, counts }) => [name, [next, ...counts]]))).toEqual(
        new Map([
          ['default-data', Array(5).fill(total)],
          ['every', Array(5).fill(total)],
          ['all', Array(5).fill(rare)],
        ]),
      );
      // Both have the same events in the same order.
      const { rows: orders } = await sql<{ count: number }>`
        select count(distinct digest)::int as count from (
          select md5(string_agg(payload ->> 'eventId', ',' order by off)) as digest from ${messages} as message
          where site_id = ${siteId} and name in ('default-data', 'every') group by name) as topic`.execute(
        database.db,
      );
      expect(orders).toEqual([{ count: 1 }]);
      // The receiver drops doubles, at most one for each death of a relay; the rest is in order and complete.
      expect([...new Set(received)]).toEqual((await listEvents('all')).map(toMessageId));
      expect(received.length).toBeLessThanOrEqual(rare + killed.deliver);
      expect(Math.min(killed.write, killed.fill, killed.deliver)).toBeGreaterThan(0);
      if (isProof)
        process.stdout.write(
          `${total} events, ${received.length} requests, kills ${JSON.stringify(killed)}\n`,
        );
    },
    LONG_RUN.timeoutMs,
  );

  test('a relay that was frozen while another delivered moves nothing back and sends nothing else twice', async () => {
    await publishCells(database.db, siteId, [1, 2, 3]);
    await fill();
    const frozen = start('deliver', { signal: 'SIGSTOP', statement: 1, text: 'set next' });
    await frozen.waitFor('stopping');
    // Its lease holds: nobody else delivers.
    await deliver();
    expect(received).toHaveLength(1);
    await endLeases();
    await deliver();
    resumeProcess(frozen.child);
    await frozen.waitFor('round');
    expect(await readPosition()).toEqual({ next: 3, behind: 0 });
    await publishCells(database.db, siteId, [4]);
    await fill();
    // The relay that goes on may hold the lease again.
    await vi.waitUntil(
      async () => {
        await deliver();
        return received.length > 4;
      },
      { timeout: 20_000 },
    );
    const ids = (await listEvents('all')).map(toMessageId);
    expect(received).toEqual([ids[0], ...ids]);
  });

  test('a filler that is frozen with the lease of a topic holds up no other topic and no writer, and fills nothing twice', async () => {
    await publishCells(database.db, siteId, [1, 2]);
    const frozen = start('fill', { signal: 'SIGSTOP', statement: 1, text: 'with counted' });
    await frozen.waitFor('stopping');
    await publishCells(database.db, siteId, [3]);
    await database.db
      .transaction()
      .execute((tx) =>
        insertTopic(tx, siteId, { name: 'other', format: 'Cells', entryTypes: [{ entryTypeId: 5 }] }),
      );
    await publishCells(database.db, siteId, [4]);
    await fill();
    expect([(await listEvents('all')).length, (await listEvents('other')).length]).toEqual([0, 1]);
    resumeProcess(frozen.child);
    await frozen.waitFor('round');
    const source = await listEvents('default-data');
    // The filler that goes on may hold the lease again.
    await vi.waitUntil(
      async () => {
        await fill();
        return (await listEvents('all')).length >= source.length;
      },
      { timeout: 20_000 },
    );
    expect(await listEvents('all')).toEqual(source);
  });

  // Last: what it publishes waits for a relay.
  test('polls that wait survive the loss of every connection and are answered with the event after it', async () => {
    const app = await createTestApp(database);
    try {
      const people = await Promise.all(
        Array.from({ length: WAITING_POLLS }, () => makePerson(database.db, siteId)),
      );
      const polls = people.map((person) =>
        as(app, person).post<PublicationEvent[]>('/api/rest/v1/publication/poll', {
          topics: ['default-schema', 'default-data'],
          timeOut: 60_000,
        }),
      );
      const countPolls = async () => {
        const { rows } = await sql<{ count: number }>`
          select count(*)::int as count from publication_consumer where site_id = ${siteId} and poll_id is not null`.execute(
          database.db,
        );
        return rows[0]?.count;
      };
      await vi.waitUntil(async () => (await countPolls()) === 2 * WAITING_POLLS, { timeout: 20_000 });
      await endConnections(database.db);
      await vi.waitUntil(
        () =>
          publishCells(database.db, siteId, [1]).then(
            () => true,
            () => false,
          ),
        { timeout: 20_000 },
      );
      const answers = await Promise.all(polls);
      expect(answers.map(({ status, body }) => [status, body[0]?.topicOffset])).toEqual(
        people.map(() => [200, 0]),
      );
    } finally {
      await app.close();
    }
  });
});

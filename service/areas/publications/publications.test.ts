import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type {
  Consumer,
  PublicationEvent,
  TopicActivity,
  TopicDefinition,
  TopicPositions,
} from '../../../contract/generated/types.gen.ts';
import { withTransaction } from '../../kernel/db/database.ts';
import { deleteExpiredEventsTask } from '../../kernel/outbox/delete-expired-events.ts';
import { send, type ApiClient, type ErrorBody } from '../../testing/calls.ts';
import { untilSomebodyWaits } from '../../testing/databases.ts';
import { makeThings, SCHEMA, type Things } from '../../testing/entries/entries.ts';
import { publishCells } from '../../testing/processes/publication-process.ts';
import { as, makePerson, onEachApp, type Person } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { ageEvents } from '../../testing/topic-messages.ts';
import { createFillTask } from './fill-topics.ts';
import { insertTopic } from './publications.store.ts';

const PUBLICATION = '/api/rest/v1/publication';

const rowsOf = (event: PublicationEvent | undefined, kind: string) =>
  (Object(event?.payload.entities)[kind] as { entryFields: object[] }[] | undefined)?.flatMap(
    ({ entryFields }) => entryFields,
  );

/** Reads server-sent events until there are `count` with data. */
async function readEvents(response: Response, count: number): Promise<string[]> {
  let text = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true });
    const events = text.split('\n\n').slice(0, -1);
    if (events.filter((event) => event.includes('data:')).length >= count)
      return events.filter((event) => event.includes('data:'));
  }
  throw new Error(`The stream ended: ${text}`);
}

const parse = (events: readonly string[]) =>
  events.map((event) => (JSON.parse(event.replace('data: ', '')) as TopicPositions).topics);

const listOffsets = (events: readonly PublicationEvent[]) => events.map(({ topicOffset }) => topicOffset);

onEachApp((context) => {
  let things: Things;
  let api: ApiClient;
  beforeEach(async () => {
    things = await makeThings(context());
    ({ api } = things);
  });

  /** Polls; without `timeOut` answers at once. */
  async function poll(
    body: { topics: string[]; timeOut?: number; count?: number } = { topics: ['default-data'] },
    calls = api,
  ): Promise<PublicationEvent[]> {
    const answer = await calls.post<PublicationEvent[]>(`${PUBLICATION}/poll`, { timeOut: 0, ...body });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.body;
  }
  const acknowledge = (offset: number, name = 'default-data', calls = api) =>
    calls.post<ErrorBody>(`${PUBLICATION}/acknowledge`, [{ name, offset }]);
  const callEnvironment = (environment: string, operation: string, body: unknown) =>
    api.post<PublicationEvent[]>(`${PUBLICATION}/environments/${environment}/${operation}`, body);
  const listConsumers = async () => (await api.get<Consumer[]>(`${PUBLICATION}/consumers`)).body;
  /** Sets the age of the events of a topic with offsets below `end`. */
  const age = (end: number, days: number, topic = 'default-data') =>
    ageEvents(context().db, things.siteId, days, { topic, end });
  const createTopic = (body: object) =>
    api.post<TopicDefinition & ErrorBody>(`${PUBLICATION}/topicdefinitions`, body);
  const fill = () => runTask(createFillTask(context()));

  describe('poll and acknowledge', () => {
    test('events come again until they are acknowledged, in order; an older offset rewinds', async () => {
      const [one = 0] = await things.create({ Name: 'A' });
      await things.update(one, { Score: 1 });
      await things.update(one, { Score: 2 });
      const events = await poll();
      expect(listOffsets(events)).toEqual([0, 1, 2]);
      expect(events[1]).toMatchObject({
        topicName: 'default-data',
        modifiedById: things.person.userId,
        isCalculated: false,
        payload: { entities: { updated: [{ cells: [{ EntryId: one, apiName: 'Score', value: 1 }] }] } },
      });
      // Names are for custom topics in ROWS format only (spec 6.4).
      expect(JSON.stringify(events)).not.toContain('entryName');
      expect(listOffsets(await poll({ topics: ['default-data'], count: 2 }))).toEqual([0, 1]);
      expect((await acknowledge(2)).status).toBe(204);
      expect(listOffsets(await poll({ topics: ['default-data'], count: 0 }))).toEqual([2]);
      expect((await acknowledge(3)).status).toBe(204);
      expect(await poll()).toEqual([]);
      expect((await acknowledge(1)).status).toBe(204);
      expect(listOffsets(await poll())).toEqual([1, 2]);
      expect((await acknowledge(4)).body.message).toBe('0.offset: default-data has the offsets 0 to 3');
      // Full batches are followed by one that is read ahead.
      const found: unknown[] = [];
      for (let offset = 0; offset < 3; offset += 1) {
        await acknowledge(offset);
        found.push(await poll({ topics: ['default-data'], count: 1 }));
      }
      expect(found).toEqual(events.map((event) => [event]));
    });

    test('each API key has its own offsets', async () => {
      const { app, db } = context();
      const other = as(
        app,
        await makePerson(db, things.siteId, { capabilities: ['Access Web Service', 'Read Publications'] }),
      );
      await things.create({ Name: 'A' });
      await poll();
      await acknowledge(1);
      expect(listOffsets(await poll({ topics: ['default-data'] }, other))).toEqual([0]);
      expect(await poll()).toEqual([]);
    });

    test('several topics are read together, each in its order', async () => {
      await things.create({ Name: 'A' });
      await api.post('user/group', { name: 'G' });
      const events = await poll({ topics: ['default-users', 'default-data', 'default-schema'], count: 1000 });
      const byTopic = Map.groupBy(events, ({ topicName }) => topicName);
      expect([...byTopic.keys()].toSorted()).toEqual(['default-data', 'default-schema', 'default-users']);
      for (const list of byTopic.values()) expect(listOffsets(list)).toEqual(list.map((_, index) => index));
    });

    test('rejects unknown topics and sessions without an API key with every path', async () => {
      const unknown = await api.post<ErrorBody>(`${PUBLICATION}/poll`, {
        topics: ['a', 'default-data', 'b'],
      });
      expect([unknown.status, unknown.body.errors]).toEqual([
        400,
        [
          { path: 'topics.0', message: 'Topic "a" does not exist' },
          { path: 'topics.2', message: 'Topic "b" does not exist' },
        ],
      ]);
      const console = as(context().app, things.person, 'console');
      expect((await console.post(`${PUBLICATION}/poll`, { topics: ['default-data'] })).status).toBe(400);
    });

    test('a user with IP restrictions polls from an approved address only (spec 5.4)', async () => {
      const { app, db } = context();
      const person = await makePerson(db, things.siteId, { ipRestrictionsEnabled: true });
      await sql`insert into approved_address (site_id, network) values (${things.siteId}, '192.0.2.7')`.execute(
        db,
      );
      const pollFrom = (remoteAddress: string) =>
        send(app, {
          method: 'POST',
          url: `${PUBLICATION}/poll`,
          remoteAddress,
          headers: { authorization: `Bearer ${person.token}` },
          payload: { topics: ['default-users'], timeOut: 0 },
        });
      expect((await pollFrom('192.0.2.7')).status).toBe(200);
      expect((await pollFrom('192.0.2.8')).status).toBe(403);
    });
  });

  test('the addresses with an environment serve the own site only and name their successors (spec 6.7)', async () => {
    await things.create({ Name: 'A' });
    const { slug } = await context()
      .db.selectFrom('site')
      .select('slug')
      .where('site_id', '=', things.siteId)
      .executeTakeFirstOrThrow();
    const request = { topics: ['default-data'], timeOut: 0 };
    const answer = await callEnvironment(slug, 'poll', request);
    expect([answer.status, listOffsets(answer.body)]).toEqual([200, [0]]);
    // The date as a structured field (RFC 9745 2.1).
    expect(answer.headers['deprecation']).toBe(`@${Date.UTC(2026, 10, 23) / 1000}`);
    expect(answer.headers['link']).toMatch(/pollPublication>; rel="successor-version"/);
    const acknowledged = await callEnvironment(slug.toUpperCase(), 'acknowledge', [
      { name: 'default-data', offset: 1 },
    ]);
    expect(acknowledged.status).toBe(204);
    expect(acknowledged.headers['link']).toMatch(/acknowledgePublication>; rel="successor-version"/);
    expect(await poll()).toEqual([]);
    expect((await callEnvironment('another-site', 'poll', request)).status).toBe(404);
    expect(
      (await callEnvironment('another-site', 'acknowledge', [{ name: 'default-data', offset: 0 }])).status,
    ).toBe(404);
    expect((await poll()).length).toBe(0);
  });

  describe('a poll that waits', () => {
    test('answers as soon as there is an event', async () => {
      await poll();
      const waiting = poll({ topics: ['default-data', 'default-users'], timeOut: 60_000 });
      await things.create({ Name: 'A' });
      expect(listOffsets(await waiting)).toEqual([0]);
    });

    test('is answered without events when a newer poll of the key takes over', async () => {
      const waiting = poll({ topics: ['default-data'], timeOut: 60_000 });
      // Until the first poll is registered.
      while ((await listConsumers()).length === 0);
      const newer = poll({ topics: ['default-data'], timeOut: 60_000 });
      expect(await waiting).toEqual([]);
      await things.create({ Name: 'A' });
      expect(listOffsets(await newer)).toEqual([0]);
    });

    test('gets no event that a newer poll of the key in another process waits for', async () => {
      const { app, db } = context();
      const waiting = poll({ topics: ['default-data'], timeOut: 60_000 });
      while ((await listConsumers()).length === 0);
      const other = as(
        app,
        await makePerson(db, things.siteId, { capabilities: ['Access Web Service', 'Read Publications'] }),
      );
      const otherPoll = poll({ topics: ['default-users'], timeOut: 60_000 }, other);
      while ((await listConsumers()).length === 1);
      await api.post('user/group', { name: 'G' });
      // The process has compared the polls that wait with the newest ones, which it does once a second.
      await otherPoll;
      await sql`update publication_consumer set poll_id = gen_random_uuid() where site_id = ${things.siteId}`.execute(
        db,
      );
      await things.create({ Name: 'A' });
      expect(await waiting).toEqual([]);
    });

    test('is answered when its topic is deleted', async () => {
      const { body: topic } = await createTopic({
        name: 'short',
        format: 'Cells',
        entryTypes: [{ entryTypeId: things.typeId }],
      });
      const waiting = poll({ topics: ['short'], timeOut: 60_000 });
      while ((await listConsumers()).length === 0);
      expect((await api.del(`${PUBLICATION}/topicdefinitions/${topic.id}`)).status).toBe(204);
      await things.create({ Name: 'A' });
      expect(await waiting).toEqual([]);
    });
  });

  describe('consumers', () => {
    test('have a lag, and the time when unread events are deleted', async () => {
      await things.create({ Name: 'A' }, { Name: 'B' });
      await things.create({ Name: 'C' });
      await poll();
      await acknowledge(1);
      await age(2, 8);
      const [consumer] = await listConsumers();
      expect(consumer).toMatchObject({
        topicName: 'default-data',
        clientId: things.person.clientId,
        userId: things.person.userId,
        offset: 1,
        lag: 1,
        isActive: true,
        lostEvents: 0,
      });
      const leftMs = Date.parse(consumer?.unreadDeletedDate ?? '') - Date.now();
      expect(Math.round(leftMs / 3_600_000)).toBe(24);
    });

    test('that retention overtakes continue at the oldest event, and the lost events are counted', async () => {
      await things.create({ Name: 'A' });
      await things.create({ Name: 'B' });
      await poll({ topics: ['default-data'], count: 1 });
      for (const name of ['C', 'D']) await things.create({ Name: name });
      await age(3, 10);
      await runTask(deleteExpiredEventsTask(context()));
      expect(await listConsumers()).toMatchObject([{ offset: 3, lag: 1, lostEvents: 3 }]);
      expect(listOffsets(await poll())).toEqual([3]);
      expect(await listConsumers()).toMatchObject([
        { offset: 3, lostEvents: 3, lostDate: expect.any(String) as unknown },
      ]);
      expect((await acknowledge(2)).body.message).toBe('0.offset: default-data has the offsets 3 to 4');
    });

    test('of a key that is turned off are not listed any more', async () => {
      const { app, db } = context();
      const other = await makePerson(db, things.siteId);
      await poll({ topics: ['default-data'] }, as(app, other));
      expect(await listConsumers()).toMatchObject([{ clientId: other.clientId }]);
      await sql`update api_key set disabled_at = now() where client_id = ${other.clientId}`.execute(db);
      expect(await listConsumers()).toEqual([]);
    });

    test('are moved by an administrator, which is audited', async () => {
      await things.create({ Name: 'A' });
      await poll();
      await acknowledge(1);
      const [consumer] = await listConsumers();
      const path = `${PUBLICATION}/topicdefinitions/${consumer?.topicId}/consumers/${consumer?.clientId}`;
      expect((await api.put(path, { offset: 2 })).status).toBe(400);
      expect((await api.put(path, { offset: 0 })).status).toBe(204);
      expect(listOffsets(await poll())).toEqual([0]);
      const { rows } = await sql<{ changes: unknown }>`
        select changes from audit_log where site_id = ${things.siteId} and action = 'consumer.move'`.execute(
        context().db,
      );
      expect(rows).toEqual([{ changes: { clientId: things.person.clientId, offset: [1, 0] } }]);
    });
  });

  test('kept events are listed by offset or time without a consumer, and counted by hour', async () => {
    for (const name of ['A', 'B', 'C', 'D', 'E']) await things.create({ Name: name });
    await age(1, 10);
    await runTask(deleteExpiredEventsTask(context()));
    await age(3, 0.1);
    const { body: topics } = await api.get<TopicDefinition[]>(`${PUBLICATION}/topicdefinitions`);
    const { id } = topics.find(({ name }) => name === 'default-data') ?? { id: 0 };
    const list = async (query: string) =>
      listOffsets(
        (await api.get<PublicationEvent[]>(`${PUBLICATION}/topicdefinitions/${id}/events${query}`)).body,
      );
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    expect([
      await list(''),
      await list('?from=2&limit=2'),
      await list('?from=9'),
      await list(`?since=${hourAgo}`),
      await list('?since=2020-01-01T00:00:00Z&limit=1'),
    ]).toEqual([[1, 2, 3, 4], [2, 3], [], [3, 4], [1]]);
    const yearZero = await api.get<ErrorBody>(
      `${PUBLICATION}/topicdefinitions/${id}/events?since=0000-01-01T00:00:00Z`,
    );
    expect([yearZero.status, yearZero.body.errors?.map(({ path }) => path)]).toEqual([400, ['since']]);
    const both = await api.get(`${PUBLICATION}/topicdefinitions/${id}/events?from=1&since=${hourAgo}`);
    expect(both.status).toBe(400);
    const { body: activity } = await api.get<TopicActivity[]>(`${PUBLICATION}/topicdefinitions/activity`);
    // 2.4 hours ago and now.
    const hours = Array.from({ length: 24 }, (_, index) => ({ 21: 2, 23: 2 })[index] ?? 0);
    expect(activity.find(({ topicId }) => topicId === id)).toEqual({ topicId: id, hours });
    expect(await listConsumers()).toEqual([]);
  });

  describe('custom topics', () => {
    test('stream the chosen fields from their creation on, in their own order without gaps', async () => {
      await things.create({ Name: 'Before', Score: 1 });
      const created = await createTopic({
        name: 'scores',
        format: 'Rows',
        entryTypes: [{ entryTypeId: things.typeId, fieldIds: [things.field('Score').id] }],
      });
      expect([created.status, created.body]).toMatchObject([
        200,
        {
          name: 'scores',
          isDefault: false,
          entityFormatType: 'Rows',
          oldestOffset: 0,
          nextOffset: 0,
          sourceLag: 0,
        },
      ]);
      const [one = 0] = await things.create({ Name: 'One', Score: 1, Note: 'n' });
      await things.update(one, { Note: 'unseen' });
      await things.update(one, { Score: 5, Name: 'Renamed' });
      await things.remove(one);
      await fill();
      const events = await poll({ topics: ['scores'] });
      const row = (EntryName: string, values: object) => ({
        EntryId: one,
        EntryListId: things.typeId,
        EntryName,
        ...values,
      });
      expect(listOffsets(events)).toEqual([0, 1, 2]);
      expect(events[0]).toMatchObject({
        entityFormatType: 'Rows',
        topicName: 'scores',
        schemaVersion: expect.any(Number) as unknown,
      });
      expect([
        rowsOf(events[0], 'created'),
        rowsOf(events[1], 'updated'),
        rowsOf(events[2], 'deleted'),
      ]).toEqual([[row('One', { Score: 1 })], [row('Renamed', { Score: 5 })], [row('Renamed', {})]]);
    });

    test('are filled once by concurrent processes, and continue after events were deleted', async () => {
      await createTopic({ name: 'all', format: 'Cells', entryTypes: [{ entryTypeId: things.typeId }] });
      for (let index = 0; index < 5; index += 1) await things.create({ Name: `E${index}` });
      await Promise.all([fill(), fill(), fill()]);
      await fill();
      expect(listOffsets(await poll({ topics: ['all'] }))).toEqual([0, 1, 2, 3, 4]);
      await things.create({ Name: 'Deleted before it was read' });
      await age(6, 10);
      await age(5, 10, 'all');
      await runTask(deleteExpiredEventsTask(context()));
      await fill();
      await things.create({ Name: 'Next' });
      await fill();
      expect(listOffsets(await poll({ topics: ['all'] }))).toEqual([5]);
    });

    test('are rehearsed by the same rules on past events', async () => {
      const definition = {
        name: 'rehearsed',
        format: 'Rows',
        entryTypes: [{ entryTypeId: things.typeId, fieldIds: [things.field('Score').id] }],
      };
      const { body: topic } = await createTopic(definition);
      const [one = 0] = await things.create({ Name: 'One', Score: 1 });
      await things.update(one, { Note: 'unseen' });
      await things.update(one, { Score: 2 });
      const before = await context().db.selectFrom('topic_event').select('off').execute();
      const rehearsal = await api.post<{ samples: PublicationEvent[] }>(
        `${PUBLICATION}/topicdefinitions/rehearsal?hours=1`,
        definition,
      );
      expect(await context().db.selectFrom('topic_event').select('off').execute()).toHaveLength(
        before.length,
      );
      expect(rehearsal.body).toMatchObject({ sourceEvents: 3, messages: 2, isComplete: true });
      await fill();
      expect(rehearsal.body.samples).toEqual(await poll({ topics: [topic.name] }));
    });

    test('are changed, renamed and deleted with an audit row each', async () => {
      const content = { name: 'deals', format: 'Cells', entryTypes: [{ entryTypeId: things.typeId }] };
      const { body: topic } = await createTopic(content);
      const path = `${PUBLICATION}/topicdefinitions/${topic.id}`;
      expect((await createTopic(content)).status).toBe(409);
      expect((await api.put(path, { name: 'won' }, { headers: { 'if-match': '"7"' } })).status).toBe(412);
      const changed = await api.put<TopicDefinition>(path, { name: 'won', format: 'Rows' });
      expect([changed.status, changed.body]).toMatchObject([
        200,
        { name: 'won', format: 'Rows', etag: '"2"' },
      ]);
      expect((await api.get<string[]>(`${PUBLICATION}/topics`)).body).toEqual([
        'default-data',
        'default-users',
        'default-schema',
        'won',
      ]);
      expect((await api.del(path)).status).toBe(204);
      expect((await api.get(path)).status).toBe(404);
      const { rows } = await sql<{ action: string }>`
        select action from audit_log where site_id = ${things.siteId} and subject_type = 'topic' order by audit_id`.execute(
        context().db,
      );
      expect(rows.map(({ action }) => action)).toEqual(['topic.create', 'topic.update', 'topic.delete']);
    });

    test('a name that another request takes meanwhile is refused', async () => {
      const content = { name: 'deals', format: 'Cells', entryTypes: [{ entryTypeId: things.typeId }] };
      const { body: topic } = await createTopic(content);
      const { renaming } = await withTransaction(context().db, {}, async (tx) => {
        await insertTopic(tx, things.siteId, { name: 'won', format: 'Cells', entryTypes: [] });
        const started = {
          renaming: api.put<ErrorBody>(`${PUBLICATION}/topicdefinitions/${topic.id}`, { name: 'won' }),
        };
        await untilSomebodyWaits(context().db);
        return started;
      });
      const { status, body } = await renaming;
      expect([status, body.errors?.[0]?.path]).toEqual([409, 'name']);
    });

    test('requests at the same time do not exceed the limit of a site', async () => {
      const content = { format: 'Cells' as const, entryTypes: [{ entryTypeId: things.typeId }] };
      await createTopic({ ...content, name: 'first' });
      const { creating } = await withTransaction(
        context().db,
        { lockedSiteId: things.siteId },
        async (tx) => {
          for (let at = 2; at <= 50; at += 1)
            await insertTopic(tx, things.siteId, { ...content, name: `topic${at}` });
          const started = { creating: createTopic({ ...content, name: 'more' }) };
          await Promise.race([started.creating, untilSomebodyWaits(context().db)]);
          return started;
        },
      );
      expect((await creating).status).toBe(409);
    });

    test('reject unknown types and fields with every path, reserved names, and changes of default topics', async () => {
      const answer = await createTopic({
        name: 'deals',
        format: 'Rows',
        entryTypes: [
          { entryTypeId: things.typeId, fieldIds: [2_000_000_000] },
          { entryTypeId: 2_000_000_000 },
          { entryTypeId: things.typeId },
        ],
      });
      expect([answer.status, answer.body.errors?.map(({ path }) => path)]).toEqual([
        400,
        ['entryTypes.0.fieldIds.0', 'entryTypes.1.entryTypeId', 'entryTypes.2.entryTypeId'],
      ]);
      const reserved = { name: 'default-mine', format: 'Rows', entryTypes: [{ entryTypeId: things.typeId }] };
      expect((await createTopic(reserved)).status).toBe(400);
      const { body: topics } = await api.get<TopicDefinition[]>(`${PUBLICATION}/topicdefinitions`);
      const path = `${PUBLICATION}/topicdefinitions/${topics[0]?.id}`;
      expect((await api.put(path, { name: 'mine' })).status).toBe(409);
      expect((await api.del(path)).status).toBe(409);
    });
  });

  describe('the stream of a topic', () => {
    let address = '';
    beforeAll(async () => {
      address = await context().app.listen({ host: '127.0.0.1', port: 0 });
    });
    const open = (headers: Record<string, string> = {}, signal?: AbortSignal) =>
      fetch(`${address}${PUBLICATION}/stream?topic=default-data`, {
        headers: { authorization: `Bearer ${things.person.token}`, ...headers },
        ...(signal && { signal }),
      });
    test('sends new events with their offsets, and continues after Last-Event-ID with gaps marked', async () => {
      await things.create({ Name: 'Before' });
      const stream = await open();
      expect([stream.status, stream.headers.get('content-type')]).toEqual([
        200,
        'text/event-stream; charset=utf-8',
      ]);
      const received = readEvents(stream, 1);
      await things.create({ Name: 'Now' });
      const [event = ''] = await received;
      expect(event).toMatch(/^id: 1\ndata: \{"topicName":"default-data","topicOffset":1,/);
      await things.create({ Name: 'Third' });
      await age(2, 10);
      await runTask(deleteExpiredEventsTask(context()));
      const resumed = await readEvents(await open({ 'last-event-id': '0' }), 2);
      expect(resumed[0]).toBe('event: gap\ndata: {"from":1,"to":1}');
      expect(resumed[1]).toContain('id: 2\n');
      expect((await open({ 'last-event-id': '99' })).status).toBe(400);
    });

    test('goes on when a field is deleted, and marks a value of a megabyte instead of sending it', async () => {
      const [entryId = 0] = await things.create({ Name: 'A' });
      const received = readEvents(await open(), 3);
      await things.update(entryId, { Active: true });
      expect((await api.del(`${SCHEMA}/fields/${things.field('Active').id}`)).status).toBe(204);
      await things.update(entryId, { Memo: 'x'.repeat(1_000_000) });
      await things.update(entryId, { Note: 'after' });
      const [active = '', large = '', note = ''] = await received;
      // Messages keep the values of the field that they were sent with.
      expect([active, note].map((event) => /"apiName":"(\w+)"/.exec(event)?.[1])).toEqual(['Active', 'Note']);
      expect(large).toContain(`"fieldId":${things.field('Memo').id},"apiName":"Memo","isLargeText":true`);
      expect(large.length).toBeLessThan(2_000);
      expect(listOffsets(await poll())).toEqual([0, 1, 2, 3]);
    });

    test('ends without sending another event when the reader loses the capability or the token', async () => {
      const { db } = context();
      const losses = [
        (reader: Person) => db.deleteFrom('group_member').where('user_id', '=', reader.userId).execute(),
        (reader: Person) => db.deleteFrom('access_token').where('user_id', '=', reader.userId).execute(),
      ];
      for (const lose of losses) {
        const reader = await makePerson(db, things.siteId, {
          capabilities: ['Access Web Service', 'Read Publications'],
        });
        const stream = await open({ authorization: `Bearer ${reader.token}` });
        expect(stream.status).toBe(200);
        await lose(reader);
        await things.create({ Name: 'After the loss' });
        expect(await stream.text()).not.toContain('After the loss');
      }
    });

    test('is limited to five for each user; a closed one makes room', async () => {
      const aborts = Array.from({ length: 5 }, () => new AbortController());
      // Kept: a response that is collected closes its connection.
      const opened: Response[] = [];
      for (const { signal } of aborts) opened.push(await open({}, signal));
      expect([...opened, await open()].map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
      aborts[0]?.abort();
      await vi.waitUntil(
        async () => {
          const abort = new AbortController();
          const { status } = await open({}, abort.signal);
          abort.abort();
          return status === 200;
        },
        { timeout: 20_000 },
      );
      for (const abort of aborts) abort.abort();
    });
  });

  describe('the stream of positions', () => {
    let address = '';
    beforeAll(async () => {
      address = await context()
        .app.listen({ host: '127.0.0.1', port: 0 })
        .catch(() => context().app.listeningOrigin);
    });
    const open = async ({ token } = things.person, signal?: AbortSignal) =>
      fetch(`${address}${PUBLICATION}/positions`, {
        headers: { authorization: `Bearer ${token}` },
        ...(signal && { signal }),
      });
    test('begins with all default topics and tells what has changed, without values', async () => {
      const { app, db } = context();
      const removed = await makePerson(db, things.siteId);
      const { body: topics } = await api.get<TopicDefinition[]>(`${PUBLICATION}/topicdefinitions`);
      const content = { name: 'deals', format: 'Rows', entryTypes: [{ entryTypeId: things.typeId }] };
      await api.post(`${PUBLICATION}/topicdefinitions`, content);
      const created = readEvents(await open(), 2);
      await things.create({ Name: 'Secret value' });
      const events = await created;
      const deleted = readEvents(await open(), 2);
      await as(app, things.person, 'console').del(`user/${removed.userId}`);
      const [first, second] = parse(events);
      const [, third] = parse(await deleted);
      expect(first).toEqual(
        topics.map(({ name, nextOffset }) => ({
          name,
          nextOffset,
          entryTypeIds: null,
          deletedUserIds: null,
        })),
      );
      expect(second).toEqual([
        { name: 'default-data', nextOffset: 1, entryTypeIds: [things.typeId], deletedUserIds: [] },
      ]);
      expect(third).toMatchObject([
        { name: 'default-users', entryTypeIds: [], deletedUserIds: [removed.userId] },
      ]);
      expect(events.join('')).not.toContain('Secret value');
    });

    test('tells a burst of 10,000 events in one event, and not of which types', async () => {
      const stream = await open();
      const received = readEvents(stream, 2);
      await publishCells(context().db, things.siteId, Array(10_000).fill('x'));
      expect(parse(await received)[1]).toEqual([
        { name: 'default-data', nextOffset: 10_000, entryTypeIds: null, deletedUserIds: null },
      ]);
    });

    test('ends without another event when the reader loses the capability; others cannot open it', async () => {
      const { db } = context();
      const reader = await makePerson(db, things.siteId, {
        capabilities: ['Access Web Service', 'Read Publications'],
      });
      const stranger = await makePerson(db, things.siteId, {
        capabilities: ['Access Web Service', 'Read Data'],
      });
      expect((await open(stranger)).status).toBe(403);
      const stream = await open(reader);
      expect(stream.status).toBe(200);
      await db.deleteFrom('group_member').where('user_id', '=', reader.userId).execute();
      await things.create({ Name: 'After the loss' });
      const text = await stream.text();
      expect(text.split('data:')).toHaveLength(2);
    });
  });

  test('an API key that is limited reads its topics and fields only, by poll and by stream, and nothing else', async () => {
    const { app, db } = context();
    const program = await makePerson(db, things.siteId, {
      capabilities: ['Access Web Service', 'Manage Publications'],
    });
    const calls = as(app, program);
    const limits = `${PUBLICATION}/subscribers/${program.clientId}`;
    const { body: topics } = await api.get<TopicDefinition[]>(`${PUBLICATION}/topicdefinitions`);
    const topicId = topics.find(({ name }) => name === 'default-data')?.id ?? 0;
    const allowed = {
      topics: [
        { topicId, entryTypes: [{ entryTypeId: things.typeId, fieldIds: [things.field('Score').id] }] },
      ],
    };
    const unknown = {
      topics: [
        { topicId: 2_000_000_000 },
        { topicId, entryTypes: [{ entryTypeId: things.typeId, fieldIds: [2_000_000_000] }] },
        { topicId },
      ],
    };
    const refused = await api.put<ErrorBody>(limits, unknown);
    expect([refused.status, refused.body.errors?.map(({ path }) => path)]).toEqual([
      400,
      ['topics.0.topicId', 'topics.1.entryTypes.0.fieldIds.0', 'topics.2.topicId'],
    ]);
    expect((await api.get(limits)).body).toEqual({ clientId: program.clientId, topics: null });
    expect((await api.put(limits, allowed)).status).toBe(204);
    expect((await api.get(limits)).body).toEqual({ clientId: program.clientId, ...allowed });
    const [one = 0] = await things.create({ Name: 'Hidden', Score: 1 });
    await things.update(one, { Name: 'Hidden too' });
    const events = await poll({ topics: ['default-data'] }, calls);
    expect(listOffsets(events)).toEqual([0, 1]);
    expect(JSON.stringify(events)).not.toContain('Hidden');
    expect(events[0]).toMatchObject({
      modifiedById: things.person.userId,
      payload: { entities: { updated: [{ cells: [{ EntryId: one, apiName: 'Score', value: 1 }] }] } },
    });
    expect([events[1]?.payload.entities, events[1]?.modifiedById]).toEqual([{}, undefined]);
    // Other topics do not exist; a filter elsewhere, or the end of the limits, cannot be had with the same key.
    expect((await calls.get(`${PUBLICATION}/topics`)).body).toEqual(['default-data']);
    expect((await calls.post(`${PUBLICATION}/poll`, { topics: ['default-users'] })).status).toBe(400);
    expect((await acknowledge(0, 'default-users', calls)).status).toBe(400);
    expect((await calls.put(limits, { topics: null })).status).toBe(403);
    expect((await calls.get(`${PUBLICATION}/consumers`)).status).toBe(403);
    const content = { name: 'deals', format: 'Rows', entryTypes: [{ entryTypeId: things.typeId }] };
    expect((await calls.post(`${PUBLICATION}/topicdefinitions`, content)).status).toBe(403);
    const address = await app.listen({ host: '127.0.0.1', port: 0 }).catch(() => app.listeningOrigin);
    const stream = await fetch(`${address}${PUBLICATION}/stream?topic=default-data`, {
      headers: { authorization: `Bearer ${program.token}`, 'last-event-id': '0' },
    });
    const [streamed = ''] = await readEvents(stream, 1);
    expect(streamed).toContain('"entities":{}');
    // What others read is unchanged.
    expect(JSON.stringify(await poll())).toContain('Hidden too');
    await api.put(limits, { topics: null });
    expect(JSON.stringify(await poll({ topics: ['default-data'] }, calls))).toContain('Hidden too');
    const { rows } = await sql<{ subject: string }>`
      select subject_id as subject from audit_log
      where site_id = ${things.siteId} and action = 'subscriber.limit'`.execute(db);
    expect(rows).toEqual([{ subject: String(program.clientId) }, { subject: String(program.clientId) }]);
  });

  test('a reader reads and acknowledges but does not change topics', async () => {
    const { app, db } = context();
    const reader: Person = await makePerson(db, things.siteId, {
      capabilities: ['Access Web Service', 'Read Publications'],
    });
    const calls = as(app, reader);
    await poll({ topics: ['default-schema'] }, calls);
    expect((await acknowledge(0, 'default-schema', calls)).status).toBe(204);
    const content = { name: 'deals', format: 'Rows', entryTypes: [{ entryTypeId: things.typeId }] };
    expect((await calls.post(`${PUBLICATION}/topicdefinitions`, content)).status).toBe(403);
  });
});

/** Custom topics are stored as positions in default-data, from which their messages are derived when they are read. */
import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import type {
  Consumer,
  PublicationEvent,
  TopicActivity,
  TopicDefinition,
} from '../../../contract/generated/types.gen.ts';
import { deleteExpiredEventsTask } from '../../kernel/outbox/delete-expired-events.ts';
import { makeThings, type Things } from '../../testing/entries/entries.ts';
import { publishCells, WRITTEN } from '../../testing/processes/publication-process.ts';
import { onEachApp } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { ageEvents } from '../../testing/topic-messages.ts';
import { createFillTask } from './fill-topics.ts';
import { insertTopic } from './publications.store.ts';

const PUBLICATION = '/api/rest/v1/publication';
const DEFINITIONS = `${PUBLICATION}/topicdefinitions`;

const listOffsets = (events: readonly PublicationEvent[]) => events.map(({ topicOffset }) => topicOffset);
const listForms = (events: readonly PublicationEvent[]) =>
  events.map(({ entityFormatType, topicOffset }) => [topicOffset, entityFormatType]);

onEachApp((context) => {
  let things: Things;
  let entryId = 0;
  beforeEach(async () => {
    things = await makeThings(context());
    [entryId = 0] = await things.create({ Name: 'One', Score: 0, Note: 'n' });
  });

  const fill = () => runTask(createFillTask(context()));
  const createTopic = async (fields: string[]): Promise<string> => {
    const { body } = await things.api.post<TopicDefinition>(DEFINITIONS, {
      name: 'custom',
      format: 'Rows',
      entryTypes: [{ entryTypeId: things.typeId, fieldIds: fields.map((name) => things.field(name).id) }],
    });
    return `${DEFINITIONS}/${body.id}`;
  };
  const poll = async (body: object = {}): Promise<PublicationEvent[]> => {
    const request = { topics: ['custom'], timeOut: 0, ...body };
    const answer = await things.api.post<PublicationEvent[]>(`${PUBLICATION}/poll`, request);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return answer.body;
  };
  const acknowledge = (offset: number) =>
    things.api.post(`${PUBLICATION}/acknowledge`, [{ name: 'custom', offset }]);
  const age = (topic: string, days: number, end?: number) =>
    ageEvents(context().db, things.siteId, days, { topic, end });
  const listHistory = async (): Promise<number[]> => {
    const rows = await context()
      .db.selectFrom('topic_definition_history')
      .select('version')
      .where('site_id', '=', things.siteId)
      .orderBy('version')
      .execute();
    return rows.map(({ version }) => version);
  };

  test('a message keeps the form that it was filled with, as long as it is kept', async () => {
    const path = await createTopic(['Score']);
    await things.update(entryId, { Score: 1 });
    await fill();
    await things.api.put(path, { format: 'Cells' });
    await things.update(entryId, { Score: 2 });
    await fill();
    const { id } = things.field('Note');
    await things.api.put(path, { entryTypes: [{ entryTypeId: things.typeId, fieldIds: [id] }] });
    await things.update(entryId, { Score: 3 });
    await fill();
    expect(listForms(await poll())).toEqual([
      [0, 'Rows'],
      [1, 'Cells'],
    ]);
    expect(await listHistory()).toEqual([1, 2]);
    await age('custom', 10);
    await runTask(deleteExpiredEventsTask(context()));
    await things.api.put(path, { format: 'Rows' });
    expect([await listHistory(), await poll()]).toEqual([[], []]);
  });

  test('messages are read from any offset and in any number, and counted one by one', async () => {
    const path = await createTopic(['Score']);
    for (let score = 1; score <= 5; score += 1) await things.update(entryId, { Score: score });
    await fill();
    // Between two batches: what the topic does not stream.
    await things.update(entryId, { Note: 'unseen' });
    for (let score = 6; score <= 8; score += 1) await things.update(entryId, { Score: score });
    await fill();
    const { rows } = await sql<{ off: number }>`
      select e.off from topic_event e join topic t using (site_id, topic_id)
      where t.site_id = ${things.siteId} and t.name = 'custom' order by e.off`.execute(context().db);
    expect(rows).toEqual([{ off: 4 }, { off: 7 }]);
    expect(listOffsets(await poll())).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect((await acknowledge(9)).status).toBe(400);
    expect((await acknowledge(2)).status).toBe(204);
    expect(listOffsets(await poll({ count: 4 }))).toEqual([2, 3, 4, 5]);
    expect(listOffsets(await poll({ topics: ['custom', 'default-users'], count: 1 }))).toEqual([2]);
    const list = async (query: string) =>
      listOffsets((await things.api.get<PublicationEvent[]>(`${path}/events?${query}`)).body);
    const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    expect([
      await list('from=3&limit=2'),
      await list('from=7'),
      await list(`since=${hourAgo}&limit=1`),
      await list(`since=${inAnHour}`),
    ]).toEqual([[3, 4], [7], [0], []]);
    const { body: topic } = await things.api.get<TopicDefinition>(path);
    expect(topic).toMatchObject({ oldestOffset: 0, nextOffset: 8, sourceLag: 0 });
    const { body: activity } = await things.api.get<TopicActivity[]>(`${DEFINITIONS}/activity`);
    expect(activity.find(({ topicId }) => topicId === topic.id)?.hours.at(-1)).toBe(8);
    const { body: consumers } = await things.api.get<Consumer[]>(`${PUBLICATION}/consumers`);
    expect(consumers.find(({ topicName }) => topicName === 'custom')).toMatchObject({ offset: 2, lag: 6 });
  });

  test('a batch is deleted after 9 days, and not the events that a kept one names', async () => {
    await createTopic(['Score']);
    await things.update(entryId, { Score: 1 });
    await fill();
    await things.update(entryId, { Score: 2 });
    await age('default-data', 10);
    await age('custom', 8.9);
    // Filled now: its event was committed 10 days ago.
    await fill();
    const [first] = await poll();
    await runTask(deleteExpiredEventsTask(context()));
    const remaining = await poll();
    expect([listOffsets(remaining), remaining[0]]).toEqual([[0, 1], first]);
    await age('custom', 10, 1);
    await runTask(deleteExpiredEventsTask(context()));
    expect(listOffsets(await poll())).toEqual([1]);
    await age('custom', 10);
    await runTask(deleteExpiredEventsTask(context()));
    const { rows } = await sql`select e.off from topic_event e join topic t using (site_id, topic_id)
      where e.site_id = ${things.siteId} and t.name in ('default-data', 'custom')`.execute(context().db);
    expect([await poll(), rows]).toEqual([[], []]);
  });

  test('copies of messages that an earlier version has made are read before the batches', async () => {
    await createTopic(['Score']);
    // In another form than the topic has, so that they differ from what is derived.
    await sql`with counted as (
        update topic set next = 2 where site_id = ${things.siteId} and name = 'custom' returning topic_id)
      insert into topic_event (site_id, topic_id, off, payload)
      select ${things.siteId}, c.topic_id, copy.off, e.payload from counted c, generate_series(0, 1) as copy(off), topic_event e
      join topic t using (site_id, topic_id) where e.site_id = ${things.siteId} and t.name = 'default-data' and e.off = 0`.execute(
      context().db,
    );
    for (let score = 1; score <= 3; score += 1) await things.update(entryId, { Score: score });
    await fill();
    expect(listForms(await poll())).toEqual([
      [0, 'Cells'],
      [1, 'Cells'],
      [2, 'Rows'],
      [3, 'Rows'],
      [4, 'Rows'],
    ]);
    expect(listOffsets(await poll({ count: 3 }))).toEqual([0, 1, 2]);
  });

  test('messages that are too large together are read in turns, none of them twice or left out', async () => {
    const { db } = context();
    await db.transaction().execute((tx) =>
      insertTopic(tx, things.siteId, {
        name: 'custom',
        format: 'Cells',
        entryTypes: [{ entryTypeId: WRITTEN.entryTypeId }],
      }),
    );
    const values = Array.from({ length: 60 }, () => randomBytes(45_000).toString('base64'));
    await publishCells(db, things.siteId, values);
    await fill();
    const read: PublicationEvent[] = [];
    for (;;) {
      const events = await poll();
      if (events.length === 0) break;
      expect(events.length).toBeLessThan(values.length);
      read.push(...events);
      await acknowledge((events.at(-1)?.topicOffset ?? 0) + 1);
    }
    expect(read.map(({ topicOffset }) => topicOffset)).toEqual(values.map((_, index) => index));
    const texts = read.map((event) => JSON.stringify(event));
    expect(values.filter((value, index) => !texts[index]?.includes(value))).toEqual([]);
  });
});

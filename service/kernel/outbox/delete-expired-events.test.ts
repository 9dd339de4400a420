import { sql } from 'kysely';
import { beforeEach, expect, test, vi } from 'vitest';
import { onEachDatabase } from '../../testing/databases.ts';
import { makeSite } from '../../testing/site.ts';
import { runTask } from '../../testing/tasks.ts';
import { ageEvents } from '../../testing/topic-messages.ts';
import { withTransaction } from '../db/database.ts';
import type { ChangeEvent } from './change-event.ts';
import { deleteExpiredEventsTask } from './delete-expired-events.ts';
import { publishEvents } from './events.store.ts';

onEachDatabase((database) => {
  let siteId: number;
  beforeEach(async () => {
    siteId = await makeSite(database().db);
  });

  const publish = (
    site: number,
    count: number,
    topic: 'default-users' | 'default-schema' = 'default-users',
  ) =>
    withTransaction(database().db, {}, async (tx) =>
      publishEvents(
        tx,
        { siteId: site, userId: null, email: null },
        Array.from(
          { length: count },
          (_, id) =>
            ({
              topic,
              entityType: 'Users' as const,
              kind: 'updated' as const,
              entity: { id },
            }) satisfies ChangeEvent,
        ),
      ),
    );
  /** Sets the age of the events of a site with offsets below `end`. */
  const age = (site: number, end: number, days: number) => ageEvents(database().db, site, days, { end });
  const listOffsets = async (site: number, topic: ChangeEvent['topic'] = 'default-users') => {
    const { rows } = await sql<{ off: number }>`
      select e.off::int as off from topic_event e join topic t on t.site_id = e.site_id and t.topic_id = e.topic_id
      where e.site_id = ${site} and t.name = ${topic} order by e.off`.execute(database().db);
    return rows.map(({ off }) => off);
  };
  const run = () => runTask(deleteExpiredEventsTask(database()));

  test('events are deleted after 9 days, in every topic of every site', async () => {
    const other = await makeSite(database().db);
    await publish(siteId, 5);
    await publish(siteId, 2, 'default-schema');
    await publish(other, 3);
    await age(siteId, 5, 8.99);
    await age(siteId, 3, 9.01);
    await age(other, 1, 400);
    await run();
    expect(await listOffsets(siteId)).toEqual([3, 4]);
    expect(await listOffsets(siteId, 'default-schema')).toEqual([]);
    expect(await listOffsets(other)).toEqual([1, 2]);
    await run();
    expect(await listOffsets(siteId)).toEqual([3, 4]);
  });

  test('a process whose clock is wrong deletes no event too early', async () => {
    await publish(siteId, 2);
    await age(siteId, 1, 9.01);
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 30 * 86_400_000 });
    await run();
    vi.useRealTimers();
    expect(await listOffsets(siteId)).toEqual([1]);
  });

  test('offsets continue after all events of a topic are deleted', async () => {
    await publish(siteId, 3);
    await age(siteId, 3, 10);
    await run();
    expect(await listOffsets(siteId)).toEqual([]);
    await publish(siteId, 2);
    expect(await listOffsets(siteId)).toEqual([3, 4]);
  });

  test('a run is limited in time, and the next one continues', async () => {
    await publish(siteId, 10);
    await age(siteId, 9, 10);
    const task = deleteExpiredEventsTask(database(), { batchSize: 4, maxRunMs: 0 });
    expect(await task.run()).toMatchObject({ runAgainInMs: 0 });
    expect(await listOffsets(siteId)).toEqual([4, 5, 6, 7, 8, 9]);
    await runTask(task);
    expect(await listOffsets(siteId)).toEqual([9]);
  });

  test('the remaining offsets have no gaps when a later offset is older', async () => {
    await publish(siteId, 4);
    await age(siteId, 4, 10);
    await sql`update topic_event set at = now() where site_id = ${siteId} and off = 1`.execute(database().db);
    await run();
    expect(await listOffsets(siteId)).toEqual([1, 2, 3]);
  });

  test('an aborted run deletes nothing', async () => {
    await publish(siteId, 2);
    await age(siteId, 2, 10);
    await deleteExpiredEventsTask(database()).run(AbortSignal.abort());
    expect(await listOffsets(siteId)).toEqual([0, 1]);
  });

  test('concurrent runs and writers do not disturb each other', async () => {
    await publish(siteId, 50);
    await age(siteId, 40, 10);
    await Promise.all([run(), publish(siteId, 5), run(), publish(siteId, 5)]);
    expect(await listOffsets(siteId)).toEqual(Array.from({ length: 20 }, (_, index) => 40 + index));
  });
});

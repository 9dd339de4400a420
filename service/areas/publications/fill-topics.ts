import { type Db, withTransaction } from '../../kernel/db/database.ts';
import { onEventsCommitted } from '../../kernel/outbox/commits.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { projectEvent, type StoredDataEvent } from './project-event.ts';
import * as store from './publications.store.ts';

/** Events of default-data that one transaction reads for a topic. */
const BATCH_SIZE = 200;
/** Upper bound of one run in milliseconds; the next run continues. */
const MAX_RUN_MS = 5_000;
/** How long the events of other processes may wait for this one. */
const INTERVAL_MS = 1_000;
/** Time after an own commit for which further ones are gathered: each run costs a transaction for each topic, which writers feel. */
const GATHER_MS = 250;

const FILL_TASK = 'fill custom topics';

/**
 * Derives the events of one batch for a custom topic. The row lock on the definition is the lease: a second process skips the topic,
 * and a process that dies gives it up with its transaction, so that no event is derived twice or left out.
 * @returns whether there may be more
 */
const fillTopic = (db: Db, siteId: number, topicId: number): Promise<boolean> =>
  withTransaction(db, {}, async (tx) => {
    const topic = await store.leaseTopic(tx, siteId, topicId);
    if (!topic) return false;
    // Read first: events that are committed after it are for the next batch.
    const sourceNext = await store.getSourceNext(tx, siteId);
    const events = await store.readSource(tx, siteId, { from: topic.sourceNext }, BATCH_SIZE);
    const last = events.at(-1);
    const messages = events
      .map(({ payload }) => projectEvent(payload as StoredDataEvent, topic))
      .filter((message) => message !== undefined);
    // Without an event in the range all of them have been deleted.
    await store.appendMessages(tx, siteId, topicId, {
      messages,
      sourceNext: last ? last.off + 1 : sourceNext,
    });
    return last !== undefined && last.off + 1 < sourceNext;
  });

/** Scheduled task that fills the custom topics of all sites from default-data; writers never do. */
export function createFillTask({ db }: { db: Db }): ScheduledTask {
  return createItemTask(db, {
    name: FILL_TASK,
    intervalMs: INTERVAL_MS,
    maxRunMs: MAX_RUN_MS,
    async listItems() {
      const topics = await store.listTopicsToFill(db);
      return topics.map((topic) => ({ ...topic, item: `topic ${topic.name}` }));
    },
    runStep: ({ siteId, topicId }) => fillTopic(db, siteId, topicId),
  });
}

/** Wakes the task soon after events were committed by this process. */
export function wakeFillTaskOnCommits(wakeTask: (name: string) => void): void {
  let timer: NodeJS.Timeout | undefined;
  onEventsCommitted(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      wakeTask(FILL_TASK);
    }, GATHER_MS).unref();
  });
}

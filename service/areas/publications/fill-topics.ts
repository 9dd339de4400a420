import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Db, onCommit, withTransaction } from '../../kernel/db/database.ts';
import { isDatabaseUnavailable } from '../../kernel/db/driver/errors.ts';
import { notifyEventsCommitted, onEventsCommitted } from '../../kernel/outbox/commits.ts';
import { createItemTask } from '../../kernel/tasks/run-in-turns.ts';
import type { ScheduledTask } from '../../kernel/tasks/scheduled-tasks.ts';
import { readSource } from './messages.store.ts';
import { createFilter } from './project-event.ts';
import * as store from './publications.store.ts';

/** Events of default-data that one transaction reads for the topics of a site. */
const BATCH_SIZE = 500;
/** Upper bound of one run in milliseconds; the next run continues. */
const MAX_RUN_MS = 5_000;
/** How long the events of other processes may wait for this one. */
const INTERVAL_MS = 1_000;
/** Time after an own commit for which further ones are gathered. */
const GATHER_MS = 250;

const FILL_TASK = 'fill custom topics';

/**
 * Appends to custom topics of a site which events of default-data they stream: the events are read and the transaction is committed once
 * for all of them. The row lock on a definition is its lease: a second process skips the topic, and a process that dies gives it up
 * with its transaction, so that no event is there twice or left out.
 * @returns whether there may be more
 */
async function fillTopics(db: Db, siteId: number, topicIds: readonly number[]): Promise<boolean> {
  return withTransaction(db, {}, async (tx) => {
    const filled: string[] = [];
    const topics = await store.leaseTopics(tx, siteId, topicIds);
    if (topics.length === 0) return false;
    const from = Math.min(...topics.map((topic) => topic.sourceNext));
    const [sourceNext, events] = await Promise.all([
      // Read first: events that are committed after it are for the next batch.
      store.getSourceNext(tx, siteId),
      readSource(tx, siteId, { from }, BATCH_SIZE),
    ]);
    const last = events.at(-1);
    // Without an event in the range all of them have been deleted.
    const next = last ? last.off + 1 : sourceNext;
    const batches: store.NewBatch[] = [];
    for (const { topicId, name, version, sourceNext: first, ...content } of topics) {
      const streams = createFilter(content);
      const sources = events.filter(({ off, event }) => off >= first && streams(event)).map(({ off }) => off);
      if (sources.length > 0) {
        batches.push({ topicId, version, sources });
        filled.push(name);
      }
      // Requests are served between two topics.
      await nextTurn();
    }
    if (batches.length > 0) store.appendBatches(tx, siteId, batches);
    await store.moveTopics(
      tx,
      siteId,
      topics.map(({ topicId }) => topicId),
      next,
    );
    if (filled.length > 0) onCommit(tx, () => notifyEventsCommitted({ siteId, topics: filled }));
    return next < sourceNext;
  });
}

/** Scheduled task that fills the custom topics of all sites from default-data; writers never do. */
export function createFillTask({ db }: { db: Db }): ScheduledTask {
  /** Topics that failed together with others: each is filled alone until it succeeds, so that one holds up no other. */
  const alone = new Set<number>();
  /** Topics by site that are filled together in this run and may have more events to read. */
  let groups: Map<number, number[]> = new Map();
  return createItemTask(db, {
    name: FILL_TASK,
    intervalMs: INTERVAL_MS,
    maxRunMs: MAX_RUN_MS,
    async listItems() {
      const topics = await store.listTopicsToFill(db);
      groups = new Map(
        [...Map.groupBy(topics, ({ siteId }) => siteId)].map(([siteId, ofSite]) => [
          siteId,
          ofSite.map(({ topicId }) => topicId).filter((id) => !alone.has(id)),
        ]),
      );
      return topics.map((topic) => ({ ...topic, item: `topic ${topic.name}` }));
    },
    async runStep({ siteId, topicId }) {
      if (alone.has(topicId)) {
        const hasMore = await fillTopics(db, siteId, [topicId]);
        alone.delete(topicId);
        return hasMore;
      }
      const group = groups.get(siteId);
      // The others of its site have been filled together with it.
      if (!group) return false;
      groups.delete(siteId);
      try {
        const hasMore = await fillTopics(db, siteId, group);
        if (hasMore) groups.set(siteId, group);
        return hasMore;
      } catch (error) {
        if (group.length === 1 || isDatabaseUnavailable(error)) throw error;
        for (const id of group) alone.add(id);
        return true;
      }
    },
  });
}

/**
 * Wakes the task soon after this process published data events, and at most once in its interval while they go on: each run costs a
 * transaction, which writers feel.
 */
export function wakeFillTaskOnCommits(wakeTask: (name: string) => void): void {
  let timer: NodeJS.Timeout | undefined;
  let wokenAt = -Infinity;
  onEventsCommitted(({ topics }) => {
    if (!topics.includes('default-data')) return;
    timer ??= setTimeout(
      () => {
        timer = undefined;
        wokenAt = performance.now();
        wakeTask(FILL_TASK);
      },
      Math.max(GATHER_MS, wokenAt + INTERVAL_MS - performance.now()),
    ).unref();
  });
}

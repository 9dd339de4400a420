import type { QueryClient } from '@tanstack/react-query';
import type { TopicPosition } from '../../../../contract/generated/types.gen.ts';
import { streamTopicPositions } from '../../../api/generated/sdk/publications.gen.ts';
import {
  ENTRY_TYPE_READS,
  FIELD_READS,
  GROUP_READS,
  LICENSE_READS,
  USER_READS,
} from '../../../api/read-groups.ts';
import type { SessionIdentity } from '../../../api/session-state.ts';
import { addChanges, followedSince, onSiteChanges, reportSiteChanges } from '../../../api/site-changes.ts';
import type { SiteChanges } from '../../../api/site-changes.ts';
import { directoryQuery, removeFromDirectory } from '../../../directory/directory.ts';

/** Reads that are made again when a topic has new events, if they are on screen. Rows of entries are read by their grid. */
const READS_OF_TOPICS: Readonly<Record<string, readonly string[]>> = {
  'default-users': [...USER_READS, ...LICENSE_READS, ...GROUP_READS],
  'default-schema': [...ENTRY_TYPE_READS, ...FIELD_READS],
  'default-data': [...ENTRY_TYPE_READS, 'countChangedEntries'],
};

/** Reads lists again after changes, and the directory at its interval when changes are no longer reported. @returns a function that stops it */
export function refreshLists(client: QueryClient): () => void {
  const refresh = ({ topics, deletedUserIds }: SiteChanges) => {
    if (deletedUserIds && deletedUserIds.size > 0) removeFromDirectory(client, [...deletedUserIds]);
    const reads = new Set([...topics].flatMap((topic) => READS_OF_TOPICS[topic] ?? []));
    for (const read of reads) void client.invalidateQueries({ queryKey: [{ _id: read }] });
  };
  const readAtIntervals = () => {
    if (followedSince.get() === undefined && document.visibilityState !== 'hidden')
      void client.invalidateQueries({ queryKey: directoryQuery.queryKey });
  };
  const ends = [onSiteChanges(refresh), followedSince.subscribe(readAtIntervals)];
  return () => {
    for (const end of ends) end();
  };
}

/** The first event is sent at once. */
const FIRST_EVENT_MS = 4_000;
/** Pauses before the next attempt: after a stream that worked, as when a process of the service stops, and after one that did not. */
const RECONNECT_MS = 10_000;
const BLOCKED_MS = 60_000;
/** An event follows at least every 15 seconds. */
const SILENCE_MS = 40_000;
/** Changes within this time after the first are reported together: the service sends one event a second. */
const GATHER_MS = 1_200;
/** Least time between two reports. */
const REPORT_INTERVAL_MS = 5_000;

/** Message between the tab with the stream and the others of the browser. */
type TabMessage = { type: 'hello' } | { type: 'lost' } | { type: 'event'; topics: readonly TopicPosition[] };

function setFollowed(isFollowed: boolean): void {
  if (isFollowed === (followedSince.get() !== undefined)) return;
  followedSince.set(isFollowed ? Date.now() : undefined);
}

/**
 * Reports changes of the site to the lists of this page (api/site-changes.ts) while it is visible. One visible tab of a browser has the
 * stream and tells the others: a browser opens few connections to a service. Where events do not arrive, lists are read at intervals.
 * After a lost connection the positions tell what was missed. @returns a function that stops it
 */
export function followChanges({ siteId, userId }: SessionIdentity): () => void {
  const name = `steward-changes-${siteId}-${userId}`;
  const channel = 'locks' in navigator ? new BroadcastChannel(name) : undefined;
  /** Offsets of the next events when changes were last reported. */
  const offsets = new Map<string, number>();
  let running: AbortController | undefined;
  let isLeader = false;
  let pending: SiteChanges | undefined;
  let reporting: ReturnType<typeof setTimeout> | undefined;
  let reportedAt = -Infinity;

  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches only this origin
  const tellTabs = (message: TabMessage) => channel?.postMessage(message);

  /** Takes an event of the stream, or of the tab that has it. */
  const receive = (topics: readonly TopicPosition[]) => {
    setFollowed(true);
    const moved = topics.filter(({ name: topic, nextOffset }) => {
      const known = offsets.get(topic);
      offsets.set(topic, nextOffset);
      return known !== undefined && known !== nextOffset;
    });
    if (moved.length === 0) return;
    pending = addChanges(pending, moved);
    reporting ??= setTimeout(
      () => {
        reporting = undefined;
        reportedAt = performance.now();
        const changes = pending;
        pending = undefined;
        if (changes) reportSiteChanges(changes);
      },
      Math.max(GATHER_MS, reportedAt + REPORT_INTERVAL_MS - performance.now()),
    );
  };

  const listPositions = (): TopicPosition[] =>
    [...offsets].map(([topic, nextOffset]) => ({
      name: topic,
      nextOffset,
      entryTypeIds: null,
      deletedUserIds: null,
    }));

  /** Reads one stream to its end. @returns whether an event has arrived */
  const readStream = async (signal: AbortSignal): Promise<boolean> => {
    const controller = new AbortController();
    const abort = () => controller.abort();
    signal.addEventListener('abort', abort);
    let silence = setTimeout(abort, FIRST_EVENT_MS);
    let hasWorked = false;
    try {
      const { stream } = await streamTopicPositions({
        signal: controller.signal,
        sseMaxRetryAttempts: 1,
      });
      for await (const { topics } of stream) {
        if (controller.signal.aborted) break;
        clearTimeout(silence);
        silence = setTimeout(abort, SILENCE_MS);
        hasWorked = true;
        tellTabs({ type: 'event', topics });
        receive(topics);
      }
    } catch {
      // The lists are read at intervals.
    } finally {
      clearTimeout(silence);
      signal.removeEventListener('abort', abort);
      abort();
    }
    return hasWorked;
  };

  /** Holds a stream open, with pauses after failures, until the signal fires. */
  const lead = async (signal: AbortSignal): Promise<void> => {
    isLeader = true;
    try {
      while (!signal.aborted) {
        // The next stream begins after the last.
        const hasWorked = await readStream(signal);
        if (signal.aborted) break;
        setFollowed(false);
        tellTabs({ type: 'lost' });
        await pause(hasWorked ? RECONNECT_MS : BLOCKED_MS, signal);
      }
    } finally {
      isLeader = false;
    }
  };

  channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (!running) return;
    if (data.type === 'hello') {
      if (isLeader && followedSince.get() !== undefined) tellTabs({ type: 'event', topics: listPositions() });
    } else if (isLeader) return;
    else if (data.type === 'lost') setFollowed(false);
    else receive(data.topics);
  });

  const update = () => {
    if (document.visibilityState === 'hidden') {
      running?.abort();
      running = undefined;
      setFollowed(false);
      return;
    }
    if (running) return;
    const controller = new AbortController();
    running = controller;
    const { signal } = controller;
    if (!channel) {
      void lead(signal);
      return;
    }
    tellTabs({ type: 'hello' });
    // The browser gives the lock to the next tab when this one is hidden or closed.
    navigator.locks.request(name, { signal }, () => lead(signal)).catch(() => undefined);
  };
  document.addEventListener('visibilitychange', update);
  update();

  return () => {
    document.removeEventListener('visibilitychange', update);
    running?.abort();
    running = undefined;
    channel?.close();
    clearTimeout(reporting);
    setFollowed(false);
  };
}

const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => {
      clearTimeout(timer);
      resolve();
    });
  });

import type { QueryClient } from '@tanstack/react-query';
import { streamJobs } from '../../../api/generated/sdk/jobs.gen.ts';
import { cacheJobs, followedJobs, jobListQuery } from './jobs.ts';

/** A stream sends an event at once and then at least every five seconds (streamJobs). */
const FIRST_EVENT_MS = 4_000;
const SILENCE_MS = 12_000;
/** Pauses before the next attempt: after a stream that worked, as when a process of the service stops, and after one that did not. */
const RECONNECT_MS = 3_000;
const BLOCKED_MS = 60_000;

export interface JobEvents {
  /** Connects if `isFollowing` and the page is visible, and disconnects otherwise. */
  follow: (isFollowing: boolean) => void;
  stop: () => void;
}

/**
 * Receives the progress of the caller's jobs as events while one is active and this tab is visible: other tabs hold no connection.
 * Until the first event, and where events do not pass, the jobs are read at intervals (`getPollInterval`).
 */
export function createJobEvents(client: QueryClient): JobEvents {
  let isFollowing = false;
  let connection: AbortController | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let lastEventId: string | undefined;

  const connect = async () => {
    const controller = new AbortController();
    connection = controller;
    let hasWorked = false;
    let silence = setTimeout(() => controller.abort(), FIRST_EVENT_MS);
    const receive = (id: string | undefined) => {
      clearTimeout(silence);
      silence = setTimeout(() => controller.abort(), SILENCE_MS);
      hasWorked = true;
      lastEventId = id ?? lastEventId;
    };
    try {
      const { stream } = await streamJobs({
        signal: controller.signal,
        ...(lastEventId !== undefined && { headers: { 'Last-Event-ID': lastEventId } }),
        sseMaxRetryAttempts: 1,
        onSseEvent: ({ id }) => receive(id),
      });
      for await (const { jobs } of stream) {
        if (controller.signal.aborted) break;
        followedJobs.isConnected = true;
        cacheJobs(client, jobs);
      }
    } catch {
      // The jobs are read at intervals.
    } finally {
      clearTimeout(silence);
    }
    if (connection !== controller) return;
    disconnect();
    // From now on at intervals.
    if (hasWorked) void client.invalidateQueries({ queryKey: jobListQuery('own').queryKey });
    retry = setTimeout(update, hasWorked ? RECONNECT_MS : BLOCKED_MS);
  };

  const disconnect = () => {
    clearTimeout(retry);
    retry = undefined;
    const last = connection;
    connection = undefined;
    followedJobs.isConnected = false;
    last?.abort();
  };

  const update = () => {
    if (!isFollowing || document.visibilityState === 'hidden') disconnect();
    else if (!connection) void connect();
  };
  const updateUnlessPausing = () => {
    if (retry === undefined || !isFollowing || document.visibilityState === 'hidden') update();
  };
  document.addEventListener('visibilitychange', updateUnlessPausing);

  return {
    follow(isFollowingNow) {
      isFollowing = isFollowingNow;
      updateUnlessPausing();
    },
    stop() {
      document.removeEventListener('visibilitychange', updateUnlessPausing);
      isFollowing = false;
      disconnect();
    },
  };
}

import type { PublicationEvent, TopicDefinition } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listTopicEvents, streamTopic } from '../../../api/generated/sdk/publications.gen.ts';
import { repeatedSignIns } from '../../../api/session-state.ts';
import type { EventStart } from '../model/queries.ts';
import { TailBuffer } from './tail-buffer.ts';
import type { TailGap } from './tail-buffer.ts';

/** Where a tail begins: with the newest events, at an offset, or at a time. */
export type TailStart = EventStart | 'live';

/** State of the connection; `message` says why there is none. */
export type TailStatus =
  | { state: 'connecting' | 'live' | 'paused' }
  | { state: 'lost' | 'ended'; message: string };

export interface TailSnapshot {
  status: TailStatus;
  buffer: TailBuffer;
  /** True once the first events have been read, so that an empty buffer has none. */
  hasStarted: boolean;
  /** Changes with each drawing. */
  revision: number;
}

/** Newest events that a live tail begins with. */
const FIRST_EVENTS = 50;
const MAX_PAGE = 100;
/** Events that arrive within this time are drawn together. */
const DRAW_INTERVAL_MS = 200;
/** The service sends a comment at least every 15 seconds. */
const SILENCE_MS = 40_000;
/** Pauses before the next attempt, by the number of failures in a row. */
const RETRY_MS = [1_000, 2_000, 4_000, 8_000, 15_000];
/** Too many open streams: one ends when another tab is closed. */
const BUSY_MS = 10_000;

const SESSION_ENDED = 'Your session has ended.';
/** Answers after which another attempt cannot succeed; after the end of the session, one after the next sign-in can. */
const FINAL_MESSAGES: Readonly<Record<string, string>> = {
  400: 'This topic no longer exists, or has fewer events than this offset.',
  401: SESSION_ENDED,
  403: 'You may no longer read this topic from here.',
  404: 'This topic no longer exists.',
};

/**
 * Follows a topic: reads its first events, then its stream, and continues after the last event whenever the connection was
 * lost, the tab was hidden or the tail was paused. Nothing is buffered meanwhile: the service has the events.
 */
export class TailClient {
  readonly #topic: Pick<TopicDefinition, 'id' | 'name' | 'oldestOffset' | 'nextOffset'>;
  readonly #start: TailStart;
  readonly #listeners = new Set<() => void>();
  #buffer: TailBuffer;
  #snapshot: TailSnapshot;
  #connection: AbortController | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #ignoreSignIns: (() => void) | undefined;
  #drawing: ReturnType<typeof setTimeout> | undefined;
  #failures = 0;
  #hasStarted = false;
  #isPaused = false;

  constructor(topic: Pick<TopicDefinition, 'id' | 'name' | 'oldestOffset' | 'nextOffset'>, start: TailStart) {
    this.#topic = topic;
    this.#start = start;
    this.#buffer = new TailBuffer();
    this.#snapshot = {
      status: { state: 'connecting' },
      buffer: this.#buffer,
      hasStarted: false,
      revision: 0,
    };
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    if (this.#listeners.size === 1) {
      document.addEventListener('visibilitychange', this.#update);
      this.#ignoreSignIns = repeatedSignIns.subscribe(this.#continueSignedIn);
      this.#update();
    }
    return () => {
      this.#listeners.delete(listener);
      if (this.#listeners.size > 0) return;
      document.removeEventListener('visibilitychange', this.#update);
      this.#ignoreSignIns?.();
      this.#disconnect();
      clearTimeout(this.#drawing);
      this.#drawing = undefined;
    };
  };

  readonly getSnapshot = (): TailSnapshot => this.#snapshot;

  pause(): void {
    this.#isPaused = true;
    this.#disconnect();
    this.#setStatus({ state: 'paused' });
  }

  resume(): void {
    this.#isPaused = false;
    this.#setStatus({ state: 'connecting' });
    this.#update();
  }

  readonly #continueSignedIn = (): void => {
    const { status } = this.#snapshot;
    if (status.state === 'ended' && status.message === SESSION_ENDED) this.retry();
  };

  /** Tries again at once after a failure. */
  retry(): void {
    this.#disconnect();
    this.resume();
  }

  /** Reads the events of a gap again; those that were deleted stay marked. @throws ServiceError */
  async readGap(gap: TailGap): Promise<void> {
    try {
      const { data } = await listTopicEvents({
        path: { topicId: this.#topic.id },
        query: { from: gap.from, limit: Math.min(MAX_PAGE, gap.to - gap.from + 1) },
      });
      this.#buffer.fillGap(gap, data);
      this.#draw();
    } catch (thrown) {
      throw toServiceError(thrown);
    }
  }

  readonly #update = (): void => {
    const shouldRun =
      !this.#isPaused &&
      this.#listeners.size > 0 &&
      document.visibilityState !== 'hidden' &&
      this.#snapshot.status.state !== 'ended';
    if (!shouldRun) this.#disconnect();
    else if (!this.#connection) {
      clearTimeout(this.#retry);
      void this.#connect();
    }
  };

  #disconnect(): void {
    clearTimeout(this.#retry);
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.abort();
  }

  async #connect(): Promise<void> {
    const controller = new AbortController();
    this.#connection = controller;
    let failure: unknown;
    try {
      if (!this.#hasStarted) await this.#readFirst(controller.signal);
      failure = await this.#follow(controller);
    } catch (thrown) {
      failure = toServiceError(thrown);
    }
    if (this.#connection !== controller) return;
    this.#connection = undefined;
    controller.abort();
    this.#handleEnd(failure);
  }

  async #readFirst(signal: AbortSignal): Promise<void> {
    const { id, oldestOffset, nextOffset } = this.#topic;
    const query =
      this.#start === 'live' ? { from: Math.max(oldestOffset, nextOffset - FIRST_EVENTS) } : this.#start;
    const limit = this.#start === 'live' ? FIRST_EVENTS : MAX_PAGE;
    const { data } = await listTopicEvents({ path: { topicId: id }, query: { ...query, limit }, signal });
    this.#buffer = new TailBuffer(data.length === 0 ? nextOffset : undefined);
    for (const event of data) this.#buffer.push(event);
    this.#hasStarted = true;
    this.#draw();
  }

  /** Reads the stream to its end. @returns why it could not be read, or undefined when the service ended it */
  async #follow(controller: AbortController): Promise<unknown> {
    const { signal } = controller;
    let failure: unknown;
    let silence = setTimeout(() => controller.abort(), SILENCE_MS);
    const last = (this.#buffer.next ?? 0) - 1;
    const { stream } = await streamTopic({
      query: { topic: this.#topic.name },
      ...(last >= 0 && { headers: { 'Last-Event-ID': String(last) } }),
      signal,
      sseMaxRetryAttempts: 1,
      onSseError: (error) => {
        failure = error;
      },
      onSseEvent: ({ event, data }) => {
        clearTimeout(silence);
        silence = setTimeout(() => controller.abort(), SILENCE_MS);
        if (this.#connection !== controller) return;
        this.#failures = 0;
        if (this.#snapshot.status.state !== 'live') this.#setStatus({ state: 'live' });
        if (event === 'gap') this.#receiveGap(data);
        else if (isEvent(data)) this.#receive(data);
      },
    });
    try {
      // The events are handled as they arrive (onSseEvent), because gaps have a name.
      // oxlint-disable-next-line no-unused-vars -- see above
      for await (const _ of stream) if (signal.aborted) break;
    } finally {
      clearTimeout(silence);
    }
    return failure;
  }

  #receive(event: PublicationEvent): void {
    this.#buffer.push(event);
    this.#draw();
  }

  #receiveGap(data: unknown): void {
    const { from, to } = Object(data) as { from?: unknown; to?: unknown };
    if (typeof from !== 'number' || typeof to !== 'number') return;
    this.#buffer.addGap(from, to, true);
    this.#draw();
  }

  #handleEnd(failure: unknown): void {
    const status = getStatus(failure);
    const final = FINAL_MESSAGES[status];
    if (final !== undefined) {
      this.#setStatus({ state: 'ended', message: final });
      return;
    }
    const isBusy = status === '429';
    const delay =
      failure === undefined
        ? (RETRY_MS[0] ?? 0)
        : isBusy
          ? BUSY_MS
          : (RETRY_MS[Math.min(this.#failures, RETRY_MS.length - 1)] ?? BUSY_MS);
    this.#failures += 1;
    this.#setStatus(
      failure === undefined
        ? { state: 'connecting' }
        : {
            state: 'lost',
            message: isBusy
              ? 'You have too many open streams. Close another live tail.'
              : 'The connection was lost. It continues after the last event.',
          },
    );
    this.#retry = setTimeout(this.#update, delay);
  }

  #setStatus(status: TailStatus): void {
    this.#publish(status);
  }

  /** Draws what has arrived, once in a while. */
  #draw(): void {
    this.#drawing ??= setTimeout(() => {
      this.#drawing = undefined;
      this.#publish(this.#snapshot.status);
    }, DRAW_INTERVAL_MS);
  }

  #publish(status: TailStatus): void {
    this.#snapshot = {
      status,
      buffer: this.#buffer,
      hasStarted: this.#hasStarted,
      revision: this.#snapshot.revision + 1,
    };
    for (const listener of this.#listeners) listener();
  }
}

const isEvent = (data: unknown): data is PublicationEvent =>
  typeof data === 'object' && data !== null && 'topicOffset' in data && typeof data.topicOffset === 'number';

/** Status of an answer: of a ServiceError, or of the text of the client's error ("SSE failed: 403 Forbidden"). */
function getStatus(failure: unknown): string {
  if (typeof failure === 'object' && failure !== null && 'status' in failure) return String(failure.status);
  const text = failure instanceof Error ? failure.message : '';
  return /^SSE failed: (\d{3})/.exec(text)?.[1] ?? '';
}

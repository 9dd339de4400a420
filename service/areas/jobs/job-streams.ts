/**
 * Streams of the progress of jobs. All streams of a process are fed by one reading of the database a second, which also checks their
 * credentials, so that a stream ends within a second of its session in whichever process either is.
 */
import type { Job } from '../../../contract/generated/types.gen.ts';
import { retryLater, unauthorized } from '../../kernel/api-error.ts';
import { findValidCredentials } from '../../kernel/auth/callers.store.ts';
import { type Db, getSharedDb } from '../../kernel/db/database.ts';
import { formatEvent } from '../../kernel/http/event-stream.ts';
import type { Call, Services } from '../../kernel/http/handler.ts';
import { getJobIdentity, getVisibleKinds } from './access.ts';
import { listFollowedJobs, type FollowedOwner, type StoredJob } from './jobs.store.ts';
import { toJob } from './start.ts';

export const STREAM_LIMITS = { perPerson: 5, perProcess: 1_000 };

const POLL_INTERVAL_MS = 1_000;
/** A proxy that holds back events is recognized by the missing ones. */
const HEARTBEAT_MS = 5_000;
/** A transaction may be committed this long after the end of a job that it stores. */
const COMMIT_MS = 60_000;
const MAX_RESUMED_MS = 86_400_000;
/** Seconds after which a refused client may try again. */
const RETRY_SECONDS = 30;

/** A job as last read, and as JSON to compare. */
interface ReadJob {
  job: Job;
  json: string;
}

interface Stream {
  owner: Omit<FollowedOwner, 'since'>;
  tokenHash: Buffer;
  ip: string;
  /** Kinds that the scopes of a token show; undefined for all. */
  kinds: ReadonlySet<string> | undefined;
  /** Time of the last event that the client has; undefined for a client without any. */
  since: number | undefined;
  /** The jobs of the owner as last read; undefined before the first reading. */
  known: ReadonlyMap<number, string> | undefined;
  /** Content of the next event: the latest state of each changed job, so that a slow client holds little memory. */
  pending: Map<number, Job>;
  isDue: boolean;
  /** Time of the last reading (database), the id of the next event. */
  readAt: number;
  sentAt: number;
  state: 'open' | 'ended' | { error: unknown };
  wake: () => void;
}

interface JobStreams {
  streams: Set<Stream>;
  isPolling: boolean;
  /** Ends the pause between two readings, for a new stream. */
  wake: () => void;
}

/** Streams of this process, by database: a test opens several. */
const streamsByDatabase = new WeakMap<Db, JobStreams>();

function getJobStreams(db: Db): JobStreams {
  const known = streamsByDatabase.get(db);
  if (known) return known;
  const created: JobStreams = { streams: new Set(), isPolling: false, wake: () => {} };
  streamsByDatabase.set(db, created);
  return created;
}

/**
 * Opens the stream of the caller's own jobs, which begins with the open ones.
 * @throws ApiError 429 for too many streams of the user, 503 for too many of the process
 */
export function openJobStream(
  call: Pick<Call, 'caller' | 'db' | 'lastEventId' | 'operations' | 'origin' | 'services'>,
  signal: AbortSignal,
): AsyncIterable<string> {
  const { caller, services } = call;
  const db = getSharedDb(call.db);
  const hub = getJobStreams(db);
  const { siteId } = caller;
  const owner = { siteId, ...getJobIdentity(caller) };
  const isOfUser = (other: Stream) => other.owner.siteId === siteId && other.owner.userId === owner.userId;
  if ([...hub.streams].filter(isOfUser).length >= STREAM_LIMITS.perPerson)
    throw retryLater(
      429,
      `At most ${STREAM_LIMITS.perPerson} streams of jobs can be open for one user`,
      RETRY_SECONDS,
    );
  if (hub.streams.size >= STREAM_LIMITS.perProcess)
    throw retryLater(503, 'Too many streams of jobs are open: list the jobs instead', RETRY_SECONDS);
  const kinds = getVisibleKinds(call);
  const stream: Stream = {
    owner,
    tokenHash: caller.tokenHash,
    ip: call.origin.ip,
    kinds: kinds && new Set(kinds),
    since: parseEventTime(call.lastEventId),
    known: undefined,
    pending: new Map(),
    isDue: false,
    readAt: 0,
    sentAt: 0,
    state: 'open',
    wake: () => {},
  };
  hub.streams.add(stream);
  const close = () => {
    hub.streams.delete(stream);
    end(stream, 'ended');
  };
  if (signal.aborted) close();
  else signal.addEventListener('abort', close, { once: true });
  if (hub.isPolling) hub.wake();
  else void pollWhileOpen(hub, { db, services });
  return readEvents(stream, close);
}

function end(stream: Stream, state: Stream['state']): void {
  if (stream.state === 'open') stream.state = state;
  stream.wake();
}

/** The events of a stream as text; ends with it. @throws what failed before the first event */
async function* readEvents(stream: Stream, close: () => void): AsyncGenerator<string> {
  let isFirst = true;
  try {
    for (;;) {
      if (stream.isDue) {
        const jobs = [...stream.pending.values()].toSorted((a, b) => a.id - b.id);
        stream.pending.clear();
        stream.isDue = false;
        stream.sentAt = performance.now();
        isFirst = false;
        yield formatEvent(stream.readAt, JSON.stringify({ jobs }));
      } else if (stream.state === 'open') {
        await new Promise<void>((resolve) => (stream.wake = resolve));
      } else {
        if (isFirst && typeof stream.state === 'object') throw stream.state.error;
        return;
      }
    }
  } finally {
    close();
  }
}

/** Reads jobs and credentials once a second until the last stream has ended. */
async function pollWhileOpen(
  hub: JobStreams,
  { db, services }: { db: Db; services: Services },
): Promise<void> {
  hub.isPolling = true;
  let readAt: number | undefined;
  while (hub.streams.size > 0) {
    const streams = [...hub.streams];
    try {
      readAt = await poll(streams, { db, services, readAt });
    } catch (error) {
      // The clients list the jobs until the database answers again.
      for (const stream of streams) end(stream, { error });
    }
    for (const stream of streams) if (stream.state !== 'open') hub.streams.delete(stream);
    if (hub.streams.size > 0 && [...hub.streams].every(({ known }) => known !== undefined))
      await new Promise<void>((resolve) => {
        hub.wake = resolve;
        setTimeout(resolve, POLL_INTERVAL_MS).unref();
      });
  }
  hub.isPolling = false;
}

/** Largest integer that a date can have, in milliseconds. */
const MAX_EVENT_ID = 8.64e15;

/** The `Last-Event-ID` header as the time of an event in milliseconds since the epoch. Undefined for anything else. */
function parseEventTime(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,16}$/.test(header)) return undefined;
  return Math.min(Number(header), MAX_EVENT_ID);
}

const getOwnerKey = ({
  siteId,
  userId,
  principalId,
}: Omit<Stream['owner'], 'userId'> & { userId: number | null }): string =>
  `${siteId}/${userId}/${principalId ?? ''}`;

/** One reading for all streams. @returns the time of the database, before which later readings need not look */
async function poll(
  streams: readonly Stream[],
  { db, services, readAt: before }: { db: Db; services: Services; readAt: number | undefined },
): Promise<number> {
  const valid = await findValidCredentials(
    db,
    streams.map(({ tokenHash, ip, owner: { principalId } }) => ({ tokenHash, ip, principalId })),
  );
  for (const [index, stream] of streams.entries())
    if (!valid.has(index)) end(stream, { error: unauthorized() });
  const owners = new Map<string, FollowedOwner>();
  for (const stream of streams) {
    const key = getOwnerKey(stream.owner);
    const since = getSince(stream, before ?? Date.now());
    const known = owners.get(key);
    if (!known || known.since > since) owners.set(key, { ...stream.owner, since });
  }
  const { readAt, jobs } = await listFollowedJobs(db, [...owners.values()]);
  const jobsByOwner = Map.groupBy(jobs, ({ siteId, ownerId: userId, principalId }) =>
    getOwnerKey({ siteId, userId, principalId }),
  );
  const readByOwner = new Map<string, ReadJob[]>();
  for (const [key, stored] of jobsByOwner)
    readByOwner.set(
      key,
      stored.map((each) => toReadJob(each, services)),
    );
  for (const stream of streams)
    if (stream.state === 'open')
      addChanges(stream, readByOwner.get(getOwnerKey(stream.owner)) ?? [], readAt.getTime());
  return readAt.getTime();
}

/** Time since which a stream needs the jobs that ended. The clock of the process may differ from that of the database. */
function getSince({ known, since }: Stream, readAt: number): Date {
  if (known || since === undefined) return new Date(readAt - COMMIT_MS);
  return new Date(Math.max(since - COMMIT_MS, readAt - MAX_RESUMED_MS));
}

function toReadJob(row: StoredJob & { siteId: number }, services: Services): ReadJob {
  const stored: StoredJob & { siteId?: number } = { ...row };
  delete stored.siteId;
  const job = toJob(stored, services);
  return { job, json: JSON.stringify(job) };
}

/** Adds the jobs that have changed since the last reading, or for a new stream those with which it begins, to its next event. */
function addChanges(stream: Stream, jobs: readonly ReadJob[], readAt: number): void {
  const { kinds, known, since } = stream;
  const visible = kinds ? jobs.filter(({ job }) => kinds.has(job.kind)) : jobs;
  const resumedAt = since === undefined ? Infinity : since - COMMIT_MS;
  for (const { job, json } of visible) {
    const isNew = known
      ? known.get(job.id) !== json
      : job.finishedDate === null || Date.parse(job.finishedDate) > resumedAt;
    if (isNew) stream.pending.set(job.id, job);
  }
  stream.known = new Map(visible.map(({ job, json }) => [job.id, json]));
  stream.readAt = readAt;
  if (stream.pending.size === 0 && known && performance.now() - stream.sentAt < HEARTBEAT_MS) return;
  stream.isDue = true;
  stream.wake();
}

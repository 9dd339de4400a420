import { randomUUID } from 'node:crypto';
import type {
  Consumer,
  NewTopicDefinition,
  PublicationEvent,
  TopicDefinition,
} from '../../../contract/generated/types.gen.ts';
import { badRequest, conflict, type FieldError, notFound } from '../../kernel/api-error.ts';
import { change, diffProperties, getActor } from '../../kernel/audit/change.ts';
import { createShownRecorder, type Db, type Tx } from '../../kernel/db/database.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { formatEtag, requireVersion, UNVERSIONED_ETAG } from '../../kernel/http/parameters.ts';
import { listSchemaVersions, loadSchema, loadTypeDefinitions, type SiteSchema } from '../schema/index.ts';
import { getEventWatch, type News } from './event-watch.ts';
import { buildAsyncApi, buildMessageSchema } from './message-schema.ts';
import { readSource, type StoredMessage } from './messages.store.ts';
import { formatMessages } from './messages.ts';
import { createProjection, type TopicContent } from './project-event.ts';
import * as store from './publications.store.ts';
import type { PolledTopic, StoredTopic } from './publications.store.ts';
import { readShared } from './shared-reads.ts';
import { streamTopic, streamTopicPositions } from './stream.ts';
import { limitMessage } from './subscriber-limits.ts';
import { listContentIssues } from './topic-content.ts';

type Operations =
  | 'pollPublication'
  | 'acknowledgePublication'
  | 'pollEnvironment'
  | 'acknowledgeEnvironment'
  | 'getTopicSchema'
  | 'getAsyncApi'
  | 'listTopics'
  | 'streamTopic'
  | 'streamTopicPositions'
  | 'listTopicDefinitions'
  | 'getTopicDefinition'
  | 'createTopicDefinition'
  | 'updateTopicDefinition'
  | 'deleteTopicDefinition'
  | 'rehearseTopicDefinition'
  | 'listConsumers'
  | 'moveConsumer';

/** Defaults of a poll (shapes 7); `count: 0` means the default too. */
const DEFAULT_COUNT = 100;
const DEFAULT_TIMEOUT_MS = 10_000;
/** Maximum number of custom topics of a site: one transaction fills all of them. */
const MAX_CUSTOM_TOPICS = 50;
/** Events are kept for 9 days (shapes 7). */
const RETENTION_MS = 9 * 86_400_000;

export const publicationHandlers: Handlers<Operations> = {
  pollPublication: (call) => poll(call),

  acknowledgePublication: (call) => acknowledge(call),

  async pollEnvironment(call) {
    await requireOwnEnvironment(call);
    return poll(call);
  },

  async acknowledgeEnvironment(call) {
    await requireOwnEnvironment(call);
    return acknowledge(call);
  },

  async listTopics({ db, caller }) {
    return ok((await store.listTopics(db, caller.siteId, caller.clientId)).map(({ name }) => name));
  },

  streamTopic,

  streamTopicPositions,

  async listTopicDefinitions({ db, caller }) {
    const topics = await store.listTopics(db, caller.siteId, caller.clientId);
    const sourceNext = findSourceNext(topics);
    return ok(topics.map((topic) => toTopicDefinition(topic, sourceNext)));
  },

  async getTopicDefinition({ db, caller, params }) {
    return respondWithTopic(db, caller, params.topicId);
  },

  async getTopicSchema({ db, caller, params, query }) {
    const schema = await loadSchema(db, caller.siteId);
    const topic = await requireTopic(db, caller, params.topicId);
    const { schemaVersion = schema.version } = query;
    const versions = await listSchemaVersions(db, caller.siteId);
    const isCurrent = schemaVersion === schema.version;
    if (!isCurrent && !versions.some(({ version }) => version === schemaVersion))
      throw notFound(`schemaVersion ${schemaVersion}, now ${schema.version},`);
    const types = isCurrent ? schema.types : await loadTypeDefinitions(db, caller.siteId, schemaVersion);
    return ok({
      schemaVersion,
      schema: { ...buildMessageSchema(types, topic) },
      versions: versions.map(({ version, createdAt }) => ({
        schemaVersion: version,
        createdDate: createdAt.toISOString(),
      })),
    });
  },

  async getAsyncApi({ db, caller, services }) {
    const schema = await loadSchema(db, caller.siteId);
    return ok(
      buildAsyncApi(schema, await store.listTopics(db, caller.siteId, caller.clientId), services.publicUrl),
    );
  },

  async createTopicDefinition(call) {
    const { caller, body } = call;
    // Two topics at the same time could exceed the limit together.
    const topicId = await change(
      call.db,
      getActor(call),
      async (tx, record) => {
        const topics = await store.listTopics(tx, caller.siteId);
        requireContent(await loadSchema(tx, caller.siteId), body);
        requireFreeName(body.name);
        if (topics.filter(({ definition }) => definition).length >= MAX_CUSTOM_TOPICS)
          throw conflict(`A site has at most ${MAX_CUSTOM_TOPICS} custom topics`);
        const id = await store.insertTopic(tx, caller.siteId, body);
        if (id === undefined) throw nameTaken(body.name);
        record({
          action: 'topic.create',
          subject: ['topic', id, body.name],
          changes: diffProperties(undefined, toContent(body)),
        });
        return id;
      },
      { lockSite: true },
    );
    return respondWithTopic(call.db, caller, topicId);
  },

  async updateTopicDefinition(call) {
    const { caller, body, params } = call;
    await change(call.db, getActor(call), async (tx, record) => {
      const { name, definition } = await lockCustomTopic(tx, call);
      const before = toContent({ name, ...definition });
      const after = toContent({ ...before, ...body });
      const changes = diffProperties(before, after);
      if (Object.keys(changes).length === 0) return;
      requireContent(await loadSchema(tx, caller.siteId), after);
      if (after.name !== name) requireFreeName(after.name);
      if (!(await store.updateTopic(tx, caller.siteId, params.topicId, after))) throw nameTaken(after.name);
      record({ action: 'topic.update', subject: ['topic', params.topicId, after.name], changes });
    });
    return respondWithTopic(call.db, caller, params.topicId);
  },

  async deleteTopicDefinition(call) {
    await change(call.db, getActor(call), async (tx, record) => {
      const { topicId, name, definition } = await lockCustomTopic(tx, call);
      await store.deleteTopic(tx, call.caller.siteId, topicId);
      record({
        action: 'topic.delete',
        subject: ['topic', topicId, name],
        changes: diffProperties(toContent({ name, ...definition }), undefined),
      });
    });
    // Polls that wait for it are answered.
    getEventWatch(call.db).wake();
    return noContent;
  },

  rehearseTopicDefinition: (call) => rehearse(call),

  async listConsumers({ readDb, caller }) {
    const consumers = await store.listConsumers(readDb, caller.siteId);
    return ok(
      consumers.map(
        ({ next, polledDate, acknowledgedDate, unreadSince, lostDate, ...consumer }): Consumer => ({
          ...consumer,
          lag: next - consumer.offset,
          polledDate: polledDate?.toISOString() ?? null,
          acknowledgedDate: acknowledgedDate?.toISOString() ?? null,
          unreadSince: unreadSince?.toISOString() ?? null,
          unreadDeletedDate: unreadSince && new Date(unreadSince.getTime() + RETENTION_MS).toISOString(),
          lostDate: lostDate?.toISOString() ?? null,
        }),
      ),
    );
  },

  async moveConsumer(call) {
    const { caller, params, body } = call;
    await change(call.db, getActor(call), async (tx, record) => {
      const topic = await requireTopic(tx, caller, params.topicId);
      const consumer = { siteId: caller.siteId, clientId: params.clientId };
      const before = await store.lockConsumer(tx, consumer, topic.topicId);
      if (before === undefined) throw notFound(`Consumer ${params.clientId} of ${topic.name}`);
      const errors = validateOffset(topic, body.offset, 'offset');
      if (errors.length > 0) throw badRequest(errors);
      await store.moveConsumer(tx, consumer, topic.topicId, body.offset);
      record({
        action: 'consumer.move',
        subject: ['topic', topic.topicId, topic.name],
        changes: { clientId: params.clientId, offset: [before, body.offset] },
      });
    });
    return noContent;
  },
};

/** Site and API key of a request; topics that the key may not read do not exist for it. */
type Subscriber = Pick<Call['caller'], 'siteId' | 'clientId'>;

/** A consumer is an API key; the console has none. @throws ApiError 400 */
function requireClient(clientId: number | undefined): number {
  if (clientId !== undefined) return clientId;
  throw badRequest([
    { path: 'body', message: 'is for programs with an API key; the console streams topics' },
  ]);
}

function validateOffset(
  { name, oldest, next }: Pick<StoredTopic, 'name' | 'oldest' | 'next'>,
  offset: number,
  path: string,
): FieldError[] {
  return offset >= oldest && offset <= next
    ? []
    : [{ path, message: `${name} has the offsets ${oldest} to ${next}` }];
}

/** Sets the offsets of the caller's API key, all or none. @throws ApiError 400 with all errors */
async function acknowledge({
  db,
  caller,
  body,
}: Pick<Call<'acknowledgePublication'>, 'db' | 'caller' | 'body'>): Promise<typeof noContent> {
  const consumer = { siteId: caller.siteId, clientId: requireClient(caller.clientId) };
  const acknowledgeAll = async () => {
    const topics = await store.acknowledgeTopics(db, consumer, body);
    const byIndex = new Map(topics.map((topic) => [topic.index, topic]));
    return body.flatMap(({ name, offset }, index): FieldError[] => {
      const topic = byIndex.get(index);
      if (!topic) return [{ path: `${index}.name`, message: `Topic "${name}" does not exist` }];
      return topic.isValid ? [] : validateOffset(topic, offset, `${index}.offset`);
    });
  };
  let errors = await acknowledgeAll();
  if (errors.some(({ path }) => path.endsWith('.name'))) {
    // The default topics exist from the first time that the topics are listed.
    await store.listTopics(db, caller.siteId, consumer.clientId);
    errors = await acknowledgeAll();
  }
  if (errors.length > 0) throw badRequest(errors);
  return noContent;
}

/** @throws ApiError 404 unless the environment of the address is the site of the caller */
async function requireOwnEnvironment({
  db,
  caller,
  params,
}: Call<'pollEnvironment'> | Call<'acknowledgeEnvironment'>): Promise<void> {
  const slug = await store.getSiteSlug(db, caller.siteId);
  if (params.environment.toLowerCase() !== slug.toLowerCase())
    throw notFound(`Environment ${params.environment}`);
}

/**
 * Answers a poll: with the events after the acknowledged offsets as soon as there is one, or without after `timeOut`, when a newer
 * poll of the key takes over, and when the service stops.
 */
async function poll(
  call: Pick<Call<'pollPublication'>, 'db' | 'caller' | 'body' | 'signal' | 'stopSignal'>,
): Promise<{ status: 200; json: string }> {
  const { db, caller, body } = call;
  const { siteId } = caller;
  const clientId = requireClient(caller.clientId);
  const pollId = randomUUID();
  const names = [...new Set(body.topics)];
  let topics =
    (await store.startPoll(db, { siteId, clientId }, pollId, names)) ??
    (await startFirstPoll(db, { siteId, clientId }, pollId, names, body.topics));
  const watch = getEventWatch(db);
  // An older poll of this consumer in this process is answered now.
  watch.wake(clientId);
  const count = body.count || DEFAULT_COUNT;
  const endsAt = performance.now() + (body.timeOut ?? DEFAULT_TIMEOUT_MS);
  let news: News | undefined;
  for (;;) {
    const messages = await readTopics(call, topics, count, news);
    const leftMs = endsAt - performance.now();
    if (messages.length > 0 || leftMs <= 0) {
      if (messages.length > 0) await createShownRecorder(db)();
      const namesById = new Map(topics.map(({ topicId, name }) => [topicId, name]));
      return { status: 200, json: formatMessages(messages, namesById, count) };
    }
    const outcome = await watch.wait(siteId, topics, {
      poll: { clientId, pollId },
      timeoutMs: leftMs,
      signals: [call.signal, call.stopSignal],
    });
    if (outcome.kind !== 'event') return { status: 200, json: '[]' };
    ({ news } = outcome);
    topics = refreshTopics(topics, clientId, news);
    if (topics.length === 0) return { status: 200, json: '[]' };
  }
}

/** The topics of a waiting poll that still exist for its key, as they are now. */
const refreshTopics = (topics: readonly PolledTopic[], clientId: number, news: News): PolledTopic[] =>
  topics.flatMap((topic) => {
    const end = news.getEnd(topic.topicId);
    const limits = news.getVisible(clientId, topic.topicId);
    return end === null || !limits ? [] : [{ ...topic, end, ...limits }];
  });

/** Messages of the topics that have some for the consumer, as far as its key may see them. */
async function readTopics(
  call: Pick<Call<'pollPublication'>, 'db' | 'caller'>,
  topics: readonly PolledTopic[],
  count: number,
  news: News | undefined,
): Promise<StoredMessage[]> {
  const unread = topics.filter(({ next, end }) => next < end);
  const stored = await Promise.all(
    unread.map((topic) =>
      news ? news.read(topic.topicId, topic.next, count) : readNext(call, topic, count),
    ),
  );
  const visible = new Map(topics.map((topic) => [topic.topicId, topic.visible]));
  return stored.flat().map((message) => limitMessage(message, visible.get(message.topicId) ?? null));
}

/** The next messages of a topic. After a full answer the following one is read ahead, while the consumer works on the first. */
async function readNext(
  { db, caller }: Pick<Call<'pollPublication'>, 'db' | 'caller'>,
  { topicId, next, end }: PolledTopic,
  count: number,
): Promise<StoredMessage[]> {
  const range = { siteId: caller.siteId, topicId, count, end };
  const messages = await readShared(db, { ...range, from: next });
  const from = (messages.at(-1)?.off ?? 0) + 1;
  if (messages.length === count && end - from >= count) void readShared(db, { ...range, from });
  return messages;
}

/** Starts a poll after creating the default topics of the site. @throws ApiError 400 that names the unknown topics */
async function startFirstPoll(
  db: Db,
  consumer: { siteId: number; clientId: number },
  pollId: string,
  asked: readonly string[],
  names: readonly string[],
): Promise<PolledTopic[]> {
  await requireTopics(db, consumer, names);
  const topics = await store.startPoll(db, consumer, pollId, asked);
  // Deleted since.
  if (!topics) throw badRequest([{ path: 'topics', message: 'A topic does not exist any more' }]);
  return topics;
}

/** @throws ApiError 400 that names the unknown topics */
async function requireTopics(
  db: Db,
  { siteId, clientId }: Subscriber,
  names: readonly string[],
): Promise<void> {
  const byName = new Map((await store.listTopics(db, siteId, clientId)).map((topic) => [topic.name, topic]));
  const errors = names.flatMap((name, index) =>
    byName.has(name) ? [] : [{ path: `topics.${index}`, message: `Topic "${name}" does not exist` }],
  );
  if (errors.length > 0) throw badRequest(errors);
}

/** @throws ApiError 404 */
export async function requireTopic(
  db: Db,
  { siteId, clientId }: Subscriber,
  topicId: number,
): Promise<StoredTopic> {
  const topic = (await store.listTopics(db, siteId, clientId)).find((each) => each.topicId === topicId);
  if (!topic) throw notFound(`Topic ${topicId}`);
  return topic;
}

const findSourceNext = (topics: readonly StoredTopic[]): number =>
  topics.find(({ name }) => name === 'default-data')?.next ?? 0;

function toTopicDefinition(
  { topicId, name, oldest, next, oldestAt, definition }: StoredTopic,
  sourceNext: number,
): TopicDefinition {
  const defaultFormat = name === 'default-data' ? 'Cells' : 'None';
  return {
    id: topicId,
    name,
    isDefault: !definition,
    entityFormatType: definition?.format ?? defaultFormat,
    ...(definition && { format: definition.format }),
    entryTypes: (definition?.entryTypes ?? []).map(({ entryTypeId, fieldIds }) => ({
      entryTypeId,
      ...(fieldIds && { fieldIds: [...fieldIds] }),
    })),
    oldestOffset: oldest,
    nextOffset: next,
    oldestAt: oldestAt?.toISOString() ?? null,
    ...(definition && {
      sourceLag: sourceNext - definition.sourceNext,
      etag: formatEtag(definition.version),
    }),
  };
}

async function respondWithTopic(db: Db, { siteId, clientId }: Subscriber, topicId: number) {
  const topics = await store.listTopics(db, siteId, clientId);
  const topic = topics.find((each) => each.topicId === topicId);
  if (!topic) throw notFound(`Topic ${topicId}`);
  const body = toTopicDefinition(topic, findSourceNext(topics));
  return ok(body, { etag: body.etag ?? UNVERSIONED_ETAG });
}

/** The part of a topic that its owner edits, with sorted field ids. */
const toContent = ({ name, format, entryTypes }: NewTopicDefinition | (TopicContent & { name: string })) => ({
  name,
  format,
  entryTypes: entryTypes.map(({ entryTypeId, fieldIds }) => ({
    entryTypeId,
    ...(fieldIds && { fieldIds: [...fieldIds].toSorted((a, b) => a - b) }),
  })),
});

/** The custom topic of the request, locked, with the version that `If-Match` names. @throws ApiError 404, 409, 412 */
async function lockCustomTopic(
  tx: Tx,
  { caller, params, ifMatch }: Call<'updateTopicDefinition'> | Call<'deleteTopicDefinition'>,
) {
  await store.lockDefinition(tx, caller.siteId, params.topicId);
  const { definition, ...topic } = await requireTopic(tx, caller, params.topicId);
  if (!definition) throw conflict(`${topic.name} is a default topic and cannot be changed`);
  requireVersion(ifMatch, definition.version, `topic ${topic.topicId}`);
  return { ...topic, definition };
}

const nameTaken = (name: string) =>
  conflict(`A topic named ${name} already exists`, [
    { path: 'name', message: 'is the name of another topic' },
  ]);

/** @throws ApiError 400 for a name that is reserved for default topics */
function requireFreeName(name: string): void {
  if (name.startsWith('default-'))
    throw badRequest([
      { path: 'name', message: 'must not begin with "default-": these are the default topics' },
    ]);
}

/** Checks that types and fields exist, and that each is named once. @throws ApiError 400 with all errors */
function requireContent(schema: SiteSchema, content: Pick<NewTopicDefinition, 'entryTypes'>): void {
  const errors = listContentIssues(schema, content);
  if (errors.length > 0) throw badRequest(errors);
}

/** Limits of a rehearsal: events that are read, and messages that are returned. */
const MAX_REHEARSED_EVENTS = 20_000;
const REHEARSAL_BATCH = 500;
const MAX_SAMPLES = 10;

/** Applies the function that fills topics to past events, batch by batch; stores nothing. */
async function rehearse({ readDb, caller, body, query, signal }: Call<'rehearseTopicDefinition'>) {
  requireContent(await loadSchema(readDb, caller.siteId), body);
  const since = new Date(Date.now() - (query.hours ?? 24) * 3_600_000);
  let [sourceEvents, messages, bytes, from] = [0, 0, 0, 0];
  let isComplete = false;
  const samples: Record<string, unknown>[] = [];
  const project = createProjection(body);
  while (!isComplete && sourceEvents < MAX_REHEARSED_EVENTS && !signal.aborted) {
    const batch = await readSource(readDb, caller.siteId, { from, since }, REHEARSAL_BATCH);
    for (const { event } of batch) {
      const message = project(event);
      if (!message) continue;
      samples.push({ topicName: body.name, topicOffset: messages, ...message });
      if (samples.length > MAX_SAMPLES) samples.shift();
      messages += 1;
      bytes += Buffer.byteLength(JSON.stringify(message));
    }
    sourceEvents += batch.length;
    from = (batch.at(-1)?.off ?? from) + 1;
    isComplete = batch.length === 0;
  }
  return ok({
    since: since.toISOString(),
    sourceEvents,
    messages,
    bytes,
    isComplete,
    samples: samples as PublicationEvent[],
  });
}

import type { SubscriberTopic } from '../../../contract/generated/types.gen.ts';
import { badRequest, type FieldError, forbidden, notFound } from '../../kernel/api-error.ts';
import { change, diffProperties, getActor } from '../../kernel/audit/change.ts';
import type { Db } from '../../kernel/db/database.ts';
import { noContent, ok, type Call, type Handlers } from '../../kernel/http/handler.ts';
import { UNVERSIONED_ETAG } from '../../kernel/http/parameters.ts';
import { loadSchema } from '../schema/index.ts';
import { listTopics, type StoredTopic } from './publications.store.ts';
import * as store from './subscribers.store.ts';
import { listContentIssues } from './topic-content.ts';

type Operations = 'getSubscriberLimits' | 'setSubscriberLimits';

export const subscriberHandlers: Handlers<Operations> = {
  async getSubscriberLimits({ db, caller, params }) {
    await requireKey(db, caller.siteId, params.clientId);
    return ok(
      { clientId: params.clientId, topics: await store.getLimits(db, caller.siteId, params.clientId) },
      { etag: UNVERSIONED_ETAG },
    );
  },

  async setSubscriberLimits(call) {
    const { caller, params, body } = call;
    await change(call.db, getActor(call), async (tx, record) => {
      await requireKey(tx, caller.siteId, params.clientId);
      const before = await store.getLimits(tx, caller.siteId, params.clientId, { lock: true });
      if (body.topics) {
        const topics = await listTopics(tx, caller.siteId);
        const schema = await loadSchema(tx, caller.siteId);
        const issues = listIssues(body.topics, topics, (content, path) =>
          listContentIssues(schema, content, path),
        );
        if (issues.length > 0) throw badRequest(issues);
      }
      const changes = diffProperties({ topics: before }, { topics: body.topics });
      if (Object.keys(changes).length === 0) return;
      await store.saveLimits(tx, caller.siteId, params.clientId, body.topics);
      record({ action: 'subscriber.limit', subject: ['key', params.clientId], changes });
    });
    return noContent;
  },
};

/** Issues of a list of topics: unknown and repeated ones, and fields of topics that have no cells. */
function listIssues(
  limits: readonly SubscriberTopic[],
  topics: readonly StoredTopic[],
  listFieldIssues: (content: Pick<Required<SubscriberTopic>, 'entryTypes'>, path: string) => FieldError[],
): FieldError[] {
  return limits.flatMap(({ topicId, entryTypes }, index): FieldError[] => {
    const path = `topics.${index}`;
    const topic = topics.find((each) => each.topicId === topicId);
    if (!topic) return [{ path: `${path}.topicId`, message: `Topic ${topicId} does not exist` }];
    if (limits.findIndex((each) => each.topicId === topicId) < index)
      return [{ path: `${path}.topicId`, message: `Topic ${topicId} is named twice` }];
    if (!entryTypes) return [];
    if (topic.name !== 'default-data' && topic.definition?.format !== 'Cells')
      return [
        { path: `${path}.entryTypes`, message: `${topic.name} has no cells; choose the fields in the topic` },
      ];
    return listFieldIssues({ entryTypes }, `${path}.`);
  });
}

async function requireKey(db: Db, siteId: number, clientId: number): Promise<void> {
  if (!(await store.hasKey(db, siteId, clientId))) throw notFound(`API key ${clientId}`);
}

/** Operations of an API key that is limited to topics; they show it these topics only. */
const OPERATIONS_OF_LIMITED_KEYS: ReadonlySet<string> = new Set([
  'pollPublication',
  'acknowledgePublication',
  'pollEnvironment',
  'acknowledgeEnvironment',
  'listTopics',
  'streamTopic',
  'listTopicDefinitions',
  'getTopicDefinition',
  'getTopicSchema',
  'getAsyncApi',
]);

/** @throws ApiError 403 for a limited key */
const refuseToLimitedKey =
  (id: string, handler: (call: Call) => unknown) =>
  async (call: Call): Promise<unknown> => {
    const { clientId, siteId } = call.caller;
    if (clientId !== undefined && (await store.getLimits(call.db, siteId, clientId)))
      throw forbidden(`API key ${clientId} is limited to reading some topics and may not call ${id}`);
    return handler(call);
  };

/** Refuses the other operations of publications to limited keys, which could lift their limits or read past them with these. */
export const refuseToLimitedKeys = <Handled extends object>(handlers: Handled): Handled =>
  Object.fromEntries(
    Object.entries(handlers).map(([id, handler]: [string, (call: Call) => unknown]) => [
      id,
      OPERATIONS_OF_LIMITED_KEYS.has(id) ? handler : refuseToLimitedKey(id, handler),
    ]),
  ) as Handled;

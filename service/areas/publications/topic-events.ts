import type { TopicActivity } from '../../../contract/generated/types.gen.ts';
import { badRequest } from '../../kernel/api-error.ts';
import { ok, type Handlers } from '../../kernel/http/handler.ts';
import { parseTimestamp } from '../../kernel/http/parameters.ts';
import { requireTopic } from './handlers.ts';
import { readMessages } from './messages.store.ts';
import { formatMessages } from './messages.ts';
import { findPositions } from './topic-positions.store.ts';

const DEFAULT_LIMIT = 20;
const HOURS = 24;
const HOUR_MS = 3_600_000;

/** Reads of events without a consumer, for people who look at a topic. */
export const topicEventHandlers: Handlers<'listTopicEvents' | 'listTopicActivity'> = {
  async listTopicEvents({ readDb, caller, params, query }) {
    const { from = 0, since, limit = DEFAULT_LIMIT } = query;
    if (query.from !== undefined && since !== undefined)
      throw badRequest([{ path: 'since', message: 'cannot be given together with from' }]);
    const { topicId, name } = await requireTopic(readDb, caller, params.topicId);
    const [position] =
      since === undefined
        ? []
        : await findPositions(readDb, caller.siteId, [parseTimestamp('since', since)], topicId);
    const messages = await readMessages(readDb, caller.siteId, {
      topicId,
      from: position?.off ?? from,
      limit,
    });
    return { status: 200, json: formatMessages(messages, new Map([[topicId, name]]), limit) };
  },

  async listTopicActivity({ readDb, caller }) {
    const now = Date.now();
    // The last of the times is in the future, so that its position is the end of the topic.
    const times = Array.from({ length: HOURS + 1 }, (_, index) =>
      index === HOURS ? new Date(now + HOUR_MS) : new Date(now - (HOURS - index) * HOUR_MS),
    );
    const positions = await findPositions(readDb, caller.siteId, times);
    return ok(
      [...Map.groupBy(positions, ({ topicId }) => topicId)].map(([topicId, found]): TopicActivity => ({
        topicId,
        hours: found.slice(1).map(({ off }, index) => off - (found[index]?.off ?? off)),
      })),
    );
  },
};

import { queryOptions } from '@tanstack/react-query';
import { withEtag } from '../../../api/etag.ts';
import {
  getTopicDefinition,
  getTopicSchema,
  listConsumers,
  listDestinations,
  listTopicActivity,
  listTopicDefinitions,
  listTopicEvents,
} from '../../../api/generated/sdk/publications.gen.ts';

const POSITIONS_INTERVAL_MS = 5_000;
const ACTIVITY_INTERVAL_MS = 60_000;

/** Topics with the range of their kept events. */
export const topicsQuery = queryOptions({
  queryKey: [{ _id: 'listTopicDefinitions' }],
  queryFn: async ({ signal }) => (await listTopicDefinitions({ signal })).data,
  staleTime: 0,
  refetchInterval: POSITIONS_INTERVAL_MS,
});

/** Consumers with their lag. */
export const consumersQuery = queryOptions({
  queryKey: [{ _id: 'listConsumers' }],
  queryFn: async ({ signal }) => (await listConsumers({ signal })).data,
  staleTime: 0,
  refetchInterval: POSITIONS_INTERVAL_MS,
});

/** Events of the last 24 hours by topic and hour. */
export const activityQuery = queryOptions({
  queryKey: [{ _id: 'listTopicActivity' }],
  queryFn: async ({ signal }) => (await listTopicActivity({ signal })).data,
  staleTime: 0,
  refetchInterval: ACTIVITY_INTERVAL_MS,
});

/** Destinations with their health. */
export const destinationsQuery = queryOptions({
  queryKey: [{ _id: 'listDestinations' }],
  queryFn: async ({ signal }) => (await listDestinations({ signal })).data,
  staleTime: 0,
  refetchInterval: POSITIONS_INTERVAL_MS,
});

/** A topic with its entity tag, for editing. */
export const topicQuery = (topicId: number) =>
  queryOptions({
    queryKey: [{ _id: 'getTopicDefinition', topicId }],
    queryFn: async ({ signal }) => withEtag(await getTopicDefinition({ path: { topicId }, signal })),
  });

/** Where a list of events begins: at an offset or at a time. */
export type EventStart = { from: number } | { since: string };

/** Kept events of a topic, in order; empty beyond the newest. */
export const eventsQuery = (topicId: number, start: EventStart, limit: number) =>
  queryOptions({
    queryKey: [{ _id: 'listTopicEvents', topicId, start, limit }],
    queryFn: async ({ signal }) =>
      (await listTopicEvents({ path: { topicId }, query: { ...start, limit }, signal })).data,
  });

/** JSON Schema of the messages of a topic at a version of the schema; by default the current one. */
export const messageSchemaQuery = (topicId: number, schemaVersion?: number) =>
  queryOptions({
    queryKey: [{ _id: 'getTopicSchema', topicId, schemaVersion }],
    queryFn: async ({ signal }) =>
      (
        await getTopicSchema({
          path: { topicId },
          query: schemaVersion === undefined ? {} : { schemaVersion },
          signal,
        })
      ).data,
  });

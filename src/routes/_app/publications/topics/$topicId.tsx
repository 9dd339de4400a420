import { createFileRoute, notFound } from '@tanstack/react-router';
import { ServiceError } from '../../../../api/errors.ts';
import { activityQuery, topicQuery, topicsQuery } from '../../../../areas/publications/model/queries.ts';
import { prefetchTopicSchema } from '../../../../areas/publications/model/schema.ts';
import type { TopicView } from '../../../../areas/publications/model/view.ts';
import { TopicPage } from '../../../../areas/publications/pages/TopicPage.tsx';
import { parsePathId } from '../../../../lib/ids.ts';
import { passSearch } from '../../../../lib/search-params.ts';

/** In place of the id: the form of a new topic. */
const NEW = 'new';

/** The id of a topic, or `new` for the form of a new one. */
const parseTopicId = (text: string): number | typeof NEW => (text === NEW ? NEW : parsePathId(text));

export const Route = createFileRoute('/_app/publications/topics/$topicId')({
  params: {
    parse: ({ topicId }) => ({ topicId: parseTopicId(topicId) }),
    stringify: ({ topicId }) => ({ topicId: String(topicId) }),
  },
  validateSearch: passSearch<Partial<TopicView>>,
  loader: async ({ context: { queryClient, session }, params: { topicId } }) => {
    const schema = prefetchTopicSchema(queryClient, session);
    if (topicId === NEW) {
      await schema;
      return { title: 'New topic' };
    }
    try {
      // Editing starts with the current state of the topic.
      const [{ data }] = await Promise.all([
        queryClient.fetchQuery({ ...topicQuery(topicId), staleTime: 0 }),
        // The chart stands above the figures.
        queryClient.prefetchQuery(activityQuery),
        schema,
      ]);
      // The page shows the topic of the list.
      return {
        title: () =>
          (queryClient.getQueryData(topicsQuery.queryKey)?.find(({ id }) => id === topicId) ?? data).name,
      };
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) throw notFound();
      throw error;
    }
  },
  remountDeps: ({ params }) => params,
  component: TopicPage,
});

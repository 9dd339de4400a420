import { createFileRoute, notFound } from '@tanstack/react-router';
import { ServiceError } from '../../../../api/errors.ts';
import { destinationQuery } from '../../../../areas/publications/model/destinations.ts';
import { DestinationPage } from '../../../../areas/publications/pages/DestinationPage.tsx';
import { parsePathId } from '../../../../lib/ids.ts';

export const Route = createFileRoute('/_app/publications/destinations/$destinationId')({
  params: {
    parse: ({ destinationId }) => ({ destinationId: parsePathId(destinationId) }),
    stringify: ({ destinationId }) => ({ destinationId: String(destinationId) }),
  },
  loader: async ({ context: { queryClient }, params: { destinationId } }) => {
    try {
      const query = destinationQuery(destinationId);
      const { data } = await queryClient.fetchQuery(query);
      return { title: () => (queryClient.getQueryData(query.queryKey)?.data ?? data).name };
    } catch (error) {
      if (error instanceof ServiceError && error.status === 404) throw notFound();
      throw error;
    }
  },
  remountDeps: ({ params }) => params,
  component: DestinationPage,
});

import { createFileRoute } from '@tanstack/react-router';
import { GraphPage } from '../../../../areas/proxies/graph/GraphPage.tsx';
import { proxiesQuery } from '../../../../areas/proxies/model/use-assignments.ts';
import type { GraphSearch } from '../../../../areas/proxies/model/view.ts';
import { directoryQuery } from '../../../../directory/directory.ts';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/proxies/graph')({
  staticData: { title: 'Assignment graph' },
  validateSearch: passSearch<GraphSearch>,
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    void queryClient.prefetchQuery(proxiesQuery);
  },
  component: GraphPage,
});

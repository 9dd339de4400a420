import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../../directory/directory.ts';
import { readGraphView, writeGraphView } from '../../../../areas/proxies/graph/graph-view.ts';
import { GraphPage } from '../../../../areas/proxies/graph/GraphPage.tsx';
import { proxiesQuery } from '../../../../areas/proxies/model/proxies-query.ts';

export const Route = createFileRoute('/_app/proxies/graph')({
  staticData: { title: 'Delegation graph' },
  validateSearch: (search) => writeGraphView(readGraphView(search)),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    void queryClient.prefetchQuery(proxiesQuery);
  },
  component: GraphPage,
});

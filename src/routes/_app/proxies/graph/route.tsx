import { createFileRoute } from '@tanstack/react-router';
import { GraphPage } from '../../../../areas/proxies/graph/GraphPage.tsx';
import { proxiesQuery } from '../../../../areas/proxies/model/use-assignments.ts';
import { parseGraphView, serializeGraphView } from '../../../../areas/proxies/model/view.ts';
import { directoryQuery } from '../../../../directory/directory.ts';

export const Route = createFileRoute('/_app/proxies/graph')({
  staticData: { title: 'Assignment graph' },
  validateSearch: (search) => serializeGraphView(parseGraphView(search)),
  loader: ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    void queryClient.prefetchQuery(proxiesQuery);
  },
  component: GraphPage,
});

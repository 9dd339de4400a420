import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../../directory/directory.ts';
import { proxiesQuery } from '../-proxies-query.ts';
import { ProxiesPage } from '../-ProxiesPage.tsx';
import { readProxiesView, writeProxiesView } from '../-view.ts';

export const Route = createFileRoute('/_app/proxies/_list')({
  validateSearch: (search) => writeProxiesView(readProxiesView(search)),
  loader: ({ context: { queryClient } }) => {
    // The table shows that it waits; the page around it need not.
    void queryClient.prefetchQuery(directoryQuery);
    void queryClient.prefetchQuery(proxiesQuery);
  },
  component: ProxiesPage,
});

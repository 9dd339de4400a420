import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../../directory/directory.ts';
import { proxiesQuery } from '../../../../areas/proxies/model/proxies-query.ts';
import { ProxiesPage } from '../../../../areas/proxies/pages/ProxiesPage.tsx';
import { readProxiesView, writeProxiesView } from '../../../../areas/proxies/model/view.ts';

export const Route = createFileRoute('/_app/proxies/_list')({
  validateSearch: (search) => writeProxiesView(readProxiesView(search)),
  loader: ({ context: { queryClient } }) => {
    // The table shows that it waits; the page around it need not.
    void queryClient.prefetchQuery(directoryQuery);
    void queryClient.prefetchQuery(proxiesQuery);
  },
  component: ProxiesPage,
});

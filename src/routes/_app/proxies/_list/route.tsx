import { createFileRoute } from '@tanstack/react-router';
import { proxiesQuery } from '../../../../areas/proxies/model/use-assignments.ts';
import type { ProxiesSearch } from '../../../../areas/proxies/model/view.ts';
import { ProxiesPage } from '../../../../areas/proxies/pages/ProxiesPage.tsx';
import { directoryQuery } from '../../../../directory/directory.ts';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/proxies/_list')({
  validateSearch: passSearch<ProxiesSearch>,
  loader: ({ context: { queryClient } }) => {
    // The page is shown immediately; the table has its own loading state.
    void queryClient.prefetchQuery(directoryQuery);
    void queryClient.prefetchQuery(proxiesQuery);
  },
  component: ProxiesPage,
});

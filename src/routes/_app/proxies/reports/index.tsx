import { createFileRoute } from '@tanstack/react-router';
import { ReportsPage } from '../../../../areas/proxies/reports/ReportsPage.tsx';
import { directoryQuery } from '../../../../directory/directory.ts';
import { parseIds } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/proxies/reports/')({
  validateSearch(search): { user?: number } {
    const [user] = parseIds(search.user);
    return user === undefined ? {} : { user };
  },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(directoryQuery),
  component: ReportsPage,
});

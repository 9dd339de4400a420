import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../../directory/directory.ts';
import { readIds } from '../../../../lib/address.ts';
import { ReportsPage } from '../../../../areas/proxies/reports/ReportsPage.tsx';

export const Route = createFileRoute('/_app/proxies/reports/')({
  validateSearch(search): { user?: number } {
    const [user] = readIds(search.user);
    return user === undefined ? {} : { user };
  },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(directoryQuery),
  component: ReportsPage,
});

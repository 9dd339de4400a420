import { createFileRoute } from '@tanstack/react-router';
import { identityQuery, siteQuery } from '../../../areas/sites/model/site-query.ts';
import { SitePage } from '../../../areas/sites/pages/SitePage.tsx';
import { parsePathId } from '../../../lib/ids.ts';

export const Route = createFileRoute('/_app/sites/$siteId')({
  staticData: { title: 'Site' },
  params: {
    parse: ({ siteId }) => ({ siteId: parsePathId(siteId) }),
    stringify: ({ siteId }) => ({ siteId: String(siteId) }),
  },
  // Edits are compared with the loaded data, which must not come from a stale cache.
  loader: async ({ context: { queryClient }, params: { siteId } }) => {
    const query = siteQuery(siteId);
    const [{ data }] = await Promise.all([
      queryClient.fetchQuery({ ...query, staleTime: 0 }),
      queryClient.fetchQuery({ ...identityQuery(siteId), staleTime: 0 }),
    ]);
    return { title: () => (queryClient.getQueryData(query.queryKey)?.data ?? data).name };
  },
  remountDeps: ({ params }) => params,
  component: SitePage,
});

import { createFileRoute, notFound } from '@tanstack/react-router';
import { identityQuery, siteQuery } from '../../../areas/sites/model/site-query.ts';
import { SitePage } from '../../../areas/sites/pages/SitePage.tsx';

const ID = /^[1-9]\d{0,9}$/;

export const Route = createFileRoute('/_app/sites/$siteId')({
  staticData: { title: 'Site' },
  params: {
    parse({ siteId }) {
      if (!ID.test(siteId)) throw notFound();
      return { siteId: Number(siteId) };
    },
    stringify: ({ siteId }) => ({ siteId: String(siteId) }),
  },
  // Edits are compared with the loaded data, which must not come from a stale cache.
  loader: async ({ context: { queryClient }, params: { siteId } }) => {
    const [{ data }] = await Promise.all([
      queryClient.fetchQuery({ ...siteQuery(siteId), staleTime: 0 }),
      queryClient.fetchQuery({ ...identityQuery(siteId), staleTime: 0 }),
    ]);
    return { title: data.name };
  },
  remountDeps: ({ params }) => params,
  component: SitePage,
});

import { createFileRoute, notFound } from '@tanstack/react-router';
import { identityQuery, siteQuery } from '../../../areas/sites/model/site-query.ts';
import { SitePage } from '../../../areas/sites/pages/SitePage.tsx';

const WHOLE = /^[1-9]\d{0,9}$/;

export const Route = createFileRoute('/_app/sites/$siteId')({
  staticData: { title: 'Site' },
  params: {
    parse({ siteId }) {
      if (!WHOLE.test(siteId)) throw notFound();
      return { siteId: Number(siteId) };
    },
    stringify: ({ siteId }) => ({ siteId: String(siteId) }),
  },
  // What is typed here is compared with what was read: never with an old reading.
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

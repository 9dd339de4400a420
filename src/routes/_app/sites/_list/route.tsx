import { createFileRoute } from '@tanstack/react-router';
import { listPlatformSitesOptions } from '../../../../api/generated/queries/platform.gen.ts';
import { SitesPage } from '../../../../areas/sites/pages/SitesPage.tsx';

export const Route = createFileRoute('/_app/sites/_list')({
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(listPlatformSitesOptions()),
  component: SitesPage,
});

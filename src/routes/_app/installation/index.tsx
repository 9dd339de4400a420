import { createFileRoute } from '@tanstack/react-router';
import { installationQuery } from '../../../areas/installation/model/installation.ts';
import { InstallationPage } from '../../../areas/installation/pages/InstallationPage.tsx';

export const Route = createFileRoute('/_app/installation/')({
  staticData: { title: 'Installation' },
  loader: ({ context: { queryClient } }) => void queryClient.prefetchQuery(installationQuery),
  component: InstallationPage,
});

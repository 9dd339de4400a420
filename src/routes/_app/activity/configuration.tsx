import { createFileRoute } from '@tanstack/react-router';
import type { ConfigurationSearch } from '../../../areas/activity/configuration/configuration-view.ts';
import { ConfigurationPage } from '../../../areas/activity/configuration/ConfigurationPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/activity/configuration')({
  staticData: { title: 'Configuration log' },
  validateSearch: passSearch<ConfigurationSearch>,
  loader: ({ context: { queryClient } }) => {
    // The directory provides names and the search of people; the changes do not wait for it.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: ConfigurationPage,
});

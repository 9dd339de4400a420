import { createFileRoute } from '@tanstack/react-router';
import {
  parseConfigurationView,
  serializeConfigurationView,
} from '../../../areas/activity/configuration/configuration-view.ts';
import { ConfigurationPage } from '../../../areas/activity/configuration/ConfigurationPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';

export const Route = createFileRoute('/_app/activity/configuration')({
  staticData: { title: 'Configuration log' },
  validateSearch: (search) => serializeConfigurationView(parseConfigurationView(search)),
  loader: ({ context: { queryClient } }) => {
    // The directory provides names and the search of people; the changes do not wait for it.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: ConfigurationPage,
});

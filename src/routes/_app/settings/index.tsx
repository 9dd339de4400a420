import { createFileRoute } from '@tanstack/react-router';
import { GeneralTab } from '../../../areas/settings/pages/GeneralTab.tsx';
import { settingsQuery } from '../../../areas/settings/model/settings-query.ts';

export const Route = createFileRoute('/_app/settings/')({
  staticData: { title: 'General', part: true },
  // What is typed here is compared with what was read: never with an old reading.
  loader: ({ context: { queryClient } }) => queryClient.fetchQuery({ ...settingsQuery, staleTime: 0 }),
  component: GeneralTab,
});

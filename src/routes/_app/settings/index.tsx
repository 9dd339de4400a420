import { createFileRoute } from '@tanstack/react-router';
import { maySeeSettings, settingsQuery } from '../../../areas/settings/model/settings-query.ts';
import { GeneralTab } from '../../../areas/settings/pages/GeneralTab.tsx';

export const Route = createFileRoute('/_app/settings/')({
  staticData: { title: 'General', part: 'tab' },
  // Edits are compared with the loaded data, which must not come from a stale cache.
  loader: async ({ context: { queryClient, session } }) => {
    if (maySeeSettings(session)) await queryClient.fetchQuery({ ...settingsQuery, staleTime: 0 });
  },
  component: GeneralTab,
});

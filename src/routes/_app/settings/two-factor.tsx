import { createFileRoute } from '@tanstack/react-router';
import { coverageQuery, maySeeSettings } from '../../../areas/settings/model/settings-query.ts';
import { TwoFactorTab } from '../../../areas/settings/pages/TwoFactorTab.tsx';

export const Route = createFileRoute('/_app/settings/two-factor')({
  staticData: { title: 'Two-factor', part: 'tab' },
  loader: async ({ context: { queryClient, session } }) => {
    if (maySeeSettings(session)) await queryClient.fetchQuery(coverageQuery);
  },
  component: TwoFactorTab,
});

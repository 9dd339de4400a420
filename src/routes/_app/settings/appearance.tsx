import { createFileRoute } from '@tanstack/react-router';
import { listMailPreviewsOptions } from '../../../api/generated/queries/settings.gen.ts';
import { brandQuery, maySeeSettings } from '../../../areas/settings/model/settings-query.ts';
import { AppearanceTab } from '../../../areas/settings/pages/AppearanceTab.tsx';

export const Route = createFileRoute('/_app/settings/appearance')({
  staticData: { title: 'Appearance and mails', part: 'tab' },
  loader: async ({ context: { queryClient, session } }) => {
    if (!maySeeSettings(session)) return;
    await Promise.all([
      queryClient.fetchQuery({ ...brandQuery, staleTime: 0 }),
      queryClient.fetchQuery(listMailPreviewsOptions()),
    ]);
  },
  component: AppearanceTab,
});

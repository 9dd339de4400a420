import { createFileRoute } from '@tanstack/react-router';
import { addressesQuery, maySeeSettings } from '../../../areas/settings/model/settings-query.ts';
import { AddressesTab } from '../../../areas/settings/pages/AddressesTab.tsx';

export const Route = createFileRoute('/_app/settings/addresses')({
  staticData: { title: 'Approved addresses', part: 'tab' },
  // `add`: an address to add to the list, as links from a refused sign-in name it.
  validateSearch: (search): { add?: string } =>
    typeof search.add === 'string' && search.add !== '' ? { add: search.add } : {},
  loader: async ({ context: { queryClient, session } }) => {
    if (maySeeSettings(session)) await queryClient.fetchQuery({ ...addressesQuery, staleTime: 0 });
  },
  component: AddressesTab,
});

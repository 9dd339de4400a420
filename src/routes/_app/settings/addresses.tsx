import { createFileRoute } from '@tanstack/react-router';
import { AddressesTab } from '../../../areas/settings/pages/AddressesTab.tsx';
import { addressesQuery } from '../../../areas/settings/model/settings-query.ts';

export const Route = createFileRoute('/_app/settings/addresses')({
  staticData: { title: 'Approved addresses', part: true },
  loader: ({ context: { queryClient } }) => queryClient.fetchQuery({ ...addressesQuery, staleTime: 0 }),
  component: AddressesTab,
});

import { createFileRoute } from '@tanstack/react-router';
import { addressesQuery } from '../../../areas/settings/model/settings-query.ts';
import { AddressesTab } from '../../../areas/settings/pages/AddressesTab.tsx';

export const Route = createFileRoute('/_app/settings/addresses')({
  staticData: { title: 'Approved addresses', isPartOfPage: true },
  loader: ({ context: { queryClient } }) => queryClient.fetchQuery({ ...addressesQuery, staleTime: 0 }),
  component: AddressesTab,
});

import { createFileRoute } from '@tanstack/react-router';
import { AddressesTab } from './-AddressesTab.tsx';
import { addressesQuery } from './-settings-query.ts';

export const Route = createFileRoute('/_app/settings/addresses')({
  staticData: { title: 'Approved addresses', part: true },
  loader: ({ context: { queryClient } }) => queryClient.fetchQuery({ ...addressesQuery, staleTime: 0 }),
  component: AddressesTab,
});

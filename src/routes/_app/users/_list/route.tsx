import { createFileRoute } from '@tanstack/react-router';
import type { UsersSearch } from '../../../../areas/users/model/view.ts';
import { UsersPage } from '../../../../areas/users/pages/UsersPage.tsx';
import { directoryQuery } from '../../../../directory/directory.ts';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/users/_list')({
  validateSearch: passSearch<UsersSearch>,
  loader: ({ context: { queryClient } }) => {
    // Not awaited: the list shows the first page as soon as it is loaded.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: UsersPage,
});

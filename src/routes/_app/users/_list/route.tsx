import { createFileRoute } from '@tanstack/react-router';
import { parseUsersView, serializeUsersView } from '../../../../areas/users/model/view.ts';
import { UsersPage } from '../../../../areas/users/pages/UsersPage.tsx';
import { directoryQuery } from '../../../../directory/directory.ts';

export const Route = createFileRoute('/_app/users/_list')({
  validateSearch: (search) => serializeUsersView(parseUsersView(search)),
  loader: ({ context: { queryClient } }) => {
    // Not awaited: the list shows the first page as soon as it is loaded.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: UsersPage,
});

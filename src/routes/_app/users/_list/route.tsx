import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../../directory/directory.ts';
import { readView, writeView } from '../../../../areas/users/model/view.ts';
import { UsersPage } from '../../../../areas/users/pages/UsersPage.tsx';

export const Route = createFileRoute('/_app/users/_list')({
  validateSearch: (search) => writeView(readView(search)),
  loader: ({ context: { queryClient } }) => {
    // The list shows the first page as soon as it is there, so nothing waits for the last.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: UsersPage,
});

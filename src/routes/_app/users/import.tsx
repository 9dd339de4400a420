import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../directory/directory.ts';
import { ImportPage } from '../../../areas/users/import/ImportPage.tsx';

export const Route = createFileRoute('/_app/users/import')({
  staticData: { title: 'Import users' },
  loader: ({ context: { queryClient } }) => {
    // Rows are compared with everybody; choosing a file need not wait for them.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: ImportPage,
});

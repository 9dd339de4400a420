import { createFileRoute } from '@tanstack/react-router';
import { ImportPage } from '../../../areas/users/import/ImportPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';

export const Route = createFileRoute('/_app/users/import')({
  staticData: { title: 'Import users' },
  loader: ({ context: { queryClient } }) => {
    // The directory is needed to compare rows; choosing a file does not wait for it.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: ImportPage,
});

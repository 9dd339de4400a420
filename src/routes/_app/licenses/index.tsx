import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../directory/directory.ts';
import { LicensesPage } from '../../../areas/licenses/pages/LicensesPage.tsx';
import { readView, writeView } from '../../../areas/licenses/model/view.ts';

export const Route = createFileRoute('/_app/licenses/')({
  validateSearch: (search) => writeView(readView(search)),
  loader: ({ context: { queryClient } }) => {
    // The list shows the first page as soon as it is there, so nothing waits for the last.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: LicensesPage,
});

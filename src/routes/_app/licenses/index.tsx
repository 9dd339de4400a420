import { createFileRoute } from '@tanstack/react-router';
import type { LicensesSearch } from '../../../areas/licenses/model/view.ts';
import { LicensesPage } from '../../../areas/licenses/pages/LicensesPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/licenses/')({
  validateSearch: passSearch<LicensesSearch>,
  loader: ({ context: { queryClient } }) => {
    // Not awaited: the list shows the first page as soon as it is loaded.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: LicensesPage,
});

import { createFileRoute } from '@tanstack/react-router';
import { parseLicensesView, serializeLicensesView } from '../../../areas/licenses/model/view.ts';
import { LicensesPage } from '../../../areas/licenses/pages/LicensesPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';

export const Route = createFileRoute('/_app/licenses/')({
  validateSearch: (search) => serializeLicensesView(parseLicensesView(search)),
  loader: ({ context: { queryClient } }) => {
    // Not awaited: the list shows the first page as soon as it is loaded.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: LicensesPage,
});

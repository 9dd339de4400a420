import { createFileRoute } from '@tanstack/react-router';
import type { MatrixSearch } from '../../../areas/groups/matrix/matrix-view.ts';
import { MatrixPage } from '../../../areas/groups/matrix/MatrixPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/groups/matrix')({
  staticData: { title: 'Matrix' },
  validateSearch: passSearch<MatrixSearch>,
  loader: async ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    await queryClient.ensureQueryData(groupsQuery);
  },
  component: MatrixPage,
});

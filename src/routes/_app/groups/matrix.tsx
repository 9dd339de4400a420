import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../directory/directory.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { MatrixPage } from '../../../areas/groups/matrix/MatrixPage.tsx';
import { readMatrixView, writeMatrixView } from '../../../areas/groups/matrix/matrix-view.ts';

export const Route = createFileRoute('/_app/groups/matrix')({
  staticData: { title: 'Matrix' },
  validateSearch: (search) => writeMatrixView(readMatrixView(search)),
  loader: async ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    await queryClient.ensureQueryData(groupsQuery);
  },
  component: MatrixPage,
});

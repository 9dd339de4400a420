import { createFileRoute } from '@tanstack/react-router';
import { directoryQuery } from '../../../directory/directory.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { readIds } from '../../../lib/address.ts';
import { ComparePage } from '../../../areas/groups/compare/ComparePage.tsx';

export const Route = createFileRoute('/_app/groups/compare')({
  staticData: { title: 'Compare users' },
  validateSearch(search): { a?: number; b?: number } {
    const [a] = readIds(search.a);
    const [b] = readIds(search.b);
    return { ...(a !== undefined && { a }), ...(b !== undefined && b !== a && { b }) };
  },
  loader: async ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    await queryClient.ensureQueryData(groupsQuery);
  },
  component: ComparePage,
});

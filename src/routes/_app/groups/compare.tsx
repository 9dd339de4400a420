import { createFileRoute } from '@tanstack/react-router';
import { ComparePage } from '../../../areas/groups/compare/ComparePage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { parseIds } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/groups/compare')({
  staticData: { title: 'Compare users' },
  validateSearch(search): { a?: number; b?: number } {
    const [a] = parseIds(search.a);
    const [b] = parseIds(search.b);
    return { ...(a !== undefined && { a }), ...(b !== undefined && b !== a && { b }) };
  },
  loader: async ({ context: { queryClient } }) => {
    void queryClient.prefetchQuery(directoryQuery);
    await queryClient.ensureQueryData(groupsQuery);
  },
  component: ComparePage,
});

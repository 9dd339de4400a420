import { createFileRoute } from '@tanstack/react-router';
import { getPermission } from '../../../../api/session.ts';
import { loadEntryType } from '../../../../areas/entries/model/schema.ts';
import { GridPage } from '../../../../areas/entries/pages/GridPage.tsx';
import { prefetchRows } from '../../../../areas/entries/views/row-query.ts';
import { parseView } from '../../../../areas/entries/views/view.ts';
import type { GridSearch } from '../../../../areas/entries/views/view.ts';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/entries/$type/')({
  validateSearch: passSearch<GridSearch>,
  loader: async ({ context: { queryClient, session }, params, location: { search }, cause }) => {
    // Navigation within the page loads from the page.
    if (cause !== 'enter' || !getPermission(session, 'queryRowsByBody').allowed) return;
    const { id } = await loadEntryType(queryClient, params.type);
    void prefetchRows(queryClient, id, parseView(search));
  },
  component: GridPage,
});

import { createFileRoute } from '@tanstack/react-router';
import { allowedIn } from '../../../../api/session.ts';
import { askAhead } from '../../../../entries/question.ts';
import { readType } from '../../../../entries/read-schema.ts';
import { readEntriesView, readPointed, writeEntriesView, writePointed } from '../../../../entries/view.ts';
import { GridPage } from '../-GridPage.tsx';

export const Route = createFileRoute('/_app/entries/$type/')({
  validateSearch: (search) => ({
    ...writeEntriesView(readEntriesView(search)),
    ...writePointed(readPointed(search)),
  }),
  loader: async ({ context: { queryClient, session }, params, location: { search }, cause }) => {
    // Whoever is there already asks from the page.
    if (cause !== 'enter' || !allowedIn(session, 'queryRowsByBody').allowed) return;
    const { id } = await readType(queryClient, params.type);
    void askAhead(queryClient, id, readEntriesView(search));
  },
  component: GridPage,
});

import { createFileRoute } from '@tanstack/react-router';
import { allowedIn } from '../../../../api/session.ts';
import { askAhead } from '../../../../areas/entries/model/question.ts';
import { readType } from '../../../../areas/entries/model/read-schema.ts';
import {
  readEntriesView,
  readPointed,
  writeEntriesView,
  writePointed,
} from '../../../../areas/entries/model/view.ts';
import { GridPage } from '../../../../areas/entries/pages/GridPage.tsx';

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

import { createFileRoute } from '@tanstack/react-router';
import { readEntriesView, readPointed, writeEntriesView, writePointed } from '../../../../entries/view.ts';
import { GridPage } from '../-GridPage.tsx';

export const Route = createFileRoute('/_app/entries/$type/')({
  validateSearch: (search) => ({
    ...writeEntriesView(readEntriesView(search)),
    ...writePointed(readPointed(search)),
  }),
  component: GridPage,
});

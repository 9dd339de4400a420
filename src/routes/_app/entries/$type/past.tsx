import { createFileRoute } from '@tanstack/react-router';
import type { AsOfSearch } from '../../../../areas/entries/history/as-of-view.ts';
import { EntriesAsOfPage } from '../../../../areas/entries/pages/EntriesAsOfPage.tsx';
import { passSearch } from '../../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/entries/$type/past')({
  staticData: { title: 'As of a date' },
  validateSearch: passSearch<AsOfSearch>,
  component: EntriesAsOfPage,
});

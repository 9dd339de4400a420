import { createFileRoute } from '@tanstack/react-router';
import { parseAsOfView, formatAsOfView } from '../../../../areas/entries/history/as-of-view.ts';
import { EntriesAsOfPage } from '../../../../areas/entries/pages/EntriesAsOfPage.tsx';

export const Route = createFileRoute('/_app/entries/$type/past')({
  staticData: { title: 'As of a date' },
  validateSearch: (search) => formatAsOfView(parseAsOfView(search)),
  component: EntriesAsOfPage,
});

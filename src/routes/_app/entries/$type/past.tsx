import { createFileRoute } from '@tanstack/react-router';
import { readPastView, writePastView } from '../../../../areas/entries/history/past-view.ts';
import { PastPage } from '../../../../areas/entries/pages/PastPage.tsx';

export const Route = createFileRoute('/_app/entries/$type/past')({
  staticData: { title: 'As of a date' },
  validateSearch: (search) => writePastView(readPastView(search)),
  component: PastPage,
});

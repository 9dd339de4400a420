import { createFileRoute } from '@tanstack/react-router';
import { readPastView, writePastView } from '../../../../entries/time/past-view.ts';
import { PastPage } from '../-PastPage.tsx';

export const Route = createFileRoute('/_app/entries/$type/past')({
  staticData: { title: 'As of a date' },
  validateSearch: (search) => writePastView(readPastView(search)),
  component: PastPage,
});

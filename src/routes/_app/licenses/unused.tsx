import { createFileRoute } from '@tanstack/react-router';
import { readDays, writeDays } from './-unused-view.ts';
import { UnusedPage } from './-UnusedPage.tsx';

export const Route = createFileRoute('/_app/licenses/unused')({
  staticData: { title: 'Unused licenses', part: true },
  validateSearch: (search) => writeDays(readDays(search)),
  component: UnusedPage,
});

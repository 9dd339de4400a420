import { createFileRoute } from '@tanstack/react-router';
import { readDays, writeDays } from '../../../areas/licenses/model/unused-view.ts';
import { UnusedPage } from '../../../areas/licenses/pages/UnusedPage.tsx';

export const Route = createFileRoute('/_app/licenses/unused')({
  staticData: { title: 'Unused licenses', part: true },
  validateSearch: (search) => writeDays(readDays(search)),
  component: UnusedPage,
});

import { createFileRoute } from '@tanstack/react-router';
import type { UnusedDaysSearch } from '../../../areas/licenses/model/unused-days.ts';
import { UnusedPage } from '../../../areas/licenses/pages/UnusedPage.tsx';
import { passSearch } from '../../../lib/search-params.ts';

export const Route = createFileRoute('/_app/licenses/unused')({
  staticData: { title: 'Unused licenses', part: 'tab' },
  validateSearch: passSearch<UnusedDaysSearch>,
  component: UnusedPage,
});

import { createFileRoute } from '@tanstack/react-router';
import { parseUnusedDays, serializeUnusedDays } from '../../../areas/licenses/model/unused-days.ts';
import { UnusedPage } from '../../../areas/licenses/pages/UnusedPage.tsx';

export const Route = createFileRoute('/_app/licenses/unused')({
  staticData: { title: 'Unused licenses', isPartOfPage: true },
  validateSearch: (search) => serializeUnusedDays(parseUnusedDays(search)),
  component: UnusedPage,
});

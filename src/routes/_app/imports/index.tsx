import { createFileRoute } from '@tanstack/react-router';
import { PlannerPage } from '../../../areas/relationship-intelligence/pages/PlannerPage.tsx';
import { directoryQuery } from '../../../directory/directory.ts';

export const Route = createFileRoute('/_app/imports/')({
  staticData: { title: 'New import', part: 'tab' },
  loader: ({ context: { queryClient } }) => {
    // Not awaited: addresses are looked up when files were read.
    void queryClient.prefetchQuery(directoryQuery);
  },
  component: PlannerPage,
});

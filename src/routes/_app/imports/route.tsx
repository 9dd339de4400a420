import { createFileRoute } from '@tanstack/react-router';
import { ImportsFrame } from '../../../areas/relationship-intelligence/pages/ImportsFrame.tsx';
import { budgetQuery, importSettingsQuery } from '../../../areas/relationship-intelligence/pages/queries.ts';

export const Route = createFileRoute('/_app/imports')({
  staticData: { title: 'Imports' },
  // The cards at the side have their height from the start. A failure is shown by the cards.
  loader: async ({ context: { queryClient } }) => {
    await Promise.all([
      queryClient.prefetchQuery(importSettingsQuery),
      queryClient.prefetchQuery(budgetQuery),
    ]);
  },
  component: ImportsFrame,
});

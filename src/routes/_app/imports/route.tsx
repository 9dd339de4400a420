import { createFileRoute } from '@tanstack/react-router';
import { getPermission } from '../../../api/session.ts';
import { ImportsFrame } from '../../../areas/relationship-intelligence/pages/ImportsFrame.tsx';
import { budgetQuery, importSettingsQuery } from '../../../areas/relationship-intelligence/pages/queries.ts';

export const Route = createFileRoute('/_app/imports')({
  staticData: { title: 'Imports' },
  // The cards at the side have their height from the start. A failure is shown by the cards.
  loader: async ({ context: { queryClient, session } }) => {
    if (!getPermission(session, 'getImportSettings').allowed) return;
    await Promise.all([
      queryClient.prefetchQuery(importSettingsQuery),
      queryClient.prefetchQuery(budgetQuery),
    ]);
  },
  component: ImportsFrame,
});

import { createFileRoute } from '@tanstack/react-router';
import { agentClientsQuery, agentKeysQuery } from '../../../../areas/agent/model/queries.ts';
import { KeysPage } from '../../../../areas/agent/pages/KeysPage.tsx';

export const Route = createFileRoute('/_app/agent/_keys')({
  // The tables have their height from the start. A failure is shown by the tables.
  loader: async ({ context: { queryClient } }) => {
    await Promise.all([
      queryClient.prefetchQuery(agentKeysQuery),
      queryClient.prefetchQuery(agentClientsQuery),
    ]);
  },
  component: KeysPage,
});

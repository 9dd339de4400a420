import { createFileRoute } from '@tanstack/react-router';
import { agentSettingsQuery } from '../../../areas/agent/model/queries.ts';
import { AgentFrame } from '../../../areas/agent/pages/AgentFrame.tsx';

export const Route = createFileRoute('/_app/agent')({
  staticData: { title: 'Agent server' },
  loader: async ({ context: { queryClient } }) => {
    await queryClient.fetchQuery(agentSettingsQuery);
  },
  component: AgentFrame,
});

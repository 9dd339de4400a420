import { Bot } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const agentArea = defineArea({
  name: 'agent',
  navigation: [
    {
      group: 'Connections',
      path: '/agent',
      name: 'Agent server',
      icon: Bot,
      key: 't',
      needs: 'callAgentServer',
      notBuilt: {
        purpose: 'Turn on the read-only server for AI agents, see its tools and review the calls of agents.',
        operations: ['POST /api/agent/mcp'],
      },
    },
  ],
  invalidations: {
    callAgentServer: [],
    updateAgentSettings: ['getAgentSettings'],
    stopAgents: ['getAgentSettings', 'listAgentKeys'],
    createAgentKey: ['getAgentSettings', 'listAgentKeys'],
    revokeAgentKey: ['getAgentSettings', 'listAgentKeys'],
    previewAgentCall: [],
  },
});

import { defineArea } from '../../kernel/area/area.ts';

export const agentArea = defineArea({
  name: 'agent',
  notBuilt: [
    'callAgentServer',
    'getAgentSettings',
    'updateAgentSettings',
    'stopAgents',
    'listAgentKeys',
    'createAgentKey',
    'revokeAgentKey',
    'listAgentClients',
    'listAgentCalls',
    'summarizeAgentCalls',
    'previewAgentCall',
  ],
});

import { Bot, KeyRound } from 'lucide-react';
import { defineArea } from '../../app/area/define-area.ts';

export const agentArea = defineArea({
  name: 'agent',
  palette: () => import('./palette.ts'),
  navigation: [
    {
      group: 'Connections',
      path: '/agent',
      name: 'Agent server',
      icon: Bot,
      key: 't',
      needs: 'getAgentSettings',
    },
  ],
  commands: [{ label: 'New agent key', icon: KeyRound, to: '/agent/new', needs: 'createAgentKey' }],
  invalidations: {
    callAgentServer: [],
    updateAgentSettings: ['getAgentSettings'],
    forbidToAgents: ['getAgentSettings'],
    stopAgents: ['getAgentSettings', 'listAgentKeys'],
    createAgentKey: ['getAgentSettings', 'listAgentKeys'],
    updateAgentKey: ['listAgentKeys'],
    revokeAgentKey: ['getAgentSettings', 'listAgentKeys'],
    previewAgentCall: [],
    describeAgentAuthorization: [],
    approveAgentAuthorization: ['getAgentSettings', 'listAgentKeys'],
  },
});

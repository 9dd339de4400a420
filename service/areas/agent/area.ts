import { defineArea } from '../../kernel/area/area.ts';

export const agentArea = defineArea({
  name: 'agent',
  notBuilt: ['callAgentServer'],
});

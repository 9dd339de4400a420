import { defineArea } from '../../kernel/area/area.ts';
import { createTokenRetentionTask } from './access/authorization-server.ts';
import { connectionHandlers } from './access/connections.ts';
import { forbiddenHandlers } from './access/forbidden.ts';
import { agentKeyHandlers } from './access/keys.ts';
import { agentSettingsHandlers } from './access/settings.ts';
import { agentCallHandlers } from './call-handlers.ts';
import { createLedgerRetentionTask } from './ledger.ts';

export const agentArea = defineArea({
  name: 'agent',
  handlers: {
    ...agentSettingsHandlers,
    ...agentKeyHandlers,
    ...forbiddenHandlers,
    ...connectionHandlers,
    ...agentCallHandlers,
  },
  ownRoutes: ['callAgentServer'],
  tasks: (context) => [createLedgerRetentionTask(context), createTokenRetentionTask(context)],
  tables: {
    agent_site: { backup: { leftOut: 'switch and counters of the installation' } },
    agent_key: { backup: { leftOut: 'secrets' } },
    agent_token: { backup: { leftOut: 'secrets' }, retention: 'until they expire' },
    agent_call: { backup: { leftOut: 'log of the installation' }, retention: '90 days' },
  },
  auditActions: {
    'agent-key': ['agent-key.create', 'agent-key.pause', 'agent-key.resume', 'agent-key.revoke'],
    'agent-server': ['agents.enable', 'agents.disable', 'agents.forbid', 'agents.allow', 'agents.stop'],
  },
});

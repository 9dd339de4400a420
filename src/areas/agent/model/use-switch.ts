import type { AgentSettings } from '../../../../contract/generated/types.gen.ts';
import { stopAgentsMutation, updateAgentSettingsMutation } from '../../../api/generated/queries/agent.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { toast } from '../../../ui/toast.ts';

/** Turns the agent server of the site on and off; keys stay as they are. */
export function useSwitch() {
  const { reason } = usePermission('updateAgentSettings');
  const update = useWrite('updateAgentSettings', updateAgentSettingsMutation());
  const turn = (isEnabled: boolean) =>
    update.mutate(
      { body: { isEnabled } },
      {
        onSuccess: () => toast({ title: `The agent server is ${isEnabled ? 'on' : 'off'}` }),
        onError: ({ message }) => toast({ tone: 'bad', title: message }),
      },
    );
  return { turn, reason, isPending: update.isPending };
}

/** Turns the agent server off and revokes every key, after a confirmation. */
export function useStopAgents({ activeKeys, isEnabled }: AgentSettings) {
  const { reason } = usePermission('stopAgents');
  const stopAll = useWrite('stopAgents', stopAgentsMutation());
  const stop = async () => {
    let revokedKeys = 0;
    const done = await confirmIrreversible({
      title: 'Stop all agents?',
      irreversible: `${pluralize(activeKeys, 'key is', 'keys are')} revoked for good, also those of connected clients. Agents need new keys to continue.`,
      breaks: 'Every call ends now, also those that are running. The agent server is turned off.',
      affects: 'Everyone who works with an agent on this site. People and programs are not affected.',
      action: 'Stop all agents',
      cancel: 'Keep them',
      run: async () => {
        ({ revokedKeys } = await stopAll.mutateAsync({}));
      },
    });
    if (done) toast({ title: `All agents were stopped, ${pluralize(revokedKeys, 'key', 'keys')} revoked` });
  };
  const nothing = activeKeys === 0 && !isEnabled ? 'The agent server is off and no key is active' : undefined;
  return { reason: reason ?? nothing, stop };
}

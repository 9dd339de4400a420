import type { AgentKey } from '../../../../contract/generated/types.gen.ts';
import { updateAgentKeyMutation } from '../../../api/generated/queries/agent.gen.ts';
import { useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { toast } from '../../../ui/toast.ts';

/** Whether a key has not ended: it is active or paused. */
export const isLasting = ({ state }: Pick<AgentKey, 'state'>): boolean =>
  state === 'Active' || state === 'Paused';

/** Pauses a key or a connected client, or resumes it. */
export function usePauseKey() {
  const { user, capabilities } = useSession();
  const update = useWrite('updateAgentKey', updateAgentKeyMutation());
  return {
    pause: ({ id, name }: AgentKey, isPaused: boolean) =>
      update.mutate(
        { path: { keyId: id }, body: { isPaused } },
        {
          onSuccess: () => toast({ title: `“${name}” ${isPaused ? 'was paused' : 'can read again'}` }),
          onError: ({ message }) => toast({ tone: 'bad', title: message }),
        },
      ),
    /** Why the user cannot resume a paused key; undefined if they can. */
    getReason: ({ state, pausedBy }: AgentKey): string | undefined =>
      state === 'Paused' && pausedBy !== user.id && !capabilities.includes('Manage Settings')
        ? 'Paused by an administrator'
        : undefined,
  };
}

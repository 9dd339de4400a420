import type { AgentKey } from '../../../../contract/generated/types.gen.ts';
import { revokeAgentKeyMutation } from '../../../api/generated/queries/agent.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { confirmIrreversible } from '../../../ui/dialog/confirm-irreversible.tsx';
import { toast } from '../../../ui/toast.ts';

/** Returns a function that revokes a key, or disconnects a client, after a confirmation; true if it was done. */
export function useRevokeKey(): (key: AgentKey) => Promise<boolean> {
  const revoke = useWrite('revokeAgentKey', revokeAgentKeyMutation());
  return async ({ id, name, userName, lastUsedDate, clientId }) => {
    const isClient = clientId !== null;
    const done = await confirmIrreversible({
      title: isClient ? `Disconnect “${name}”?` : `Revoke the key “${name}”?`,
      irreversible: isClient
        ? 'The client must ask for access again. Its calls stay in the ledger.'
        : 'The key never works again. Its calls stay in the ledger.',
      breaks: 'Every call with it is refused from now on, and a running one ends within a second.',
      affects: `The agent of ${userName}. ${lastUsedDate === null ? 'It was never used.' : `It was last used on ${formatExactDate(lastUsedDate)}.`}`,
      action: isClient ? 'Disconnect' : 'Revoke key',
      run: () => revoke.mutateAsync({ path: { keyId: id } }),
    });
    if (done) toast({ title: isClient ? `“${name}” was disconnected` : `The key “${name}” was revoked` });
    return done;
  };
}

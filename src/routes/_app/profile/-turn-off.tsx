import { disableApiKeyMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { ApiKeyInfo } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { passOneWayDoor } from '../../../ui/dialog/one-way-door.tsx';
import { toast } from '../../../ui/feedback/toast.ts';
import { BlastRadius } from './-BlastRadius.tsx';

/** Turning the key off, with what that breaks (spec 5.3). */
export function useTurnOff({ clientId }: ApiKeyInfo, onOff: () => void): () => Promise<void> {
  const off = useWrite('disableApiKey', disableApiKeyMutation());
  return async () => {
    const done = await passOneWayDoor({
      title: `Turn off the API key ${clientId}?`,
      final: 'The same key cannot be enabled again. You can turn on another one, with another id and secret.',
      breaks: 'Every connection that uses it, at once; the access tokens it was given for hold no longer.',
      affects: 'Whoever runs the programs below. You go on working in the console as before.',
      details: <BlastRadius />,
      action: 'Turn off for good',
      typed: String(clientId),
      run: () => off.mutateAsync({}),
    });
    if (!done) return;
    toast({ title: `The API key ${clientId} is off for good` });
    onOff();
  };
}

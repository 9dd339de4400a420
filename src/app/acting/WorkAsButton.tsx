import { UserRoundCog } from 'lucide-react';
import { Button } from '../../ui/button/Button.tsx';
import { openWorkAs, useOwnPrincipals } from './work-as.ts';

/** On the page of somebody for whom one may act. */
export function WorkAsButton({ userId, firstName }: { userId: number; firstName: string }) {
  const principal = useOwnPrincipals().find(({ id }) => id === userId);
  if (!principal) return null;
  return (
    <Button
      icon={UserRoundCog}
      disabledReason={principal.refusal ?? undefined}
      onClick={() => openWorkAs(userId)}
    >
      Work as {firstName}…
    </Button>
  );
}

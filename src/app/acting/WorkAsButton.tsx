import { UserRoundCog } from 'lucide-react';
import { Button } from '../../ui/button/Button.tsx';
import { openWorkAsDialog, useOwnPrincipals } from './acting.ts';
import { preloadWorkAsDialog } from './ActingHost.tsx';

/** Button on the page of a user for whom the current user may act. */
export function WorkAsButton({ userId, firstName }: { userId: number; firstName: string }) {
  const principal = useOwnPrincipals().find(({ id }) => id === userId);
  if (!principal) return null;
  return (
    <Button
      icon={UserRoundCog}
      disabledReason={principal.refusal ?? undefined}
      onPointerEnter={preloadWorkAsDialog}
      onFocus={preloadWorkAsDialog}
      onClick={() => openWorkAsDialog(userId)}
    >
      Work as {firstName}…
    </Button>
  );
}

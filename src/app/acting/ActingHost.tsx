import { LogOut, UserRoundCog } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { useSession } from '../../api/session.ts';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useStore } from '../../ui/store.ts';
import { usePaletteActionsOfPage } from '../state/palette.ts';
import { openWorkAsDialog, useOwnPrincipals, useStopActing, workAsDialog } from './acting.ts';

const WorkAsDialog = lazyWithPreload(() => import('./WorkAsDialog.tsx'));

/** Preloads the dialog "Work as …"; called when a control that opens it is near. */
export const preloadWorkAsDialog = (): void => WorkAsDialog.preload();

const closeDialog = () => workAsDialog.set(undefined);

/** Host of the dialog "Work as …"; adds starting and stopping to the palette. */
export function ActingHost() {
  const open = useStore(workAsDialog);
  const principal = useSession().acting?.principal.fullName;
  const canActForSomebody = useOwnPrincipals().length > 0;
  const { stop } = useStopActing();
  const items = useMemo(() => {
    if (principal !== undefined)
      return [{ label: `Stop working as ${principal}`, icon: LogOut, run: () => void stop() }];
    return canActForSomebody
      ? [{ label: 'Work as someone else', icon: UserRoundCog, run: () => openWorkAsDialog() }]
      : [];
  }, [principal, canActForSomebody, stop]);
  usePaletteActionsOfPage(items);
  return <Suspense>{open && <WorkAsDialog userId={open.userId} onClose={closeDialog} />}</Suspense>;
}

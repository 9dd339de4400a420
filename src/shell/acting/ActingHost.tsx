import { LogOut, UserRoundCog } from 'lucide-react';
import { Suspense, useMemo } from 'react';
import { useSession } from '../../api/session.ts';
import { later } from '../../ui/later.ts';
import { useStore } from '../../ui/store.ts';
import { useOfferActions } from '../palette/registry.ts';
import { useStopActing } from './use-stop.ts';
import { openWorkAs, useOwnPrincipals, workAs } from './work-as.ts';

const WorkAsDialog = later(() => import('./WorkAsDialog.tsx'));
const close = () => workAs.set(undefined);

/** Where the dialog opens; offers the beginning and the end of it in the palette. */
export function ActingHost() {
  const open = useStore(workAs);
  const principal = useSession().acting?.principal.fullName;
  const may = useOwnPrincipals().length > 0;
  const { stop } = useStopActing();
  const items = useMemo(() => {
    if (principal !== undefined)
      return [{ label: `Stop working as ${principal}`, icon: LogOut, run: () => void stop() }];
    return may ? [{ label: 'Work as somebody else', icon: UserRoundCog, run: () => openWorkAs() }] : [];
  }, [principal, may, stop]);
  useOfferActions(items);
  return <Suspense>{open && <WorkAsDialog userId={open.userId} onClose={close} />}</Suspense>;
}

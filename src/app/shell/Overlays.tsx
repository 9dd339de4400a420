import { Suspense } from 'react';
import { gate } from '../../api/session-gate.ts';
import { proofAsked } from '../../api/step-up.ts';
import { later } from '../../ui/later.ts';
import { useStore } from '../../ui/store.ts';
import { overlay } from './overlay.ts';

const loadPalette = () => import('../palette/Palette.tsx');
const Palette = later(loadPalette);
const CheatSheet = later(() => import('./CheatSheet.tsx'));
const SessionDialog = later(() => import('../session/SessionDialog.tsx'));
const StepUpDialog = later(() => import('../session/StepUpDialog.tsx'));

const close = () => overlay.set(undefined);

/** Fetches the palette's code ahead: a pointer or the focus is near its field. */
export const preloadPalette = (): void => void loadPalette();

/** What opens over any page: palette, cheat sheet, and the dialogs of an ended session and of a proof. Loaded when first needed. */
export function Overlays() {
  const shown = useStore(overlay);
  const session = useStore(gate);
  const asked = useStore(proofAsked);
  return (
    <Suspense>
      {shown === 'palette' && <Palette onClose={close} />}
      {shown === 'keys' && <CheatSheet onClose={close} />}
      {asked && session === 'open' && <StepUpDialog />}
      {session !== 'open' && <SessionDialog gate={session} />}
    </Suspense>
  );
}

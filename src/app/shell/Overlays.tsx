import { Suspense } from 'react';
import { sessionState } from '../../api/session-state.ts';
import { isProofRequested } from '../../api/step-up.ts';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useStore } from '../../ui/store.ts';
import { overlay } from '../state/overlay.ts';

const Palette = lazyWithPreload(() => import('./Palette.tsx'));
const CheatSheet = lazyWithPreload(() => import('./CheatSheet.tsx'));
const SessionDialog = lazyWithPreload(() => import('../sign-in/SessionDialog.tsx'));
const StepUpDialog = lazyWithPreload(() => import('../sign-in/StepUpDialog.tsx'));

const closeOverlay = () => overlay.set(undefined);

/** Preloads the palette; called when the pointer or focus reaches its field. */
export const preloadPalette = (): void => Palette.preload();

/** Preloads the session dialog; called while a warning about the end of the session is shown. */
export const preloadSessionDialog = (): void => SessionDialog.preload();

/** Overlays of all pages, loaded on demand: palette, cheat sheet, session dialog and step-up dialog. */
export function Overlays() {
  const openedOverlay = useStore(overlay);
  const session = useStore(sessionState);
  const isProofPending = useStore(isProofRequested);
  return (
    <Suspense>
      {openedOverlay === 'palette' && <Palette onClose={closeOverlay} />}
      {openedOverlay === 'keys' && <CheatSheet onClose={closeOverlay} />}
      {isProofPending && session === 'open' && <StepUpDialog />}
      {session !== 'open' && <SessionDialog gate={session} />}
    </Suspense>
  );
}

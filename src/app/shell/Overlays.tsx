import { useRouter } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { sessionState } from '../../api/session-state.ts';
import { isProofRequested } from '../../api/step-up.ts';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useStore } from '../../ui/store.ts';
import { openOverlay, overlay } from '../state/overlay.ts';
import { pastedText } from '../state/palette.ts';
import { recordRecentPages } from '../state/recent-pages.ts';
import { withdrawLeftRequests } from '../state/requested-action.ts';

const Palette = lazyWithPreload(() => import('./Palette.tsx'));
const CheatSheet = lazyWithPreload(() => import('./CheatSheet.tsx'));
const SessionDialog = lazyWithPreload(() => import('../sign-in/SessionDialog.tsx'));
const StepUpDialog = lazyWithPreload(() => import('../sign-in/StepUpDialog.tsx'));

const closeOverlay = () => overlay.set(undefined);

/** Preloads the palette; called when the pointer or focus reaches its field. */
export const preloadPalette = (): void => Palette.preload();

/** Preloads the session dialog; called while a warning about the end of the session is shown. */
export const preloadSessionDialog = (): void => SessionDialog.preload();

/** Elements that take pasted text themselves. */
const PASTE_TARGETS = 'input, textarea, [contenteditable], [role=grid], [role=dialog], dialog';

/** Opens the palette with a text that is pasted where nothing else takes it. */
function handlePaste({ target, clipboardData, defaultPrevented }: ClipboardEvent): void {
  const text = clipboardData?.getData('text/plain') ?? '';
  if (defaultPrevented || text.trim() === '') return;
  if (target instanceof Element && target.closest(PASTE_TARGETS)) return;
  pastedText.set(text);
  openOverlay('palette');
}

function listenToPaste() {
  document.addEventListener('paste', handlePaste);
  return () => document.removeEventListener('paste', handlePaste);
}

/** Overlays of all pages, loaded on demand: palette, cheat sheet, session dialog and step-up dialog. */
export function Overlays() {
  const openedOverlay = useStore(overlay);
  const session = useStore(sessionState);
  const router = useRouter();
  useEffect(() => recordRecentPages(router), [router]);
  useEffect(() => withdrawLeftRequests(router), [router]);
  useEffect(listenToPaste, []);
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

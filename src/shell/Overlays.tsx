import { Suspense } from 'react';
import { gate } from '../api/session-gate.ts';
import { later } from '../ui/later.ts';
import { useStore } from '../ui/store.ts';
import { overlay } from './overlay.ts';

const loadPalette = () => import('./palette/Palette.tsx');
const Palette = later(loadPalette);
const CheatSheet = later(() => import('./CheatSheet.tsx'));
const SessionDialog = later(() => import('./SessionDialog.tsx'));

const close = () => overlay.set(undefined);

/** Fetches the palette's code ahead: a pointer or the focus is near its field. */
export const preloadPalette = (): void => void loadPalette();

/** What opens over any page: palette, cheat sheet, and the dialog of an ended session. Loaded when first needed. */
export function Overlays() {
  const shown = useStore(overlay);
  const session = useStore(gate);
  return (
    <Suspense>
      {shown === 'palette' && <Palette onClose={close} />}
      {shown === 'keys' && <CheatSheet onClose={close} />}
      {session !== 'open' && <SessionDialog gate={session} />}
    </Suspense>
  );
}

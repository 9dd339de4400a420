import { CircleHelp } from 'lucide-react';
import { Suspense } from 'react';
import { openOverlay, overlay } from '../../app/state/overlay.ts';
import { IconButton } from '../../ui/button/IconButton.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { useStore } from '../../ui/store.ts';

const HelpPanel = lazyWithPreload(() => import('./HelpPanel.tsx'));

/** Button of the top bar that opens the help for the page, as the key "?" does. */
export function HelpButton() {
  return (
    <IconButton
      label="Help"
      icon={CircleHelp}
      aria-haspopup="dialog"
      onPointerEnter={HelpPanel.preload}
      onFocus={HelpPanel.preload}
      onClick={() => openOverlay('help')}
    />
  );
}

/** The help panel while it is open. */
export function HelpHost() {
  if (useStore(overlay) !== 'help') return null;
  return (
    <Suspense>
      <HelpPanel onClose={() => overlay.set(undefined)} />
    </Suspense>
  );
}

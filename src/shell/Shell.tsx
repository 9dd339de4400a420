import { Outlet, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession } from '../api/session.ts';
import { BulkHost } from '../bulk/BulkHost.tsx';
import { ConfirmHost } from '../ui/dialog/ConfirmHost.tsx';
import { ActingBanner } from './acting/ActingBanner.tsx';
import { ActingHost } from './acting/ActingHost.tsx';
import { EndedBanner } from './acting/EndedBanner.tsx';
import { AREAS } from './areas.ts';
import { Drawer } from './Drawer.tsx';
import { JobTray } from './JobTray.tsx';
import { MembershipEnd } from './MembershipEnd.tsx';
import { SessionEnd } from './SessionEnd.tsx';
import { openOverlay } from './overlay.ts';
import { Overlays } from './Overlays.tsx';
import { RouteChange } from './RouteChange.tsx';
import { useShortcut } from './shortcuts.ts';
import { SideNav } from './SideNav.tsx';
import { TopBar } from './TopBar.tsx';
import { UnreachableBanner } from './UnreachableBanner.tsx';
import './shell.css';

const ANYWHERE = [
  { keys: 'mod+k', label: 'Search', group: 'Anywhere' },
  { keys: '?', label: 'Keyboard shortcuts', group: 'Anywhere' },
];
const GO_TO = AREAS.map(({ key, name }) => ({ keys: `g ${key}`, label: name, group: 'Go to' }));

/** The frame around every page of a signed-in person. */
export function Shell() {
  const { site } = useSession();
  const router = useRouter();
  const [drawer, setDrawer] = useState(false);

  useShortcut(ANYWHERE, ({ keys }) => openOverlay(keys === '?' ? 'keys' : 'palette'));
  useShortcut(GO_TO, ({ label }) => {
    const area = AREAS.find(({ name }) => name === label);
    if (area) void router.navigate({ to: area.path });
  });

  return (
    <div className="shell">
      <a
        className="skip-link"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>('#main')?.focus();
        }}
      >
        Skip to content
      </a>
      <RouteChange site={site.name} />
      <ActingBanner />
      <TopBar onMenu={() => setDrawer(true)} />
      <aside className="shell-side">
        <SideNav />
      </aside>
      {drawer && <Drawer onClose={() => setDrawer(false)} />}
      <main className="shell-main" id="main" tabIndex={-1}>
        <UnreachableBanner />
        <MembershipEnd />
        <SessionEnd />
        <EndedBanner />
        <Outlet />
      </main>
      <JobTray />
      <Overlays />
      <BulkHost />
      <ActingHost />
      <ConfirmHost />
    </div>
  );
}

import { useRouterState } from '@tanstack/react-router';
import { useLayoutEffect, useRef } from 'react';
import type { ReactNode } from 'react';
import './tab-links.css';

/** Tabs that are links: children are router links, the current one has `aria-current="page"` and is scrolled into view. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  const tabs = useRef<HTMLElement>(null);
  const pathname = useRouterState({ select: ({ location }) => location.pathname });
  useLayoutEffect(() => {
    const current = tabs.current?.querySelector<HTMLElement>('[aria-current="page"]');
    if (!tabs.current || !current) return;
    // Only the row of tabs moves, never the page; neighbors stay visible, so that there is more to see.
    tabs.current.scrollLeft = current.offsetLeft - (tabs.current.clientWidth - current.offsetWidth) / 2;
    // oxlint-disable-next-line react/exhaustive-effect-dependencies -- the path decides which tab is current
  }, [pathname]);
  return (
    <nav ref={tabs} className="tab-links" aria-label={label}>
      {children}
    </nav>
  );
}

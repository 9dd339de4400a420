import type { ReactNode } from 'react';
import './tab-links.css';

/** Tabs that are links: children are router links, the current one has `aria-current="page"`. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tab-links" aria-label={label}>
      {children}
    </nav>
  );
}

import type { ReactNode } from 'react';
import './tab-links.css';

/** Tabs that live in the URL: router links as children, the one shown has `aria-current="page"`. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tab-links" aria-label={label}>
      {children}
    </nav>
  );
}

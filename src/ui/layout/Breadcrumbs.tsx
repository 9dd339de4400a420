import { Children } from 'react';
import type { ReactNode } from 'react';
import './page.css';

/** The way here: links to the pages above as children, then the name of this one. */
export function Breadcrumbs({ children, current }: { children: ReactNode; current: string }) {
  return (
    <nav className="crumbs" aria-label="Breadcrumbs">
      <ol className="crumbs-list">
        {Children.map(children, (link) => (
          <li>{link}</li>
        ))}
        <li aria-current="page">{current}</li>
      </ol>
    </nav>
  );
}

import { Link } from '@tanstack/react-router';
import { Children } from 'react';
import type { ReactNode } from 'react';
import { useCrumbs } from './titles.ts';
import './page.css';

/** The way to this page, for the `breadcrumbs` of a page that lies under another one. */
export function Trail() {
  const crumbs = useCrumbs().filter(({ part }) => !part);
  const current = crumbs.at(-1);
  if (!current || crumbs.length < 2) return null;
  return (
    <Breadcrumbs current={current.title}>
      {crumbs.slice(0, -1).map(({ title, pathname }) => (
        <Link key={pathname} to={pathname}>
          {title}
        </Link>
      ))}
    </Breadcrumbs>
  );
}

/** The way here: links to the pages above as children, then the name of this one. */
function Breadcrumbs({ children, current }: { children: ReactNode; current: string }) {
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

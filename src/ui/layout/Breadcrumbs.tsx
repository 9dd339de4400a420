import { Link } from '@tanstack/react-router';
import { Children } from 'react';
import type { ReactNode } from 'react';
import { useCrumbs } from './titles.ts';
import './page.css';

/** Breadcrumbs of a page below another one; nothing for a top-level page. */
export function Breadcrumbs() {
  const crumbs = useCrumbs().filter(({ isPartOfPage }) => !isPartOfPage);
  const current = crumbs.at(-1);
  if (!current || crumbs.length < 2) return null;
  return (
    <BreadcrumbList current={current.title}>
      {crumbs.slice(0, -1).map(({ title, pathname }) => (
        <Link key={pathname} to={pathname}>
          {title}
        </Link>
      ))}
    </BreadcrumbList>
  );
}

/** Links to the parent pages as children, then the current page. */
function BreadcrumbList({ children, current }: { children: ReactNode; current: string }) {
  return (
    <nav className="crumbs" aria-label="Breadcrumbs">
      <ol className="crumbs-list">
        {Children.map(children, (link) => (
          <li>{link}</li>
        ))}
        <li aria-current="page">
          <span className="crumbs-current" title={current}>
            {current}
          </span>
        </li>
      </ol>
    </nav>
  );
}

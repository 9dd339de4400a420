import { Link } from '@tanstack/react-router';
import { Breadcrumbs } from '../ui/layout/Breadcrumbs.tsx';
import { useCrumbs } from './titles.ts';

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

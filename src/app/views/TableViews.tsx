import { Bookmark, ChevronDown } from 'lucide-react';
import { Suspense } from 'react';
import { Button } from '../../ui/button/Button.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import type { TableViewsProps } from './view-rights.ts';

const TableViewsMenu = lazyWithPreload(() => import('./TableViewsMenu.tsx'));

/** The saved views of a table; until they are loaded, a button that keeps their place. */
export function TableViews(props: TableViewsProps) {
  return (
    <Suspense
      fallback={
        <Button icon={Bookmark} disabledReason="The views are loading">
          <bdi className="views-name">Views</bdi>
          <ChevronDown />
        </Button>
      }
    >
      <TableViewsMenu {...props} />
    </Suspense>
  );
}

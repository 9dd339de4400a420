import { Bookmark } from 'lucide-react';
import { Suspense } from 'react';
import type { TableName } from '../../../contract/generated/types.gen.ts';
import { Button } from '../../ui/button/Button.tsx';
import { lazyWithPreload } from '../../ui/lazy.tsx';

const TableViewsMenu = lazyWithPreload(() => import('./TableViewsMenu.tsx'));

export interface TableViewsProps {
  table: TableName;
  hidden: readonly string[];
  /** Stores the hidden columns of a view that is opened; a page that keeps them in its address ignores it. */
  onHide: (hidden: readonly string[]) => void;
}

/** The saved views of a table; until they are loaded, a button that keeps their place. */
export function TableViews(props: TableViewsProps) {
  return (
    <Suspense
      fallback={
        <Button icon={Bookmark} disabledReason="The views are loading">
          Views
        </Button>
      }
    >
      <TableViewsMenu {...props} />
    </Suspense>
  );
}

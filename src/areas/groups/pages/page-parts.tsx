import { Link } from '@tanstack/react-router';
import { RefreshCw, Plus } from 'lucide-react';
import { usePermission } from '../../../api/session.ts';
import { DataAge } from '../../../app/freshness/DataAge.tsx';
import { useDirectory } from '../../../directory/directory.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { IconButton } from '../../../ui/button/IconButton.tsx';
import { AsOf } from '../../../ui/table/TableBar.tsx';

/** Timestamp of the directory with a button to reload it. */
export function DirectoryAsOf() {
  const { asOf, complete, error, size, refreshing, refresh } = useDirectory();
  return (
    <>
      {complete && asOf !== undefined && <DataAge at={asOf} failed={error !== undefined} />}
      {!complete && size !== undefined && <AsOf tone="warn">{formatNumber(size)} read</AsOf>}
      <IconButton label="Reload everything" icon={RefreshCw} pending={refreshing} onClick={refresh} />
    </>
  );
}

/** Link to the panel for a new group; the list keeps its search. */
export function NewGroupLink() {
  const { reason } = usePermission('createGroup');
  if (reason !== undefined) {
    return (
      <Button variant="primary" icon={Plus} disabledReason={reason}>
        New group
      </Button>
    );
  }
  return (
    <Link to="/groups/new" search={(now) => now} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      New group
    </Link>
  );
}

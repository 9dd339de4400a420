import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { usePermission } from '../../../api/session.ts';
import { PagedListAge } from '../../../app/freshness/DataAge.tsx';
import { useDirectory } from '../../../directory/directory.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';

/** Timestamp of the directory with a button to reload it. */
export const DirectoryAsOf = () => <PagedListAge list={useDirectory()} />;

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

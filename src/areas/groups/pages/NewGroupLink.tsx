import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';

/** Opens the panel over the list, which keeps its search. */
export function NewGroupLink() {
  const { reason } = useAllowed('createGroup');
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

import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';

/** Opens the panel over the list, which keeps its search. */
export function AssignLink() {
  const { reason } = useAllowed('changeProxies');
  if (reason !== undefined) {
    return (
      <Button variant="primary" icon={Plus} disabledReason={reason}>
        Assign proxy
      </Button>
    );
  }
  return (
    <Link to="/proxies/assign" search={(now) => now} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      Assign proxy
    </Link>
  );
}

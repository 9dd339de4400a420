import { Link } from '@tanstack/react-router';
import { MailPlus } from 'lucide-react';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { useInviteAction } from '../-invite-action.ts';

/** The way to the page where people are invited or added. */
export function InviteLink() {
  const { label, reason } = useInviteAction();
  if (reason !== undefined) {
    return (
      <Button variant="primary" icon={MailPlus} disabledReason={reason}>
        {label}
      </Button>
    );
  }
  return (
    <Link to="/invitations/new" className={buttonClass({ variant: 'primary' })}>
      <MailPlus />
      {label}
    </Link>
  );
}

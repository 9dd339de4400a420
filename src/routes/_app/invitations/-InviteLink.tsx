import { Link } from '@tanstack/react-router';
import { MailPlus } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { beginAnew, inviteRun } from './-draft.ts';

/** What is all done needs no second look; what failed does. */
const beginWhereDone = () => {
  if (inviteRun.get()?.state === 'done') beginAnew();
};

/** The way to the page where people are invited or added; whoever may do one of the two has a use for it. */
export function InviteLink() {
  const invite = useAllowed('inviteExistingUser');
  const add = useAllowed('addExistingUser');
  if (!invite.allowed && !add.allowed) {
    return (
      <Button variant="primary" icon={MailPlus} disabledReason={invite.reason}>
        Invite people
      </Button>
    );
  }
  return (
    <Link to="/invitations/new" className={buttonClass({ variant: 'primary' })} onClick={beginWhereDone}>
      <MailPlus />
      {invite.allowed ? 'Invite people' : 'Add people'}
    </Link>
  );
}

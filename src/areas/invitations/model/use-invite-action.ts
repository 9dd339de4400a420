import { useAllowed } from '../../../api/session.ts';

/** What the way to inviting and adding people is called for whoever goes it, and why it is closed where it is. */
export function useInviteAction(): { label: string; reason: string | undefined } {
  // Whoever may do one of the two has a use for it, and so may have addresses looked at.
  const { reason } = useAllowed('checkInvitees');
  const invites = useAllowed('inviteExistingUser').allowed;
  return { label: invites || reason !== undefined ? 'Invite people' : 'Add people', reason };
}

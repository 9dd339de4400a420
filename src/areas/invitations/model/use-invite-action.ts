import { usePermission } from '../../../api/session.ts';

/** Label of the action to invite or add people, depending on capabilities, with the reason if it is disabled. */
export function useInviteAction(): { label: string; reason: string | undefined } {
  // Checking addresses is allowed for users who may invite or add.
  const { reason } = usePermission('checkInvitees');
  const invites = usePermission('inviteExistingUser').allowed;
  return { label: invites || reason !== undefined ? 'Invite people' : 'Add people', reason };
}

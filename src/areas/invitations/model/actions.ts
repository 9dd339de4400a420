import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { TEMPORARY } from '../../../../contract/rules/people/invitations.ts';
import { addDays } from '../../../lib/dates/dates.ts';

/** Actions on an existing invitation. */
export type InvitationAction = 'resend' | 'revoke' | 'extend' | 'delete';

type Invitation = Pick<InvitationInfoResponse, 'status' | 'type' | 'membershipExpiresDate'>;

const REVOKED = 'Revoked; invite them again';
const EXPIRED = 'The link has expired; send it again';

const REASON_BY_ACTION: Record<InvitationAction, (invitation: Invitation) => string | undefined> = {
  resend({ status }) {
    if (status === 'accepted') return 'Already accepted';
    return status === 'revoked' ? REVOKED : undefined;
  },
  revoke({ status }) {
    if (status === 'pending') return undefined;
    if (status === 'accepted') return 'Already accepted; remove the user from the site instead';
    return status === 'revoked' ? 'Already revoked' : 'The link has already expired';
  },
  delete({ status, membershipExpiresDate: end }) {
    if (status === 'pending') return 'Still pending; revoke it first';
    return status === 'accepted' && end && new Date(end) > new Date()
      ? 'Its temporary membership still lasts'
      : undefined;
  },
  extend({ status, type, membershipExpiresDate: end }) {
    if (status === 'pending') return undefined;
    if (status === 'expired') return EXPIRED;
    if (status === 'revoked') return REVOKED;
    if (type !== TEMPORARY) return 'A permanent membership does not end';
    return end ? undefined : 'No longer a user of this site; invite them again';
  },
};

/** Reason why an action is not possible; undefined if it is. */
export const getActionReason = (action: InvitationAction, invitation: Invitation): string | undefined =>
  REASON_BY_ACTION[action](invitation);

/** Timestamp that an extension moves: end of the membership, or of a pending link. */
export const getEnd = ({
  status,
  membershipExpiresDate,
  expiresDate,
}: Pick<InvitationInfoResponse, 'status' | 'membershipExpiresDate' | 'expiresDate'>): string =>
  status === 'accepted' ? (membershipExpiresDate ?? expiresDate) : expiresDate;

/** End after an extension; an ended membership restarts now. */
export function getExtendedEnd(
  invitation: Parameters<typeof getEnd>[0],
  days: number,
  now = new Date(),
): Date {
  const end = new Date(getEnd(invitation));
  return addDays(days, invitation.status === 'accepted' && end < now ? now : end);
}

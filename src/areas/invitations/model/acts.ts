import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { daysAfter } from '../../../lib/ends.ts';

/** What can be done with an invitation that exists. */
export type Act = 'resend' | 'revoke' | 'extend';

type Invitation = Pick<InvitationInfoResponse, 'status' | 'type' | 'membershipExpiresDate'>;

const REVOKED = 'Revoked; invite them anew';
const EXPIRED = 'Its link has expired; send it again';

const AGAINST: Record<Act, (invitation: Invitation) => string | undefined> = {
  resend({ status }) {
    if (status === 'accepted') return 'Accepted already';
    return status === 'revoked' ? REVOKED : undefined;
  },
  revoke({ status }) {
    if (status === 'pending') return undefined;
    if (status === 'accepted') return 'Accepted already; remove the user from the site instead';
    return status === 'revoked' ? 'Revoked already' : 'Its link has expired already';
  },
  extend({ status, type, membershipExpiresDate: end }) {
    if (status === 'pending') return undefined;
    if (status === 'expired') return EXPIRED;
    if (status === 'revoked') return REVOKED;
    if (type !== TEMPORARY) return 'A permanent membership has no end';
    return end ? undefined : 'No longer a user of this site; invite them anew';
  },
};

/** Why this cannot be done with the invitation as it is; undefined where it can. */
export const against = (act: Act, invitation: Invitation): string | undefined => AGAINST[act](invitation);

/** The moment that an extension moves: the end of the membership, or of a pending link. */
export const endOf = ({
  status,
  membershipExpiresDate,
  expiresDate,
}: Pick<InvitationInfoResponse, 'status' | 'membershipExpiresDate' | 'expiresDate'>): string =>
  status === 'accepted' ? (membershipExpiresDate ?? expiresDate) : expiresDate;

/** Where more days lead to: a membership that has ended is opened again, its days counted from now. */
export function extendedEnd(invitation: Parameters<typeof endOf>[0], days: number, now = new Date()): Date {
  const end = new Date(endOf(invitation));
  return daysAfter(days, invitation.status === 'accepted' && end < now ? now : end);
}

import type { AcceptedInvitation } from '../../../contract/generated/types.gen.ts';
import { findMissingCapabilities } from '../../../contract/rules/people/capabilities.ts';
import { ApiError, conflict } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import { loadCapabilities } from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeInvitationAcceptedMail, formatTimestamp } from '../../kernel/mail/messages.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { lockAccounts, lockGroups, recordNewMember } from '../members/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import * as store from './invitations.store.ts';
import { insertMembership } from './memberships.store.ts';
import { checkMappedContact } from './rules.ts';

/** The same response for unknown, used, revoked and expired links. */
export const invitationNotFound = (): ApiError =>
  new ApiError(404, 'This invitation was accepted, revoked or replaced by a newer one, or has expired');

/**
 * Makes the invited user a member with those groups of the invitation that can still be granted, and notifies an
 * inviter who may act on the site. The lock on the account decides between concurrent acceptances and revocations.
 * @throws ApiError 404 if the link is no longer valid, 409 for a member
 */
export async function acceptInvitation(
  tx: Tx,
  pending: store.PendingInvitation,
  token: string,
  record: Recorder,
): Promise<AcceptedInvitation> {
  const { siteId, userId } = pending;
  await lockAccounts(tx, [userId]);
  const invitation = await store.findPendingInvitation(tx, hashSecret(token), true);
  if (!invitation) throw invitationNotFound();
  const site = await getSite(tx, siteId);
  const groupIds = await listGrantableGroups(tx, invitation);
  const contactErrors = await checkMappedContact(tx, siteId, invitation.userEntryId);
  const member = await insertMembership(tx, {
    siteId,
    userId,
    // The entry may have been deleted in the meantime.
    userEntryId: contactErrors.length === 0 ? invitation.userEntryId : null,
    by: invitation.invitedBy,
    invitationId: invitation.id,
    duration: invitation.duration,
  });
  if (!member) throw conflict(`You are already a user of ${site.name}`);
  await store.markAccepted(tx, siteId, invitation.id);
  const { endsAt } = member;
  record({
    action: 'invitation.accept',
    subject: ['invitation', invitation.id],
    changes: {
      status: ['pending', 'accepted'],
      membershipExpiresDate: [null, endsAt],
      ...(groupIds.length < invitation.groups.length && { groups: [invitation.groups, groupIds] }),
    },
  });
  await recordNewMember(tx, siteId, { userId, groupIds }, 'user.join', record);
  await mailInviter(tx, invitation, site, endsAt);
  return { siteId, siteName: site.name, membershipExpiresDate: endsAt?.toISOString() ?? null };
}

/**
 * The groups of the invitation that still exist and whose capabilities the inviter still holds: either may have changed
 * since the invitation was sent (T05). An inviter who may no longer act on the site holds none.
 */
async function listGrantableGroups(
  tx: Tx,
  { siteId, groups, invitedBy, inviterMayAct }: store.PendingInvitation,
): Promise<number[]> {
  const existing = await lockGroups(tx, siteId, groups);
  const inviterCapabilities =
    invitedBy !== null && inviterMayAct
      ? [...((await loadCapabilities(tx, siteId, [invitedBy])).get(invitedBy) ?? [])]
      : [];
  return [...existing].flatMap(([id, capabilities]) =>
    findMissingCapabilities(inviterCapabilities, capabilities).length === 0 ? [id] : [],
  );
}

async function mailInviter(
  tx: Tx,
  invitation: store.PendingInvitation,
  site: Site,
  endsAt: Date | null,
): Promise<void> {
  const { inviter, inviterMayAct } = invitation;
  if (!inviter || !inviterMayAct) return;
  const mail = composeInvitationAcceptedMail({
    firstName: inviter.firstName,
    siteName: site.name,
    memberName: `${invitation.firstName} ${invitation.lastName} (${invitation.email})`,
    endDate: endsAt && formatTimestamp(endsAt, site.timeZone),
  });
  await queueMail(tx, { siteId: site.siteId, to: inviter.email, ttlHours: 24, ...mail });
}

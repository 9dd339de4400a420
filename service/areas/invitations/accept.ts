import type { AcceptedInvitation } from '../../../contract/generated/types.gen.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { ApiError, conflict } from '../../kernel/http/errors.ts';
import { acceptedMail, momentIn } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { lockGroups, memberAdded } from '../members/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import { insertMember } from './members.store.ts';
import * as store from './store.ts';

/** One text for a link that nobody made, that was used or revoked, and that is over. */
export const gone = (): ApiError =>
  new ApiError(404, 'This invitation was accepted, revoked or replaced by a newer one, or its time is over');

/**
 * Makes the invited person a member, with those groups of the invitation that are still there, and tells the inviter.
 * Of acceptances and revocations at the same moment the one that holds the account first gets through.
 * @throws ApiError 404 when the link opens nothing any more, 409 for a member
 */
export async function accept(
  tx: Tx,
  received: store.Received,
  token: string,
  record: Recorder,
): Promise<AcceptedInvitation> {
  const { siteId, userId } = received;
  await store.lockAccount(tx, userId);
  const invitation = await store.findReceived(tx, hashSecret(token), true);
  if (!invitation) throw gone();
  const site = await getSite(tx, siteId);
  const groups = await lockGroups(tx, siteId, invitation.groups);
  const member = await insertMember(tx, {
    siteId,
    userId,
    userEntryId: invitation.userEntryId,
    by: invitation.invitedBy,
    invitationId: invitation.id,
    duration: invitation.duration,
  });
  if (!member) throw conflict(`You are a user of ${site.name} already`);
  await store.markAccepted(tx, siteId, invitation.id);
  const { endsAt } = member;
  record({
    action: 'invitation.accept',
    subject: ['invitation', invitation.id],
    changes: { status: ['pending', 'accepted'], membershipExpiresDate: [null, endsAt] },
  });
  await memberAdded(tx, siteId, { userId, groupIds: [...groups.keys()] }, 'user.join', record);
  await mailInviter(tx, invitation, site, endsAt);
  return { siteId, siteName: site.name, membershipExpiresDate: endsAt?.toISOString() ?? null };
}

async function mailInviter(
  tx: Tx,
  invitation: store.Received,
  site: Site,
  endsAt: Date | null,
): Promise<void> {
  const { inviter } = invitation;
  if (!inviter) return;
  const mail = acceptedMail({
    firstName: inviter.firstName,
    siteName: site.name,
    who: `${invitation.firstName} ${invitation.lastName} (${invitation.email})`,
    end: endsAt && momentIn(endsAt, site.timeZone),
  });
  await queueMail(tx, { siteId: site.siteId, to: inviter.email, hours: 24, ...mail });
}

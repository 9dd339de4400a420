import type { AcceptedInvitation } from '../../../contract/generated/types.gen.ts';
import { capabilitiesNotHeld } from '../../../contract/rules/capabilities.ts';
import { capabilitiesOf } from '../../kernel/auth/store.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { ApiError, conflict } from '../../kernel/http/errors.ts';
import { acceptedMail, momentIn } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { lockGroups, memberAdded } from '../members/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import { insertMember } from './members.store.ts';
import { mappedContactFaults } from './rules.ts';
import * as store from './store.ts';

/** One text for a link that nobody made, that was used or revoked, and that is over. */
export const gone = (): ApiError =>
  new ApiError(404, 'This invitation was accepted, revoked or replaced by a newer one, or its time is over');

/**
 * Makes the invited person a member, with the groups of the invitation that can still be given, and tells the inviter.
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
  const groupIds = await groupsToGive(tx, invitation);
  const contactFaults = await mappedContactFaults(tx, siteId, invitation.userEntryId);
  const member = await insertMember(tx, {
    siteId,
    userId,
    // An entry may have been deleted since.
    userEntryId: contactFaults.length === 0 ? invitation.userEntryId : null,
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
    changes: {
      status: ['pending', 'accepted'],
      membershipExpiresDate: [null, endsAt],
      ...(groupIds.length < invitation.groups.length && { groups: [invitation.groups, groupIds] }),
    },
  });
  await memberAdded(tx, siteId, { userId, groupIds }, 'user.join', record);
  await mailInviter(tx, invitation, site, endsAt);
  return { siteId, siteName: site.name, membershipExpiresDate: endsAt?.toISOString() ?? null };
}

/**
 * The groups of the invitation that are there and that the inviter could still give: a group may have become able to do
 * more since, and the inviter less (T05).
 */
async function groupsToGive(tx: Tx, { siteId, groups, invitedBy }: store.Received): Promise<number[]> {
  const present = await lockGroups(tx, siteId, groups);
  const held = invitedBy === null ? [] : [...(await capabilitiesOf(tx, siteId, invitedBy))];
  return [...present].flatMap(([id, wanted]) => (capabilitiesNotHeld(held, wanted).length === 0 ? [id] : []));
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

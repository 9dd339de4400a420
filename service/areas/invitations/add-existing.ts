import type { AddExistingUserRequestVm } from '../../../contract/generated/types.gen.ts';
import { badRequest } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeMemberAddedMail } from '../../kernel/mail/messages.ts';
import { recordNewMember } from '../members/index.ts';
import type { Site } from '../sites/index.ts';
import * as store from './invitations.store.ts';
import type { InvitationContext } from './invite.ts';
import { insertMembership } from './memberships.store.ts';
import * as rules from './rules.ts';

/**
 * Adds a user without their confirmation and revokes a pending invitation of the user.
 * @throws ApiError 400, 403, 404, 409 and 429 as listed in the contract
 */
export async function addExistingMember(
  tx: Tx,
  call: InvitationContext & { body: AddExistingUserRequestVm },
  site: Site,
  record: Recorder,
): Promise<void> {
  const { caller, body } = call;
  const { siteId } = caller;
  const { email, key } = normalizeEmail(body.email);
  const account = await store.lockAccountByEmail(tx, key);
  const groupIds = [...new Set(body.groups)];
  const errors = [
    ...(await rules.checkInvitationGroups(tx, caller, groupIds)),
    ...(await rules.checkMappedContact(tx, siteId, body.mappedContactId)),
  ];
  if (errors.length > 0) throw badRequest(errors);
  if (!account) throw rules.unknownAddress(email);
  const { userId } = account;
  const { isActive, pendingId } = await store.getMembershipState(tx, siteId, userId);
  const member =
    isActive === null &&
    (await insertMembership(tx, {
      siteId,
      userId,
      userEntryId: await rules.resolveContact(tx, call, account, record),
      by: caller.userId,
      invitationId: null,
      duration: null,
    }));
  if (!member) throw rules.alreadyMember(email, { userId, isActive: isActive ?? true });
  if (pendingId !== null && (await store.revokeInvitation(tx, siteId, pendingId)))
    record({
      action: 'invitation.revoke',
      subject: ['invitation', pendingId],
      changes: { status: ['pending', 'revoked'] },
    });
  await recordNewMember(tx, siteId, { userId, groupIds }, 'user.add-existing', record);
  await rules.throttleMailsToPerson(tx, siteId, userId);
  const actor = await store.getAccount(tx, caller.userId);
  const mail = composeMemberAddedMail({
    firstName: account.firstName,
    siteName: site.name,
    addedBy: `${actor.firstName} ${actor.lastName}`,
    link: call.services.publicUrl,
  });
  await queueMail(tx, { siteId, to: account.email, ttlHours: 24, ...mail });
}

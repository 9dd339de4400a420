import type { InviteExistingUserRequestVm } from '../../../contract/generated/types.gen.ts';
import { INVITATION_TTL_DAYS } from '../../../contract/rules/people/invitations.ts';
import { badRequest } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import type { Services } from '../../kernel/http/handler.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeInvitationMail } from '../../kernel/mail/messages.ts';
import { createSecret } from '../../kernel/secret.ts';
import { lockGroups } from '../members/index.ts';
import { getSite } from '../sites/index.ts';
import * as store from './invitations.store.ts';
import * as rules from './rules.ts';

/** What the changes of invitations need of a request or a job. */
export interface InvitationContext {
  caller: Caller;
  services: Pick<Services, 'publicUrl'>;
}

/**
 * Invites a user with an account and queues the e-mail with the link (spec 4.2).
 * @throws ApiError 400 for unknown groups or contact, 403 for groups the caller cannot grant, 404 for an unknown
 * address, 409 for a member or invited user, 429 above the limits
 * @returns the id of the invitation
 */
export async function createInvitation(
  tx: Tx,
  call: InvitationContext & { body: InviteExistingUserRequestVm },
  record: Recorder,
): Promise<number> {
  const { caller, body } = call;
  const { email, key } = normalizeEmail(body.email);
  const account = await store.lockAccountByEmail(tx, key);
  const groups = [...new Set(body.groups)];
  const errors = [
    ...(await rules.checkInvitationGroups(tx, caller, groups)),
    ...(await rules.checkMappedContact(tx, caller.siteId, body.mappedContactId)),
  ];
  if (errors.length > 0) throw badRequest(errors);
  if (!account) throw rules.unknownAddress(email);
  await requireNotMember(tx, caller.siteId, email, account.userId);
  await rules.throttleMailsToPerson(tx, caller.siteId, account.userId);
  const contactId = await rules.resolveContact(tx, call, account, record);
  const secret = createSecret();
  const id = await store.insertInvitation(tx, {
    ...toInvitationFields({ ...body, mappedContactId: contactId }),
    siteId: caller.siteId,
    userId: account.userId,
    email,
    emailKey: key,
    groups,
    invitedBy: caller.userId,
    tokenHash: secret.hash,
  });
  await mailInvitation(tx, call, account, secret.plain, body.duration ?? null);
  record({
    action: 'invitation.create',
    subject: ['invitation', id],
    changes: {
      email: [null, email],
      type: [null, body.type],
      duration: [null, body.duration ?? null],
      groups: [null, groups],
      mappedContactId: [null, contactId],
    },
  });
  return id;
}

const toInvitationFields = ({ type, duration, mappedContactId }: InviteExistingUserRequestVm) => ({
  type,
  duration: duration ?? null,
  userEntryId: mappedContactId ?? null,
});

async function requireNotMember(tx: Tx, siteId: number, email: string, userId: number): Promise<void> {
  const { isActive, pendingId } = await store.getMembershipState(tx, siteId, userId);
  if (isActive !== null) throw rules.alreadyMember(email, { userId, isActive });
  if (pendingId !== null) throw rules.alreadyInvited(email, pendingId);
}

/** An invitation, locked until the transaction ends. @throws ApiError 404 */
export async function lockKnownInvitation(
  tx: Tx,
  siteId: number,
  id: number,
): Promise<store.StoredInvitation> {
  const invitation = await store.lockInvitation(tx, siteId, id);
  if (!invitation) throw rules.unknownInvitation(id);
  return invitation;
}

/**
 * Sends a pending or expired invitation again with a new link; the previous link becomes invalid.
 * @throws ApiError 403, 404, 409, 429 as listed in the contract
 */
export async function resendInvitation(
  tx: Tx,
  call: InvitationContext & { params: { id: number } },
  record: Recorder,
): Promise<void> {
  const { caller, params } = call;
  const invitation = await lockKnownInvitation(tx, caller.siteId, params.id);
  const { status, accountId, email } = invitation;
  if (status === 'accepted' || status === 'revoked') throw rules.notResendable(params.id, status);
  const { isActive, pendingId } = await store.getMembershipState(tx, caller.siteId, accountId);
  if (isActive !== null) throw rules.joinedAlready(email);
  if (pendingId !== null && pendingId !== params.id) throw rules.alreadyInvited(email, pendingId);
  await requireGrantableGroups(tx, call, invitation.groups);
  await rules.throttleMailsToPerson(tx, caller.siteId, accountId);
  const secret = createSecret();
  const { siteId, userId } = caller;
  await store.renewLink(tx, { siteId, id: params.id, by: userId, tokenHash: secret.hash });
  const account = await store.getAccount(tx, accountId);
  await mailInvitation(tx, call, account, secret.plain, invitation.duration);
  record({
    action: 'invitation.resend',
    subject: ['invitation', params.id],
    changes: {
      ...(status === 'expired' && { status: ['expired', 'pending'] }),
      ...(invitation.invitedBy !== caller.userId && { invitedBy: [invitation.invitedBy, caller.userId] }),
    },
  });
}

/**
 * Requires that the caller can grant the remaining groups of an invitation: resending or extending grants them again.
 * @throws ApiError 403
 */
export async function requireGrantableGroups(
  tx: Tx,
  { caller }: Pick<InvitationContext, 'caller'>,
  groups: readonly number[],
): Promise<void> {
  const existing = await lockGroups(tx, caller.siteId, groups);
  await rules.checkInvitationGroups(tx, caller, [...existing.keys()]);
}

async function mailInvitation(
  tx: Tx,
  { caller, services }: InvitationContext,
  account: store.Account,
  token: string,
  days: number | null,
): Promise<void> {
  const site = await getSite(tx, caller.siteId);
  const inviter = await store.getAccount(tx, caller.userId);
  const mail = composeInvitationMail({
    firstName: account.firstName,
    siteName: site.name,
    inviter: `${inviter.firstName} ${inviter.lastName}`,
    days,
    link: `${services.publicUrl}/invitation#${token}`,
    linkDays: INVITATION_TTL_DAYS,
  });
  await queueMail(tx, {
    siteId: caller.siteId,
    to: account.email,
    ttlHours: 24 * INVITATION_TTL_DAYS,
    ...mail,
  });
}

/**
 * Revokes a pending invitation.
 * @throws ApiError 404, 409 if it is not pending
 */
export async function revokeInvitation(
  tx: Tx,
  { caller, id }: { caller: Caller; id: number },
  record: Recorder,
): Promise<void> {
  const { siteId } = caller;
  const { status } = await lockKnownInvitation(tx, siteId, id);
  if (status !== 'pending') throw rules.notRevocable(id, status);
  await store.revokeInvitation(tx, siteId, id);
  record({
    action: 'invitation.revoke',
    subject: ['invitation', id],
    changes: { status: ['pending', 'revoked'] },
  });
}

/**
 * Deletes the record of an invitation that is no longer pending. The membership that came from it stays, without its origin.
 * @throws ApiError 404, 409 if it is pending or its temporary membership, which is extended through the record, still lasts
 */
export async function deleteInvitation(
  tx: Tx,
  { caller, id }: { caller: Caller; id: number },
  record: Recorder,
): Promise<void> {
  const { siteId } = caller;
  const invitation = await lockKnownInvitation(tx, siteId, id);
  const { status, email, isMember, membershipExpiresDate: end } = invitation;
  if (status === 'pending') throw rules.notDeletable(id, 'pending');
  if (isMember && end !== null && end.getTime() > Date.now()) throw rules.notDeletable(id, 'lasting');
  await store.deleteInvitation(tx, siteId, id);
  record({
    action: 'invitation.delete',
    subject: ['invitation', id],
    changes: { email: [email, null], status: [status, null] },
  });
}

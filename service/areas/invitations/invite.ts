import type { InviteExistingUserRequestVm } from '../../../contract/generated/types.gen.ts';
import { LINK_DAYS } from '../../../contract/rules/invitations.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { conflict, invalid, notFound } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { invitationMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { newSecret } from '../../kernel/secret.ts';
import { lockGroups } from '../members/index.ts';
import { getSite } from '../sites/index.ts';
import * as rules from './rules.ts';
import * as store from './store.ts';

/**
 * Invites somebody with an account, and leaves the mail with the link in the outbox (spec 4.2).
 * @throws ApiError 400 unknown groups or contact, 403 groups beyond the caller, 404 nobody has the address, 409 a member or
 * invited, 429 invited too often
 */
export async function invite(tx: Tx, call: Call<'inviteExistingUser'>, record: Recorder): Promise<void> {
  const { caller, body } = call;
  const { email, key } = normaliseEmail(body.email);
  const person = await store.lockPerson(tx, key);
  const groups = [...new Set(body.groups)];
  const faults = [
    ...(await rules.checkInvitationGroups(tx, caller, groups)),
    ...(await rules.mappedContactFaults(tx, caller.siteId, body.mappedContactId)),
  ];
  if (faults.length > 0) throw invalid(faults);
  if (!person) throw rules.nobodyHas(email);
  await requireStranger(tx, caller.siteId, email, person.userId);
  await rules.countMailTo(tx, caller.siteId, person.userId);
  const secret = newSecret();
  const id = await store.insertInvitation(tx, {
    ...kept(body),
    siteId: caller.siteId,
    userId: person.userId,
    email,
    emailKey: key,
    groups,
    invitedBy: caller.userId,
    tokenHash: secret.hash,
  });
  await mailInvitation(tx, call, person, secret.plain, body.duration ?? null);
  record({
    action: 'invitation.create',
    subject: ['invitation', id],
    changes: {
      email: [null, email],
      type: [null, body.type],
      duration: [null, body.duration ?? null],
      groups: [null, groups],
      mappedContactId: [null, body.mappedContactId ?? null],
    },
  });
}

const kept = ({ type, duration, mappedContactId }: InviteExistingUserRequestVm) => ({
  type,
  duration: duration ?? null,
  userEntryId: mappedContactId ?? null,
});

async function requireStranger(tx: Tx, siteId: number, email: string, userId: number): Promise<void> {
  const { isActive, pendingId } = await store.standingOf(tx, siteId, userId);
  if (isActive !== null) throw rules.memberAlready(email, { userId, isActive });
  if (pendingId !== null) throw rules.invitedAlready(email, pendingId);
}

/**
 * Sends a pending or expired invitation again, with a new link that holds from now on; the earlier one ends.
 * @throws ApiError 403, 404, 409, 429 as the contract lists them
 */
export async function resend(tx: Tx, call: Call<'resendInvitation'>, record: Recorder): Promise<void> {
  const { caller, params } = call;
  const invitation = await store.lockInvitation(tx, caller.siteId, params.id);
  if (!invitation) throw notFound(`Invitation ${params.id}`);
  const { status, accountId, email } = invitation;
  if (status === 'accepted' || status === 'revoked')
    throw conflict(`Invitation ${params.id} was ${status} and cannot be sent again. Invite the person anew.`);
  const { isActive, pendingId } = await store.standingOf(tx, caller.siteId, accountId);
  if (isActive !== null) throw conflict(`${email} is a user of this site already`);
  if (pendingId !== null && pendingId !== params.id) throw rules.invitedAlready(email, pendingId);
  await requireGift(tx, call, invitation.groups);
  await rules.countMailTo(tx, caller.siteId, accountId);
  const secret = newSecret();
  const { siteId, userId: by } = caller;
  await store.renewLink(tx, { siteId, id: params.id, by, tokenHash: secret.hash });
  const person = await store.getPerson(tx, accountId);
  await mailInvitation(tx, call, person, secret.plain, invitation.duration);
  record({
    action: 'invitation.resend',
    subject: ['invitation', params.id],
    changes: {
      ...(status === 'expired' && { status: ['expired', 'pending'] }),
      ...(invitation.invitedBy !== caller.userId && { invitedBy: [invitation.invitedBy, caller.userId] }),
    },
  });
}

/** The groups of an invitation that are still there are given anew by whoever lets it go on. */
export async function requireGift(
  tx: Tx,
  { caller }: Pick<Call, 'caller'>,
  groups: readonly number[],
): Promise<void> {
  const present = await lockGroups(tx, caller.siteId, groups);
  await rules.checkInvitationGroups(tx, caller, [...present.keys()]);
}

async function mailInvitation(
  tx: Tx,
  { caller, services }: Pick<Call, 'caller' | 'services'>,
  person: store.Person,
  token: string,
  days: number | null,
): Promise<void> {
  const site = await getSite(tx, caller.siteId);
  const inviter = await store.getPerson(tx, caller.userId);
  const mail = invitationMail({
    firstName: person.firstName,
    siteName: site.name,
    inviter: `${inviter.firstName} ${inviter.lastName}`,
    days,
    link: `${services.publicUrl}/invitation#${token}`,
    linkDays: LINK_DAYS,
  });
  await queueMail(tx, { siteId: caller.siteId, to: person.email, hours: 24 * LINK_DAYS, ...mail });
}

import { durationFault, TEMPORARY } from '../../../contract/rules/invitations.ts';
import { countLinkCall } from '../../kernel/auth/throttle.store.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import { conflict, invalid, notFound, forbidden } from '../../kernel/http/errors.ts';
import { done, ok, type Handlers, type Call } from '../../kernel/http/handler.ts';
import { pageOf } from '../../kernel/http/page.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { getSite, type Site } from '../sites/index.ts';
import { accept, gone } from './accept.ts';
import { invite, resend, requireGift } from './invite.ts';
import { findInvitees, type Invitee } from './invitees.store.ts';
import {
  contactFaults,
  countChecked,
  countInvitation,
  shownInvitation,
  tooLate,
  isAddress,
} from './rules.ts';
import * as store from './store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { lockUser, requireAuthorityOver, usersChanged, memberAdded } from '../members/index.ts';
import { extendMember, insertMember } from './members.store.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { addedMail } from '../../kernel/mail/messages.ts';
import { queueMail } from '../../kernel/mail/store.ts';
import { isOfDomain } from './domain.ts';
import * as rules from './rules.ts';
import type { InviteeCheck } from '../../../contract/generated/types.gen.ts';
import type { Caller } from '../../kernel/auth/caller.ts';

async function addExistingUser(call: Add): Promise<typeof done> {
  const { db, caller, body } = call;
  const faults = contactFaults(body);
  if (faults.length > 0) throw invalid(faults);
  const site = await getSite(db, caller.siteId);
  requireEligible(site, body.email);
  await countInvitation(db, caller);
  await change(db, actorOf(call), (tx, record) => addExisting(tx, call, site, record), { alone: true });
  call.services.wakeMail();
  return done;
}

type Operations =
  | 'inviteExistingUser'
  | 'addExistingUser'
  | 'addExistingUserAlias'
  | 'listInvitations'
  | 'checkInvitees'
  | 'resendInvitation'
  | 'revokeInvitation'
  | 'extendInvitation'
  | 'inspectInvitation'
  | 'acceptInvitation';

export const invitationHandlers: Handlers<Operations> = {
  async inviteExistingUser(call) {
    const { db, caller, body } = call;
    const fault = durationFault(body.type, body.duration);
    const faults = [
      ...(fault === undefined ? [] : [{ path: 'duration', message: fault }]),
      ...contactFaults(body),
    ];
    if (faults.length > 0) throw invalid(faults);
    await countInvitation(db, caller);
    await change(db, actorOf(call), (tx, record) => invite(tx, call, record));
    call.services.wakeMail();
    return ok(undefined);
  },

  addExistingUser,
  addExistingUserAlias: addExistingUser,

  async listInvitations({ db, caller, query }) {
    const found = await store.listInvitations(db, caller.siteId, query.status, pageOf(query));
    return ok(found.map(shownInvitation));
  },

  async checkInvitees({ db, caller, body }) {
    await countChecked(db, caller, body.emails.length);
    const site = await getSite(db, caller.siteId);
    const known = await findInvitees(db, caller.siteId, readable(body.emails));
    return ok(checkAll(body.emails, known, { site, caller }));
  },

  async resendInvitation(call) {
    await countInvitation(call.db, call.caller);
    await change(call.db, actorOf(call), (tx, record) => resend(tx, call, record));
    call.services.wakeMail();
    return done;
  },

  async revokeInvitation(call) {
    const { siteId } = call.caller;
    const { id } = call.params;
    await change(call.db, actorOf(call), async (tx, record) => {
      const invitation = await store.lockInvitation(tx, siteId, id);
      if (!invitation) throw notFound(`Invitation ${id}`);
      if (!(await store.revoke(tx, siteId, id)))
        throw conflict(`Invitation ${id} is ${invitation.status}: only a pending one can be revoked`);
      record({
        action: 'invitation.revoke',
        subject: ['invitation', id],
        changes: { status: ['pending', 'revoked'] },
      });
    });
    return done;
  },

  async extendInvitation(call) {
    const extended = await change(call.db, actorOf(call), (tx, record) => extend(tx, call, record));
    return ok(shownInvitation(extended));
  },

  async inspectInvitation({ db, body, origin }) {
    await countLinkCall(db, origin.ip, 'tried');
    const received = await store.findReceived(db, hashSecret(body.token));
    if (!received) throw gone();
    const site = await getSite(db, received.siteId);
    return ok({
      email: received.email,
      siteName: site.name,
      type: received.type,
      duration: received.duration,
      invitedByName: received.inviter?.name ?? null,
      expiresDate: received.expiresDate.toISOString(),
    });
  },

  async acceptInvitation({ db, body, origin, services }) {
    await countLinkCall(db, origin.ip, 'tried');
    const received = await store.findReceived(db, hashSecret(body.token));
    if (!received) throw gone();
    const { siteId, userId, email } = received;
    const accepted = await change(
      db,
      { siteId, userId, email, origin },
      (tx, record) => accept(tx, received, body.token, record),
      { alone: true },
    );
    services.wakeMail();
    return ok(accepted);
  },
};

type Extend = Call<'extendInvitation'>;

/**
 * Gives a pending invitation, or the temporary membership of an accepted one, more days. A membership that has ended is
 * opened again, its days counted from now.
 * @throws ApiError 400 beyond ten years, 403 beyond the caller, 404, 409 where there is no end to move
 */
async function extend(tx: Tx, call: Extend, record: Recorder): Promise<store.StoredInvitation> {
  const { siteId } = call.caller;
  const { id } = call.params;
  const before = await store.lockInvitation(tx, siteId, id);
  if (!before) throw notFound(`Invitation ${id}`);
  if (before.status === 'pending') await extendPending(tx, call, before);
  else if (before.status === 'accepted') await extendAccepted(tx, call, before, record);
  else
    throw conflict(
      `Invitation ${id} ${before.status === 'expired' ? 'has expired: send it again' : 'was revoked: invite the person anew'}`,
    );
  const after = await store.getInvitation(tx, siteId, id);
  if (!after) throw new Error('An invitation that is held does not go away');
  record({ action: 'invitation.extend', subject: ['invitation', id], changes: ends(before, after) });
  return after;
}

const ends = (before: store.StoredInvitation, after: store.StoredInvitation) =>
  before.status === 'pending'
    ? { expiresDate: [before.expiresDate, after.expiresDate] }
    : { membershipExpiresDate: [before.membershipExpiresDate, after.membershipExpiresDate] };

async function extendPending(tx: Tx, call: Extend, { id, groups }: store.StoredInvitation): Promise<void> {
  await requireGift(tx, call, groups);
  if (!(await store.extendLink(tx, call.caller.siteId, id, call.body.days))) throw tooLate();
}

async function extendAccepted(
  tx: Tx,
  call: Extend,
  invitation: store.StoredInvitation,
  record: Recorder,
): Promise<void> {
  const { caller } = call;
  const { id, email, accountId } = invitation;
  const member = invitation.isMember ? await lockUser(tx, caller.siteId, accountId) : undefined;
  if (!member) throw conflict(`${email} is no user of this site any more: invite the person anew`);
  if (invitation.type !== TEMPORARY || invitation.membershipExpiresDate === null)
    throw conflict(`The membership of ${email} has no end`);
  // Time is given by others: a helper for a month must not make it ten years.
  if (accountId === caller.userId)
    throw forbidden('Nobody gives themselves more time: ask another administrator');
  await requireAuthorityOver(tx, caller, accountId, 'Giving this user more time');
  if (!(await extendMember(tx, caller.siteId, id, call.body.days))) throw tooLate();
  await usersChanged(tx, caller, [member], 'membership.reopen', record);
}

/** Both paths of the operation (spec 4.2 rule 2). */
type Add = Pick<Call<'addExistingUser'>, 'db' | 'caller' | 'body' | 'origin' | 'services'>;

/**
 * Whether this site may add the address at all: answered from the address alone, before anybody looks whether somebody
 * has it, so that a refusal tells nothing about people of other sites (T12).
 * @throws ApiError 403 for a site that may not (spec 5.6), 400 for an address beyond its dedicated domain (spec 4.2 rule 2)
 */
function requireEligible(site: Site, email: string): void {
  if (!site.mayManageExistingUsers)
    throw forbidden('This site may not manage existing users. Invite the person instead.');
  if (isOfDomain(email, site.dedicatedDomain)) return;
  const why =
    site.dedicatedDomain === null
      ? 'cannot be added: this site has no dedicated domain'
      : `is not of ${site.dedicatedDomain}, the dedicated domain of this site`;
  throw invalid([{ path: 'email', message: `${why}. Invite the person instead` }]);
}

/**
 * Adds somebody with an account without their confirmation; an invitation that waits is revoked by it.
 * @throws ApiError 400, 403, 404, 409 and 429 as the contract lists them
 */
async function addExisting(tx: Tx, call: Add, site: Site, record: Recorder): Promise<void> {
  const { caller, body } = call;
  const { siteId } = caller;
  const { email, key } = normaliseEmail(body.email);
  const person = await store.lockPerson(tx, key);
  const groupIds = [...new Set(body.groups)];
  const faults = [
    ...(await rules.checkInvitationGroups(tx, caller, groupIds)),
    ...(await rules.mappedContactFaults(tx, siteId, body.mappedContactId)),
  ];
  if (faults.length > 0) throw invalid(faults);
  if (!person) throw rules.nobodyHas(email);
  const { userId } = person;
  const { isActive, pendingId } = await store.standingOf(tx, siteId, userId);
  const member =
    isActive === null &&
    (await insertMember(tx, {
      siteId,
      userId,
      userEntryId: body.mappedContactId ?? null,
      by: caller.userId,
      invitationId: null,
      duration: null,
    }));
  if (!member) throw rules.memberAlready(email, { userId, isActive: isActive ?? true });
  if (pendingId !== null && (await store.revoke(tx, siteId, pendingId)))
    record({
      action: 'invitation.revoke',
      subject: ['invitation', pendingId],
      changes: { status: ['pending', 'revoked'] },
    });
  await memberAdded(tx, siteId, { userId, groupIds }, 'user.add-existing', record);
  await rules.countMailTo(tx, siteId, userId);
  const by = await store.getPerson(tx, caller.userId);
  const mail = addedMail({
    firstName: person.firstName,
    siteName: site.name,
    by: `${by.firstName} ${by.lastName}`,
    link: call.services.publicUrl,
  });
  await queueMail(tx, { siteId, to: person.email, hours: 24, ...mail });
}

/** The addresses of a list that are read: those that are none, and repeated ones, are answered without a look. */
const readable = (emails: readonly string[]): string[] => [
  ...new Set(emails.filter((email) => isAddress(email.trim())).map((email) => normaliseEmail(email).key)),
];

/** What can be done with each address, in their order. */
function checkAll(
  emails: readonly string[],
  known: ReadonlyMap<string, Invitee>,
  around: { site: Site; caller: Caller },
): InviteeCheck[] {
  const first = new Map<string, number>();
  return emails.map((email, index) => {
    if (!isAddress(email.trim())) return told(email, 'not-an-address', 'Is not an e-mail address.');
    const { key } = normaliseEmail(email);
    const earlier = first.get(key);
    if (earlier !== undefined)
      return told(email, 'repeated', `Stands in the list already, at place ${earlier + 1}.`);
    first.set(key, index);
    return checkOne(email, key, known.get(key), around);
  });
}

const told = (
  email: string,
  outcome: InviteeCheck['outcome'],
  message: string,
  ids: Pick<InviteeCheck, 'userId' | 'invitationId'> = {},
): InviteeCheck => ({ email, outcome, message, userId: null, invitationId: null, ...ids });

function checkOne(
  email: string,
  key: string,
  invitee: Invitee | undefined,
  around: { site: Site; caller: Caller },
): InviteeCheck {
  if (invitee && invitee.isActive !== null) {
    const message = `Is a user of this site already${invitee.isActive ? '' : ', not an active one'}.`;
    return told(email, 'member', message, { userId: invitee.userId });
  }
  const mayInvite = around.caller.capabilities.has('Manage Users');
  if (mayInvite && invitee && invitee.pendingId !== null)
    return told(email, 'invited', 'Is invited already: send the invitation again, or revoke it.', {
      invitationId: invitee.pendingId,
    });
  const obstacle = obstacleToAdding(key, around);
  // Who may not invite learns of no address that they could not add, not even whether somebody has it (T12).
  if (!mayInvite && obstacle !== undefined) return told(email, 'unknown', `Cannot be added: ${obstacle}.`);
  if (!invitee) return told(email, 'unknown', 'Nobody on this platform has this address.');
  if (obstacle !== undefined)
    return told(
      email,
      'invitable',
      `Has a user on this platform and can be invited, not added without confirmation: ${obstacle}.`,
    );
  const ways = mayInvite
    ? 'can be added without confirmation, or invited'
    : 'can be added without confirmation';
  return told(email, 'addable', `Has a user on this platform and ${ways}.`);
}

/** Why an address cannot be added without confirmation (spec 4.2 rule 2), whoever has it; undefined when it can. */
function obstacleToAdding(key: string, { site, caller }: { site: Site; caller: Caller }): string | undefined {
  if (!caller.capabilities.has('Manage Existing Users'))
    return 'that needs the capability Manage Existing Users';
  if (!site.mayManageExistingUsers) return 'this site may not manage existing users';
  if (site.dedicatedDomain === null) return 'this site has no dedicated domain';
  if (!isOfDomain(key, site.dedicatedDomain))
    return `not of ${site.dedicatedDomain}, the dedicated domain of this site`;
  return undefined;
}

import type { InviteeCheck } from '../../../contract/generated/types.gen.ts';
import { validateDuration, TEMPORARY } from '../../../contract/rules/invitations.ts';
import { conflict, badRequest, notFound, forbidden } from '../../kernel/api-error.ts';
import { getActor, change, type Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { consumeLinkRateLimit } from '../../kernel/auth/throttle.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { noContent, ok, type Handlers, type Call } from '../../kernel/http/handler.ts';
import { parsePage } from '../../kernel/http/parameters.ts';
import { queueMail } from '../../kernel/mail/mail.store.ts';
import { composeMemberAddedMail } from '../../kernel/mail/messages.ts';
import { hashSecret } from '../../kernel/secret.ts';
import { lockUser, requireAuthorityOver, recordUserChanges, recordNewMember } from '../members/index.ts';
import { getSite, type Site } from '../sites/index.ts';
import { acceptInvitation, invitationNotFound } from './accept.ts';
import { isInDomain } from './domain.ts';
import * as store from './invitations.store.ts';
import { createInvitation, resendInvitation, requireGrantableGroups } from './invite.ts';
import { extendMembership, insertMembership } from './memberships.store.ts';
import {
  alreadyMember,
  checkAutoContact,
  checkInvitationGroups,
  checkMappedContact,
  endTooLate,
  isEmailAddress,
  throttleAddressChecks,
  throttleInvitations,
  throttleMailsToPerson,
  toInvitationInfo,
  unknownAddress,
} from './rules.ts';

async function addExistingUser(call: AddCall): Promise<typeof noContent> {
  const { db, caller, body } = call;
  const errors = checkAutoContact(body);
  if (errors.length > 0) throw badRequest(errors);
  const site = await getSite(db, caller.siteId);
  requireEligible(site, body.email);
  await throttleInvitations(db, caller);
  await change(db, getActor(call), (tx, record) => addExistingMember(tx, call, site, record), {
    lockSite: true,
  });
  call.services.wakeMailWorker();
  return noContent;
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
    const durationError = validateDuration(body.type, body.duration);
    const errors = [
      ...(durationError === undefined ? [] : [{ path: 'duration', message: durationError }]),
      ...checkAutoContact(body),
    ];
    if (errors.length > 0) throw badRequest(errors);
    await throttleInvitations(db, caller);
    await change(db, getActor(call), (tx, record) => createInvitation(tx, call, record));
    call.services.wakeMailWorker();
    return ok(undefined);
  },

  addExistingUser,
  addExistingUserAlias: addExistingUser,

  async listInvitations({ db, caller, query }) {
    const found = await store.listInvitations(db, caller.siteId, query.status, parsePage(query));
    return ok(found.map(toInvitationInfo));
  },

  async checkInvitees({ db, caller, body }) {
    await throttleAddressChecks(db, caller, body.emails.length);
    const site = await getSite(db, caller.siteId);
    const invitees = await store.findInvitees(db, caller.siteId, normalizeAddresses(body.emails));
    return ok(checkAddresses(body.emails, invitees, { site, caller }));
  },

  async resendInvitation(call) {
    await throttleInvitations(call.db, call.caller);
    await change(call.db, getActor(call), (tx, record) => resendInvitation(tx, call, record));
    call.services.wakeMailWorker();
    return noContent;
  },

  async revokeInvitation(call) {
    const { siteId } = call.caller;
    const { id } = call.params;
    await change(call.db, getActor(call), async (tx, record) => {
      const invitation = await store.lockInvitation(tx, siteId, id);
      if (!invitation) throw notFound(`Invitation ${id}`);
      if (!(await store.revokeInvitation(tx, siteId, id)))
        throw conflict(`Invitation ${id} is ${invitation.status}: only pending invitations can be revoked`);
      record({
        action: 'invitation.revoke',
        subject: ['invitation', id],
        changes: { status: ['pending', 'revoked'] },
      });
    });
    return noContent;
  },

  async extendInvitation(call) {
    const extended = await change(call.db, getActor(call), (tx, record) =>
      extendInvitation(tx, call, record),
    );
    return ok(toInvitationInfo(extended));
  },

  async inspectInvitation({ db, body, origin }) {
    await consumeLinkRateLimit(db, origin.ip, 'opened');
    const pending = await store.findPendingInvitation(db, hashSecret(body.token));
    if (!pending) throw invitationNotFound();
    const site = await getSite(db, pending.siteId);
    return ok({
      email: pending.email,
      siteName: site.name,
      type: pending.type,
      duration: pending.duration,
      invitedByName: pending.inviter?.name ?? null,
      expiresDate: pending.expiresDate.toISOString(),
    });
  },

  async acceptInvitation({ db, body, origin, services }) {
    await consumeLinkRateLimit(db, origin.ip, 'opened');
    const pending = await store.findPendingInvitation(db, hashSecret(body.token));
    if (!pending) throw invitationNotFound();
    const { siteId, userId, email } = pending;
    const accepted = await change(
      db,
      { siteId, userId, email, origin },
      (tx, record) => acceptInvitation(tx, pending, body.token, record),
      { lockSite: true },
    );
    services.wakeMailWorker();
    return ok(accepted);
  },
};

type ExtendCall = Call<'extendInvitation'>;

/**
 * Extends a pending invitation, or the temporary membership that came from an accepted one. A membership that has ended
 * is reopened and its days count from now.
 * @throws ApiError 400 beyond ten years, 403 without authority over the user, 404, 409 if there is no end date to move
 */
async function extendInvitation(tx: Tx, call: ExtendCall, record: Recorder): Promise<store.StoredInvitation> {
  const { siteId } = call.caller;
  const { id } = call.params;
  const before = await store.lockInvitation(tx, siteId, id);
  if (!before) throw notFound(`Invitation ${id}`);
  if (before.status === 'pending') await extendPending(tx, call, before);
  else if (before.status === 'accepted') await extendAccepted(tx, call, before, record);
  else
    throw conflict(
      `Invitation ${id} ${before.status === 'expired' ? 'has expired: send it again' : 'was revoked: invite the user again'}`,
    );
  const after = await store.getInvitation(tx, siteId, id);
  if (!after) throw new Error('A locked invitation has disappeared');
  record({
    action: 'invitation.extend',
    subject: ['invitation', id],
    changes: buildEndChange(before, after),
  });
  return after;
}

const buildEndChange = (before: store.StoredInvitation, after: store.StoredInvitation) =>
  before.status === 'pending'
    ? { expiresDate: [before.expiresDate, after.expiresDate] }
    : { membershipExpiresDate: [before.membershipExpiresDate, after.membershipExpiresDate] };

async function extendPending(
  tx: Tx,
  call: ExtendCall,
  { id, groups }: store.StoredInvitation,
): Promise<void> {
  await requireGrantableGroups(tx, call, groups);
  if (!(await store.extendLink(tx, call.caller.siteId, id, call.body.days))) throw endTooLate();
}

async function extendAccepted(
  tx: Tx,
  call: ExtendCall,
  invitation: store.StoredInvitation,
  record: Recorder,
): Promise<void> {
  const { caller } = call;
  const { id, email, accountId } = invitation;
  const member = invitation.isMember ? await lockUser(tx, caller.siteId, accountId) : undefined;
  if (!member) throw conflict(`${email} is no longer a user of this site: invite the user again`);
  if (invitation.type !== TEMPORARY || invitation.membershipExpiresDate === null)
    throw conflict(`The membership of ${email} has no end date`);
  // Otherwise a temporary member could extend their own membership without limit.
  if (accountId === caller.userId)
    throw forbidden('You cannot extend your own membership. Ask another administrator.');
  await requireAuthorityOver(tx, caller, accountId, 'Extending this membership');
  if (!(await extendMembership(tx, caller.siteId, id, call.body.days))) throw endTooLate();
  await recordUserChanges(tx, caller, [member], 'membership.reopen', record);
}

/** Call of either path of the operation (spec 4.2 rule 2). */
type AddCall = Pick<Call<'addExistingUser'>, 'db' | 'caller' | 'body' | 'origin' | 'services'>;

/**
 * Checks from the address alone whether this site may add the user, before looking up whether an account exists, so
 * that a rejection reveals nothing about users of other sites (T12).
 * @throws ApiError 403 if the site may not manage existing users (spec 5.6), 400 for an address outside its dedicated
 * domain (spec 4.2 rule 2)
 */
function requireEligible(site: Site, email: string): void {
  if (!site.mayManageExistingUsers)
    throw forbidden('This site may not manage existing users. Invite the person instead.');
  if (isInDomain(email, site.dedicatedDomain)) return;
  const reason =
    site.dedicatedDomain === null
      ? 'cannot be added: this site has no dedicated domain'
      : `does not belong to ${site.dedicatedDomain}, the dedicated domain of this site`;
  throw badRequest([{ path: 'email', message: `${reason}. Invite the person instead` }]);
}

/**
 * Adds a user without their confirmation and revokes a pending invitation of the user.
 * @throws ApiError 400, 403, 404, 409 and 429 as listed in the contract
 */
async function addExistingMember(tx: Tx, call: AddCall, site: Site, record: Recorder): Promise<void> {
  const { caller, body } = call;
  const { siteId } = caller;
  const { email, key } = normalizeEmail(body.email);
  const account = await store.lockAccountByEmail(tx, key);
  const groupIds = [...new Set(body.groups)];
  const errors = [
    ...(await checkInvitationGroups(tx, caller, groupIds)),
    ...(await checkMappedContact(tx, siteId, body.mappedContactId)),
  ];
  if (errors.length > 0) throw badRequest(errors);
  if (!account) throw unknownAddress(email);
  const { userId } = account;
  const { isActive, pendingId } = await store.getMembershipState(tx, siteId, userId);
  const member =
    isActive === null &&
    (await insertMembership(tx, {
      siteId,
      userId,
      userEntryId: body.mappedContactId ?? null,
      by: caller.userId,
      invitationId: null,
      duration: null,
    }));
  if (!member) throw alreadyMember(email, { userId, isActive: isActive ?? true });
  if (pendingId !== null && (await store.revokeInvitation(tx, siteId, pendingId)))
    record({
      action: 'invitation.revoke',
      subject: ['invitation', pendingId],
      changes: { status: ['pending', 'revoked'] },
    });
  await recordNewMember(tx, siteId, { userId, groupIds }, 'user.add-existing', record);
  await throttleMailsToPerson(tx, siteId, userId);
  const actor = await store.getAccount(tx, caller.userId);
  const mail = composeMemberAddedMail({
    firstName: account.firstName,
    siteName: site.name,
    addedBy: `${actor.firstName} ${actor.lastName}`,
    link: call.services.publicUrl,
  });
  await queueMail(tx, { siteId, to: account.email, ttlHours: 24, ...mail });
}

/** The distinct valid addresses of a list, in normalized form; the others are answered without a lookup. */
const normalizeAddresses = (emails: readonly string[]): string[] => [
  ...new Set(
    emails.filter((email) => isEmailAddress(email.trim())).map((email) => normalizeEmail(email).key),
  ),
];

/** The possible action for each address, in the order of the list. */
function checkAddresses(
  emails: readonly string[],
  invitees: ReadonlyMap<string, store.Invitee>,
  context: { site: Site; caller: Caller },
): InviteeCheck[] {
  const firstIndexes = new Map<string, number>();
  return emails.map((email, index) => {
    if (!isEmailAddress(email.trim()))
      return buildCheck(email, 'not-an-address', 'Is not an e-mail address.');
    const { key } = normalizeEmail(email);
    const firstIndex = firstIndexes.get(key);
    if (firstIndex !== undefined)
      return buildCheck(email, 'repeated', `Already in the list at position ${firstIndex + 1}.`);
    firstIndexes.set(key, index);
    return checkAddress(email, key, invitees.get(key), context);
  });
}

const buildCheck = (
  email: string,
  outcome: InviteeCheck['outcome'],
  message: string,
  ids: Pick<InviteeCheck, 'userId' | 'invitationId'> = {},
): InviteeCheck => ({ email, outcome, message, userId: null, invitationId: null, ...ids });

function checkAddress(
  email: string,
  key: string,
  invitee: store.Invitee | undefined,
  context: { site: Site; caller: Caller },
): InviteeCheck {
  if (invitee && invitee.isActive !== null) {
    const message = `Already a user of this site${invitee.isActive ? '' : ', but inactive'}.`;
    return buildCheck(email, 'member', message, { userId: invitee.userId });
  }
  const mayInvite = context.caller.capabilities.has('Manage Users');
  if (mayInvite && invitee && invitee.pendingId !== null)
    return buildCheck(email, 'invited', 'Already invited: send the invitation again or revoke it.', {
      invitationId: invitee.pendingId,
    });
  const obstacle = findObstacle(key, context);
  // Callers who cannot invite must not learn whether an account exists for an address that they cannot add (T12).
  if (!mayInvite && obstacle !== undefined)
    return buildCheck(email, 'unknown', `Cannot be added: ${obstacle}.`);
  if (!invitee) return buildCheck(email, 'unknown', 'Nobody on this platform has this address.');
  if (obstacle !== undefined)
    return buildCheck(
      email,
      'invitable',
      `Has an account on this platform and can be invited, but not added without confirmation: ${obstacle}.`,
    );
  const options = mayInvite
    ? 'can be added without confirmation, or invited'
    : 'can be added without confirmation';
  return buildCheck(email, 'addable', `Has an account on this platform and ${options}.`);
}

/**
 * The reason why the address cannot be added without confirmation (spec 4.2 rule 2), regardless of who has it;
 * undefined if it can.
 */
function findObstacle(key: string, { site, caller }: { site: Site; caller: Caller }): string | undefined {
  if (!caller.capabilities.has('Manage Existing Users'))
    return 'it requires the capability Manage Existing Users';
  if (!site.mayManageExistingUsers) return 'this site may not manage existing users';
  if (site.dedicatedDomain === null) return 'this site has no dedicated domain';
  if (!isInDomain(key, site.dedicatedDomain))
    return `the address does not belong to ${site.dedicatedDomain}, the dedicated domain of this site`;
  return undefined;
}

import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { InvitationInfoResponse } from '../../../contract/generated/types.gen.ts';
import { MAX_INVITATIONS_PER_HOUR, MAX_DURATION_DAYS } from '../../../contract/rules/people/invitations.ts';
import { ApiError, badRequest, forbidden, notFound, type FieldError } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import { getAuthor, type Caller } from '../../kernel/auth/caller.ts';
import { consumeRateLimit } from '../../kernel/auth/throttle.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { lockReferencedEntries } from '../entries/index.ts';
import { checkGroups } from '../members/index.ts';
import { findOrCreateContact } from '../relationship-intelligence/index.ts';
import type { Site } from '../sites/index.ts';
import { isInDomain } from './domain.ts';
import type { StoredInvitation } from './invitations.store.ts';

/** A refusal with the reason in words that name neither the address nor an id, so that equal reasons of a job's items are counted together. */
export class InvitationRefusal extends ApiError {
  readonly reason: string;

  constructor(error: ApiError, reason: string) {
    super(error.status, error.message, error.fields, error.headers, error.extra);
    this.reason = reason;
  }
}

const conflict = (message: string, reason: string, fields: readonly FieldError[] = []): InvitationRefusal =>
  new InvitationRefusal(new ApiError(409, message, fields), reason);

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const MAX_MAILS_PER_PERSON_PER_DAY = 5;
const MAX_CHECKS_PER_HOUR = 10_000;

/**
 * Limits the invitations per administrator, and with them the addresses that an administrator can probe (T12, T13).
 * @throws ApiError 429
 */
export const throttleInvitations = (db: Db, { siteId, userId }: Caller, invitations = 1): Promise<void> =>
  consumeRateLimit(
    db,
    `invite:${siteId}:${userId}`,
    { maxCount: MAX_INVITATIONS_PER_HOUR, windowSeconds: HOUR_SECONDS },
    `You have sent ${MAX_INVITATIONS_PER_HOUR} invitations within an hour. Try again later.`,
    invitations,
  );

/** Limits the addresses that an administrator can check. @throws ApiError 429 */
export const throttleAddressChecks = (db: Db, { siteId, userId }: Caller, addresses: number): Promise<void> =>
  consumeRateLimit(
    db,
    `invitees:${siteId}:${userId}`,
    { maxCount: MAX_CHECKS_PER_HOUR, windowSeconds: HOUR_SECONDS },
    `You have checked ${MAX_CHECKS_PER_HOUR} addresses within an hour. Try again later.`,
    addresses,
  );

/**
 * Limits the invitation mails of one site to one person, resent ones and additions included: enough to correct a
 * mistake, too few to flood a mailbox (T13). Counted in the transaction, so that only sent mails count.
 * @throws ApiError 429
 */
export const throttleMailsToPerson = (tx: Tx, siteId: number, userId: number): Promise<void> =>
  consumeRateLimit(
    tx,
    `invited:${siteId}:${userId}`,
    { maxCount: MAX_MAILS_PER_PERSON_PER_DAY, windowSeconds: DAY_SECONDS },
    `This person was invited or added ${MAX_MAILS_PER_PERSON_PER_DAY} times within 24 hours. Try again later.`,
  );

/** Whether the text is valid for `format: email` of the contract. */
export function isEmailAddress(text: string): boolean {
  const { email } = fullFormats;
  return email instanceof RegExp && email.test(text) && text.length <= 254;
}

/**
 * Errors of the groups of an invitation: each must exist and be grantable by the caller, also when the invitation is
 * sent again or extended (T05).
 */
export const checkInvitationGroups = (
  tx: Tx,
  caller: Caller,
  groups: readonly number[],
): Promise<FieldError[]> => checkGroups(tx, caller, groups, (index) => `groups.${index}`);

/** The contact of an invitation. */
interface ContactTerms {
  autoCreateOrLinkContact?: boolean;
  mappedContactId?: number | null;
}

/** Whether contacts can be created or found: requires an entry type in the settings of Relationship Intelligence. */
export const checkAutoContact = (info: ContactTerms, isAvailable: boolean): FieldError[] =>
  info.autoCreateOrLinkContact === true && !isAvailable && !info.mappedContactId
    ? [
        {
          path: 'autoCreateOrLinkContact',
          message: 'is not available on this site: specify mappedContactId, or omit it',
        },
      ]
    : [];

/**
 * The contact of a member: the given one, or with `autoCreateOrLinkContact` the one of the person, which is created if there is none
 * (spec 4.2).
 */
export async function resolveContact(
  tx: Tx,
  { caller, body }: { caller: Caller; body: ContactTerms },
  person: { email: string; firstName: string; lastName: string },
  record: Recorder,
): Promise<number | null> {
  const { mappedContactId = null, autoCreateOrLinkContact = false } = body;
  if (mappedContactId !== null || !autoCreateOrLinkContact) return mappedContactId;
  const { email, firstName, lastName } = person;
  const author = {
    siteId: caller.siteId,
    userId: getAuthor(caller).userId,
    proxyId: caller.acting ? caller.userId : null,
  };
  return (await findOrCreateContact(tx, author, { email, name: `${firstName} ${lastName}` }, record)) ?? null;
}

/**
 * Error for a contact that does not exist on this site. An existing one is protected from deletion until the
 * transaction ends.
 */
export async function checkMappedContact(
  tx: Tx,
  siteId: number,
  entryId: number | null | undefined,
): Promise<FieldError[]> {
  if (
    entryId === null ||
    entryId === undefined ||
    (await lockReferencedEntries(tx, siteId, [entryId])).has(entryId)
  )
    return [];
  return [{ path: 'mappedContactId', message: `entry ${entryId} does not exist on this site` }];
}

export function endTooLate(): InvitationRefusal {
  const message = `would move the end to more than ${MAX_DURATION_DAYS} days from now`;
  return new InvitationRefusal(badRequest([{ path: 'days', message }]), `That ${message}`);
}

/** 404 for an invitation that does not exist on this site. */
export const unknownInvitation = (id: number): InvitationRefusal =>
  new InvitationRefusal(notFound(`Invitation ${id}`), 'This invitation no longer exists');

/** Why an invitation that is not pending cannot be changed, in words. */
const REASONS = {
  resend: { accepted: 'Already accepted', revoked: 'Revoked; invite them again' },
  revoke: {
    accepted: 'Already accepted; remove the user from the site instead',
    revoked: 'Already revoked',
    expired: 'The link has already expired',
  },
  delete: {
    pending: 'Still pending; revoke it first',
    lasting: 'Its temporary membership still lasts',
  },
  extend: {
    revoked: 'Revoked; invite them again',
    expired: 'The link has expired; send it again',
  },
} as const;

/** 409 for sending an accepted or revoked invitation again. */
export const notResendable = (id: number, status: keyof typeof REASONS.resend): InvitationRefusal =>
  conflict(
    `Invitation ${id} was ${status} and cannot be sent again. Invite the user again.`,
    REASONS.resend[status],
  );

/** 409 for revoking an invitation that is not pending. */
export const notRevocable = (id: number, status: keyof typeof REASONS.revoke): InvitationRefusal =>
  conflict(`Invitation ${id} is ${status}: only pending invitations can be revoked`, REASONS.revoke[status]);

/** 409 for deleting a record that is still needed. */
export const notDeletable = (id: number, state: keyof typeof REASONS.delete): InvitationRefusal =>
  conflict(
    `Invitation ${id} ${state === 'pending' ? 'is pending: revoke it first' : 'gave a temporary membership that still lasts'}`,
    REASONS.delete[state],
  );

/** 409 for extending an expired or revoked invitation. */
export const notExtendable = (id: number, status: keyof typeof REASONS.extend): InvitationRefusal =>
  conflict(
    `Invitation ${id} ${status === 'expired' ? 'has expired: send it again' : 'was revoked: invite the user again'}`,
    REASONS.extend[status],
  );

/** 409 for extending the membership of a user who has left the site. */
export const noLongerMember = (email: string): InvitationRefusal =>
  conflict(
    `${email} is no longer a user of this site: invite the user again`,
    'No longer a user of this site; invite them again',
  );

/** 409 for extending a membership without end. */
export const withoutEnd = (email: string): InvitationRefusal =>
  conflict(`The membership of ${email} has no end date`, 'A permanent membership does not end');

/** 404 for an address without account; names the remaining way to add a user (shapes 2). */
export const unknownAddress = (email: string): InvitationRefusal =>
  new InvitationRefusal(
    new ApiError(
      404,
      `Nobody on this platform has the address ${email}. Create the user instead (POST /user).`,
      [{ path: 'email', message: 'is not known on this platform' }],
    ),
    'Nobody on this platform has this address; create a user instead',
  );

/** 409 for a user of this site, active or not. */
export function alreadyMember(
  email: string,
  member: { userId: number; isActive: boolean },
): InvitationRefusal {
  const message = `is already a user of this site (id ${member.userId})${member.isActive ? '' : ', but inactive: activate the user instead'}`;
  const reason = `Already a user of this site${member.isActive ? '' : ', but inactive; activate the user instead'}`;
  return conflict(`${email} ${message}`, reason, [{ path: 'email', message }]);
}

/** 409 for sending an invitation again to someone who has become a user of this site another way. */
export const joinedAlready = (email: string): InvitationRefusal =>
  conflict(`${email} is already a user of this site`, 'Already a user of this site');

/** 409 for a user with a pending invitation. */
export function alreadyInvited(email: string, invitationId: number): InvitationRefusal {
  const message = `is already invited (invitation ${invitationId}): send that invitation again, or revoke it first`;
  const reason = 'Is already invited; send that invitation again, or revoke it first';
  return conflict(`${email} ${message}`, reason, [{ path: 'email', message }]);
}

/**
 * Why this site may not add the user, from the address alone, so that a refusal reveals nothing about users of other
 * sites (T12): 403 if the site may not manage existing users (spec 5.6), 400 for an address outside its dedicated domain
 * (spec 4.2 rule 2). Undefined if it may.
 */
export function findIneligibility(site: Site, email: string): InvitationRefusal | undefined {
  if (!site.mayManageExistingUsers) {
    const message = 'This site may not manage existing users. Invite the person instead.';
    return new InvitationRefusal(forbidden(message), message);
  }
  if (isInDomain(email, site.dedicatedDomain)) return undefined;
  const message = `${
    site.dedicatedDomain === null
      ? 'cannot be added: this site has no dedicated domain'
      : `does not belong to ${site.dedicatedDomain}, the dedicated domain of this site`
  }. Invite the person instead`;
  return new InvitationRefusal(badRequest([{ path: 'email', message }]), `The address ${message}`);
}

/** An invitation as returned by the contract. */
export const toInvitationInfo = (stored: StoredInvitation): InvitationInfoResponse => ({
  id: stored.id,
  email: stored.email,
  type: stored.type,
  duration: stored.duration,
  groups: stored.groups,
  status: stored.status,
  invitedBy: stored.invitedBy,
  invitedByName: stored.invitedByName,
  createdDate: stored.createdDate.toISOString(),
  expiresDate: stored.expiresDate.toISOString(),
  acceptedDate: stored.acceptedDate?.toISOString() ?? null,
  revokedDate: stored.revokedDate?.toISOString() ?? null,
  // The account is disclosed to the site only after acceptance.
  userId: stored.acceptedDate ? stored.accountId : null,
  membershipExpiresDate: stored.membershipExpiresDate?.toISOString() ?? null,
});

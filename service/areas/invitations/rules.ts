import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { InvitationInfoResponse } from '../../../contract/generated/types.gen.ts';
import { MAX_INVITATIONS_PER_HOUR, MAX_DURATION_DAYS } from '../../../contract/rules/invitations.ts';
import { ApiError, conflict, badRequest, type FieldError } from '../../kernel/api-error.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { consumeRateLimit } from '../../kernel/auth/throttle.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { lockReferencedEntries } from '../entries/index.ts';
import { checkGroups } from '../members/index.ts';
import type { StoredInvitation } from './invitations.store.ts';

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;
const MAX_MAILS_PER_PERSON_PER_DAY = 5;
const MAX_CHECKS_PER_HOUR = 10_000;

/**
 * Limits the invitations per administrator, and with them the addresses that an administrator can probe (T12, T13).
 * @throws ApiError 429
 */
export const throttleInvitations = (db: Db, { siteId, userId }: Caller): Promise<void> =>
  consumeRateLimit(
    db,
    `invite:${siteId}:${userId}`,
    { maxCount: MAX_INVITATIONS_PER_HOUR, windowSeconds: HOUR_SECONDS },
    `You have sent ${MAX_INVITATIONS_PER_HOUR} invitations within an hour. Try again later.`,
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

/** This site cannot create or find contacts automatically. */
export const checkAutoContact = (info: { autoCreateOrLinkContact?: boolean }): FieldError[] =>
  info.autoCreateOrLinkContact === true
    ? [
        {
          path: 'autoCreateOrLinkContact',
          message: 'is not available on this site: specify mappedContactId, or omit it',
        },
      ]
    : [];

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

export const endTooLate = (): ApiError =>
  badRequest([
    { path: 'days', message: `would move the end to more than ${MAX_DURATION_DAYS} days from now` },
  ]);

/** 404 for an address without account; names the remaining way to add a user (shapes 2). */
export const unknownAddress = (email: string): ApiError =>
  new ApiError(
    404,
    `Nobody on this platform has the address ${email}. Create the user instead (POST /user).`,
    [{ path: 'email', message: 'is not known on this platform' }],
  );

/** 409 for a user of this site, active or not. */
export function alreadyMember(email: string, member: { userId: number; isActive: boolean }): ApiError {
  const message = `is already a user of this site (id ${member.userId})${member.isActive ? '' : ', but inactive: activate the user instead'}`;
  return conflict(`${email} ${message}`, [{ path: 'email', message }]);
}

/** 409 for a user with a pending invitation. */
export function alreadyInvited(email: string, invitationId: number): ApiError {
  const message = `is already invited (invitation ${invitationId}): send that invitation again, or revoke it first`;
  return conflict(`${email} ${message}`, [{ path: 'email', message }]);
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

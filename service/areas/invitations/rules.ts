import { fullFormats } from 'ajv-formats/dist/formats.js';
import type { InvitationInfoResponse } from '../../../contract/generated/types.gen.ts';
import { INVITATIONS_AN_HOUR, MOST_DAYS } from '../../../contract/rules/invitations.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { countOrRefuse } from '../../kernel/auth/throttle.store.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { ApiError, conflict, invalid, type FieldError } from '../../kernel/http/errors.ts';
import { holdReferred } from '../entries/index.ts';
import { checkGroups } from '../members/index.ts';
import type { StoredInvitation } from './store.ts';

const HOUR = 3600;
const DAY = 24 * HOUR;
const MAILS_TO_ONE = 5;
const CHECKED_AN_HOUR = 10_000;

/** Mail that an administrator can have sent, and addresses that they can find out about, have a limit (T12, T13). */
export const countInvitation = (db: Db, { siteId, userId }: Caller): Promise<void> =>
  countOrRefuse(
    db,
    `invite:${siteId}:${userId}`,
    { limit: INVITATIONS_AN_HOUR, seconds: HOUR },
    `You have sent ${INVITATIONS_AN_HOUR} invitations within an hour: the others have to wait`,
  );

/** Addresses that one administrator can find out about by having lists looked at; typing them one by one costs no more. */
export const countChecked = (db: Db, { siteId, userId }: Caller, addresses: number): Promise<void> =>
  countOrRefuse(
    db,
    `invitees:${siteId}:${userId}`,
    { limit: CHECKED_AN_HOUR, seconds: HOUR },
    `You have had ${CHECKED_AN_HOUR} addresses checked within an hour: the next ones have to wait`,
    addresses,
  );

/**
 * Mail that one person gets from one site by invitations, new ones, those sent again, and by being added: enough for
 * whoever corrects a mistake, too little to bury a mailbox (T13). Counted in the transaction: only what is sent counts.
 */
export const countMailTo = (tx: Tx, siteId: number, userId: number): Promise<void> =>
  countOrRefuse(
    tx,
    `invited:${siteId}:${userId}`,
    { limit: MAILS_TO_ONE, seconds: DAY },
    `This person was invited or added ${MAILS_TO_ONE} times within 24 hours: the next time has to wait`,
  );

/** An address as the contract's `format: email` has it. */
export function isAddress(text: string): boolean {
  const { email } = fullFormats;
  return email instanceof RegExp && email.test(text) && text.length <= 254;
}

/**
 * Faults of the groups that an invitation gives: they exist, and the caller may give them. Whoever sends it again or
 * lets it hold longer gives them anew (T05); groups that are gone since are given by nobody.
 */
export const checkInvitationGroups = (
  tx: Tx,
  caller: Caller,
  groups: readonly number[],
): Promise<FieldError[]> => checkGroups(tx, caller, groups, (index) => `groups.${index}`);

/** The site has nothing that could make or find a contact by itself. */
export const contactFaults = (info: { autoCreateOrLinkContact?: boolean }): FieldError[] =>
  info.autoCreateOrLinkContact === true
    ? [
        {
          path: 'autoCreateOrLinkContact',
          message: 'is not possible on this site: name the contact with mappedContactId, or leave it out',
        },
      ]
    : [];

/**
 * The fault of a contact that is none of this site; one that is there is kept from being deleted before the transaction
 * ends.
 */
export async function mappedContactFaults(
  tx: Tx,
  siteId: number,
  entryId: number | null | undefined,
): Promise<FieldError[]> {
  if (entryId === null || entryId === undefined || (await holdReferred(tx, siteId, [entryId])).has(entryId))
    return [];
  return [{ path: 'mappedContactId', message: `entry ${entryId} does not exist on this site` }];
}

export const tooLate = (): ApiError =>
  invalid([{ path: 'days', message: `would lead to an end more than ${MOST_DAYS} days from now` }]);

/** 404 for an address that nobody has; the third way in is named (shapes 2). */
export const nobodyHas = (email: string): ApiError =>
  new ApiError(
    404,
    `Nobody on this platform has the address ${email}. Create the user instead (POST /user).`,
    [{ path: 'email', message: 'is not known on this platform' }],
  );

/** 409 for somebody who is a user of this very site, active or not. */
export function memberAlready(email: string, member: { userId: number; isActive: boolean }): ApiError {
  const here = `is a user of this site already (id ${member.userId})${member.isActive ? '' : ', not an active one: activate the user instead'}`;
  return conflict(`${email} ${here}`, [{ path: 'email', message: here }]);
}

/** 409 for somebody whose invitation waits. */
export function invitedAlready(email: string, invitationId: number): ApiError {
  const waits = `is invited already (invitation ${invitationId}): send that one again, or revoke it first`;
  return conflict(`${email} ${waits}`, [{ path: 'email', message: waits }]);
}

/** An invitation as the contract shows it. */
export const shownInvitation = (stored: StoredInvitation): InvitationInfoResponse => ({
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
  // Whose account it is, the site learns when the person says yes.
  userId: stored.acceptedDate ? stored.accountId : null,
  membershipExpiresDate: stored.membershipExpiresDate?.toISOString() ?? null,
});

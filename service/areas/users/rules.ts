import type { NewUserInfo, UserInfo } from '../../../contract/generated/types.gen.ts';
import { formatTimeZoneError, resolveTimeZone } from '../../../contract/rules/dates/time-zones.ts';
import { findRefusedSwitches } from '../../../contract/rules/people/users.ts';
import { conflict, type ApiError, type FieldError } from '../../kernel/api-error.ts';
import { validateNewPassword } from '../../kernel/auth/passwords.ts';

/** Removes the fields that have no effect on a site with an identity manager (spec 2.1). */
export function dropIneffectiveFields<T extends NewUserInfo | UserInfo>(info: T, identityMode: string): T {
  return identityMode === 'identity-manager'
    ? { ...info, password: undefined, federationId: undefined }
    : info;
}

/** Errors of names that are empty after trimming. */
export function checkNames(info: {
  firstName?: string | undefined;
  lastName?: string | undefined;
}): FieldError[] {
  return (['firstName', 'lastName'] as const)
    .filter((name) => info[name] !== undefined && info[name].trim() === '')
    .map((path) => ({ path, message: 'must not be empty' }));
}

/** Error of a time zone that does not exist (spec 4.4). */
export const checkTimeZone = ({ timeZone }: { timeZone?: string | null | undefined }): FieldError[] =>
  typeof timeZone === 'string' && resolveTimeZone(timeZone) === undefined
    ? [{ path: 'timeZone', message: formatTimeZoneError(timeZone) }]
    : [];

/** Errors of a new user: names, time zone, and the password if one is given. */
export function checkPerson(info: {
  email: string;
  firstName: string;
  lastName: string;
  password?: string | undefined;
  timeZone?: string | undefined;
}): FieldError[] {
  const passwordError =
    info.password === undefined ? undefined : validateNewPassword(info.password, info.email);
  return [
    ...checkNames(info),
    ...checkTimeZone(info),
    ...(passwordError === undefined ? [] : [{ path: 'password', message: passwordError }]),
  ];
}

/** An error for each one-way switch that the request would turn off (spec 2.1, 3). */
export function checkSwitches(
  current: { twoFactorEnabled: boolean; ipRestrictionsEnabled: boolean },
  info: UserInfo,
): FieldError[] {
  return findRefusedSwitches(current, info).map((path) => ({
    path,
    message: 'is on and cannot be turned off through the API',
  }));
}

/** The account that has an address and its memberships: on this site, on others or on none. */
export interface AddressOwner {
  userId: number;
  isHere: boolean;
  isElsewhere: boolean;
}

/**
 * 409 for a registered address. The message says whether the account belongs to this site, to another one or to none
 * any more; in the latter cases it names the two other ways to add the user (shapes 2).
 */
export function addressTaken(email: string, owner: AddressOwner | undefined): ApiError {
  if (owner?.isHere) {
    const message = `is already a user of this site (id ${owner.userId})`;
    return conflict(`${email} ${message}`, [{ path: 'email', message }]);
  }
  const situation = owner
    ? `is already known ${owner.isElsewhere ? 'on another site' : 'but on no site any more'}`
    : 'is already known on this platform';
  return conflict(
    `${email} ${situation}. Invite the person (POST /user/invite) or add them without an invitation (POST /user/addExisting).`,
    [{ path: 'email', message: `${situation}: invite the person or add them without an invitation` }],
  );
}

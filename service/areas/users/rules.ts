import type { NewUserInfo, UserInfo } from '../../../contract/generated/types.gen.ts';
import { refusedSwitches } from '../../../contract/rules/switches.ts';
import { newPasswordFault } from '../../kernel/auth/new-password.ts';
import { conflict, type ApiError, type FieldError } from '../../kernel/http/errors.ts';

/** Fields that a site with an identity manager takes without effect (spec 2.1): they are as if absent. */
export function withoutEffect<T extends NewUserInfo | UserInfo>(info: T, identityMode: string): T {
  return identityMode === 'identity-manager'
    ? { ...info, password: undefined, federationId: undefined }
    : info;
}

/** Names are kept without the spaces around them; one of spaces alone is none. */
export function checkNames(info: {
  firstName?: string | undefined;
  lastName?: string | undefined;
}): FieldError[] {
  return (['firstName', 'lastName'] as const)
    .filter((name) => info[name] !== undefined && info[name].trim() === '')
    .map((path) => ({ path, message: 'must not be empty' }));
}

/** Faults of a new person: of the names, and of a password that is given. */
export function checkPerson(info: {
  email: string;
  firstName: string;
  lastName: string;
  password?: string | undefined;
}): FieldError[] {
  const fault = info.password === undefined ? undefined : newPasswordFault(info.password, info.email);
  return [...checkNames(info), ...(fault === undefined ? [] : [{ path: 'password', message: fault }])];
}

/** Turning a one-way switch off is 400 with the field's name (spec 2.1, 3). */
export function checkSwitches(
  current: { twoFactorEnabled: boolean; ipRestrictionsEnabled: boolean },
  info: UserInfo,
): FieldError[] {
  return refusedSwitches(current, info).map((path) => ({
    path,
    message: 'is on and cannot be turned off through the API',
  }));
}

/** Whose an address is: an account, which may be a user of this site, of others, or of none any more. */
export interface Owner {
  userId: number;
  isHere: boolean;
  isElsewhere: boolean;
}

/**
 * 409 for an address that the platform knows: whether it is a user of this very site, of another one, or of none since
 * the person was removed. For the latter two the message names the other two ways in (shapes 2).
 */
export function addressTaken(email: string, owner: Owner | undefined): ApiError {
  if (owner?.isHere) {
    const here = `is already a user of this site (id ${owner.userId})`;
    return conflict(`${email} ${here}`, [{ path: 'email', message: here }]);
  }
  const known = owner
    ? `is already known ${owner.isElsewhere ? 'on another site' : 'but on no site any more'}`
    : 'is already known on this platform';
  return conflict(
    `${email} ${known}. Invite the person (POST /user/invite) or add them without an invitation (POST /user/addExisting).`,
    [{ path: 'email', message: `${known}: invite the person or add them without an invitation` }],
  );
}

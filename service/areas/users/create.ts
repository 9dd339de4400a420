import type { NewUserInfo } from '../../../contract/generated/types.gen.ts';
import { badRequest } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import { checkGroups, recordNewMember, type StoredUser } from '../members/index.ts';
import { normalizeTimeZone, type Site } from '../sites/index.ts';
import { mailPasswordLink } from './accounts.ts';
import { addressTaken, checkPerson } from './rules.ts';
import * as store from './users.store.ts';

/** @throws ApiError 400 for names, time zone or password that are not valid */
export function requireValidPerson(info: NewUserInfo): void {
  const errors = checkPerson(info);
  if (errors.length > 0) throw badRequest(errors);
}

/** @throws ApiError 400 for unknown groups, 403 for groups the caller cannot grant */
export async function requireGrantableGroups(
  tx: Tx,
  caller: Caller,
  groups: readonly number[],
): Promise<void> {
  const errors = await checkGroups(tx, caller, groups, (index) => `groups.${index}`);
  if (errors.length > 0) throw badRequest(errors);
}

/** @throws ApiError 409 for a registered address */
export async function requireFreeAddress(tx: Tx, siteId: number, address: string): Promise<void> {
  const { email, key } = normalizeEmail(address);
  const owner = await store.findOwner(tx, siteId, key);
  if (owner) throw addressTaken(email, owner);
}

/**
 * Creates account and membership, and queues the e-mail with the password link if no password was given (spec 4.2 rule
 * 1).
 * @throws ApiError 400 for unknown groups, 403 for groups the caller cannot grant, 409 for a registered address
 */
export async function createUser(
  tx: Tx,
  { caller, publicUrl }: { caller: Caller; publicUrl: string },
  input: { info: NewUserInfo; passwordHash: string | null; site: Site },
  record: Recorder,
): Promise<StoredUser> {
  const { info, passwordHash, site } = input;
  const { email, key } = normalizeEmail(info.email);
  const firstName = info.firstName.trim();
  const groups = [...new Set(info.groups)];
  await requireGrantableGroups(tx, caller, groups);
  const userId = await store.insertAccount(tx, caller.siteId, {
    email,
    emailKey: key,
    firstName,
    lastName: info.lastName.trim(),
    passwordHash,
    federationId: info.federationId ?? null,
  });
  if (userId === undefined) throw addressTaken(email, await store.findOwner(tx, caller.siteId, key));
  await store.insertMembership(tx, caller.siteId, userId, caller.userId, {
    ...info,
    timeZone: info.timeZone && normalizeTimeZone(info.timeZone),
  });
  const user = await recordNewMember(tx, caller.siteId, { userId, groupIds: groups }, 'user.create', record);
  if (passwordHash === null && site.identityMode === 'password')
    await mailPasswordLink(tx, publicUrl, { userId, email, firstName, site });
  return user;
}

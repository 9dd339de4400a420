import type { UserInfo } from '../../../contract/generated/types.gen.ts';
import { conflict, badRequest, notFound } from '../../kernel/api-error.ts';
import type { Recorder } from '../../kernel/audit/change.ts';
import { requireProofOfPresence } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { deleteSessionsAndTokens, deleteSetPasswordLinks } from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normalizeEmail } from '../../kernel/email.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { requireVersion } from '../../kernel/http/parameters.ts';
import {
  addToGroups,
  checkGroups,
  isMemberOfOtherSite,
  lockUser,
  recordGroupMemberChanges,
  removeFromGroups,
  requireAdministrator,
  requireAuthorityOver,
  recordChangedUsers,
  recordUserChanges,
  type StoredUser,
} from '../members/index.ts';
import { getSite, isApprovedAddress, normalizeTimeZone, type Site } from '../sites/index.ts';
import { mailPasswordLink } from './accounts.ts';
import { addressTaken, checkNames, checkSwitches, checkTimeZone, dropIneffectiveFields } from './rules.ts';
import * as store from './users.store.ts';

/** Fields that open another way into the account or cannot be turned off again (contract, x-step-up). */
const FIELDS_REQUIRING_PROOF = [
  'email',
  'federationId',
  'twoFactorEnabled',
  'ipRestrictionsEnabled',
] as const;

/** Who changes users, and from where. */
export interface UserUpdateContext {
  caller: Caller;
  /** Address of the caller. */
  ip: string;
  /** Public address of the console, with which password links start. */
  publicUrl: string;
}

/** A change of a locked user that `checkUserUpdate` has accepted. */
export interface UserUpdate {
  before: StoredUser;
  site: Site;
  /** The fields that differ. */
  info: Omit<UserInfo, 'id'>;
}

/**
 * Changes the fields of the request that differ; omitted fields keep their values.
 * @throws ApiError 400, 403, 404, 409 and 412 as listed in the contract
 */
export async function updateUser(
  tx: Tx,
  call: Call<'updateUser'>,
  record: Recorder,
): Promise<{ id: number; version: number }> {
  const { caller, body } = call;
  const context = { caller, ip: call.origin.ip, publicUrl: call.services.publicUrl };
  const [before, site] = await Promise.all([
    lockUser(tx, caller.siteId, body.id, { withAccount: changesAccount(body) }),
    getSite(tx, caller.siteId),
  ]);
  if (!before) throw notFound(`User ${body.id}`);
  requireVersion(call.ifMatch, before.version, `user ${body.id}`);
  return applyUserUpdate(tx, context, await checkUserUpdate(tx, context, body, { before, site }), record);
}

/**
 * The change of a locked user (and of its locked account if the change concerns that) without writing it.
 * @throws ApiError 400, 403 and 409 as listed in the contract
 */
export async function checkUserUpdate(
  tx: Tx,
  { caller, ip }: UserUpdateContext,
  body: UserInfo,
  { before, site }: { before: StoredUser; site: Site },
): Promise<UserUpdate> {
  const errors = [...checkNames(body), ...checkTimeZone(body), ...checkSwitches(before, body)];
  const info = getChangedFields(dropIneffectiveFields(body, site.identityMode), before);
  if (info.groups) errors.push(...(await checkGroupChange(tx, caller, before, info.groups)));
  if (
    info.ipRestrictionsEnabled &&
    body.id === caller.userId &&
    !(await isApprovedAddress(tx, caller.siteId, ip))
  ) {
    errors.push({
      path: 'ipRestrictionsEnabled',
      message: `would lock you out: ${ip} is not an approved address of this site`,
    });
  }
  if (errors.length > 0) throw badRequest(errors);
  if (FIELDS_REQUIRING_PROOF.some((key) => info[key] !== undefined)) requireProofOfPresence(caller);
  await checkAccountUpdate(tx, caller, before, info);
  return { before, site, info };
}

const isEmptyUpdate = ({ info }: UserUpdate): boolean =>
  Object.values(info).every((value) => value === undefined);

/**
 * Writes a checked change.
 * @throws ApiError 409 if it leaves no administrator, or the address was taken in the meantime
 */
export async function applyUserUpdate(
  tx: Tx,
  { caller, publicUrl }: UserUpdateContext,
  update: UserUpdate,
  record: Recorder,
): Promise<StoredUser> {
  const { before, site, info } = update;
  if (isEmptyUpdate(update)) return before;
  await updateAccount(tx, before, info);
  store.setMembershipFields(tx, caller.siteId, [before.id], info);
  if (info.groups) await setGroups(tx, caller.siteId, before, info.groups, record);
  if (info.isActive === false) {
    await deleteSessionsAndTokens(tx, caller.siteId, [before.id]);
    await deleteSetPasswordLinks(tx, [before.id], caller.siteId);
  }
  await requireAdministratorAfter(tx, caller.siteId, info);
  const change = { action: 'user.update', isAccountChanged: changesAccount(info) };
  const [after] = await recordChangedUsers(tx, caller, [before], change, record);
  if (!after) return before;
  if (info.email !== undefined) await replaceLinks(tx, publicUrl, after, site);
  return after;
}

/** The trimmed fields of the request that differ from the stored ones; all others are undefined. */
function getChangedFields(info: UserInfo, before: StoredUser): Omit<UserInfo, 'id'> {
  const ifDifferent = <K extends Exclude<keyof UserInfo, 'id'>>(
    key: K,
    value: UserInfo[K],
  ): UserInfo[K] | undefined =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(before[key]) ? value : undefined;
  return {
    email: ifDifferent('email', info.email === undefined ? undefined : normalizeEmail(info.email).email),
    firstName: ifDifferent('firstName', info.firstName?.trim()),
    lastName: ifDifferent('lastName', info.lastName?.trim()),
    federationId: ifDifferent('federationId', info.federationId),
    isActive: ifDifferent('isActive', info.isActive),
    groups: ifDifferent('groups', info.groups && [...new Set(info.groups)].toSorted((a, b) => a - b)),
    twoFactorEnabled: ifDifferent('twoFactorEnabled', info.twoFactorEnabled),
    ipRestrictionsEnabled: ifDifferent('ipRestrictionsEnabled', info.ipRestrictionsEnabled),
    timeZone: ifDifferent('timeZone', info.timeZone && normalizeTimeZone(info.timeZone)),
  };
}

const changesAccount = (info: Omit<UserInfo, 'id'>): boolean =>
  [info.email, info.firstName, info.lastName, info.federationId].some((value) => value !== undefined);

/** @throws ApiError 403 or 409 if the caller may not change how the user signs in, or this site not the account */
async function checkAccountUpdate(
  tx: Tx,
  caller: Caller,
  before: StoredUser,
  info: Omit<UserInfo, 'id'>,
): Promise<void> {
  if (
    [info.email, info.federationId, info.isActive, info.twoFactorEnabled, info.ipRestrictionsEnabled].some(
      (value) => value !== undefined,
    )
  ) {
    await requireAuthorityOver(tx, caller, before.id, 'Changing how this user signs in');
  }
  if (!changesAccount(info)) return;
  // An account serves every site of its owner, so only its home site may change it.
  if (before.homeSiteId !== caller.siteId) {
    throw conflict(
      'Name, e-mail and federation id of this user belong to the site that created the account and can be changed only there',
    );
  }
  // The owner of the address receives the password link, which opens all sites of the account.
  if (
    (info.email !== undefined || info.federationId !== undefined) &&
    (await isMemberOfOtherSite(tx, caller.siteId, before.id))
  ) {
    throw conflict(
      'E-mail and federation id open every site of this user, who is also a member of another one: one site alone cannot change them',
    );
  }
  const email = info.email === undefined ? undefined : normalizeEmail(info.email);
  const owner = email && (await store.findOwner(tx, caller.siteId, email.key));
  if (email && owner && owner.userId !== before.id) throw addressTaken(email.email, owner);
}

async function updateAccount(tx: Tx, before: StoredUser, info: Omit<UserInfo, 'id'>): Promise<void> {
  if (!changesAccount(info)) return;
  const email = info.email === undefined ? undefined : normalizeEmail(info.email);
  const isUpdated = await store.updateAccount(tx, before.id, {
    ...info,
    email: email?.email,
    emailKey: email?.key,
  });
  // Another transaction registered the address after the lookup; a failed transaction cannot look it up again.
  if (!isUpdated) throw addressTaken(info.email ?? '', undefined);
}

/** Invalidates links mailed to the previous address. A user without password gets a new link at the new address. */
async function replaceLinks(
  tx: Tx,
  publicUrl: string,
  user: StoredUser,
  site: { siteId: number; name: string; identityMode: string },
): Promise<void> {
  await deleteSetPasswordLinks(tx, [user.id]);
  if (site.identityMode !== 'password' || !user.isActive || (await store.hasPassword(tx, user.id))) return;
  await mailPasswordLink(tx, publicUrl, {
    userId: user.id,
    email: user.email,
    firstName: user.firstName,
    site,
  });
}

/**
 * Checks the groups that the user gains or loses. A lost group has no index in the request, so its path is that of the
 * list.
 */
function checkGroupChange(tx: Tx, caller: Caller, before: StoredUser, groups: readonly number[]) {
  const changed = [
    ...groups.filter((id) => !before.groups.includes(id)),
    ...before.groups.filter((id) => !groups.includes(id)),
  ];
  const getPath = (index: number): string => {
    const place = groups.indexOf(changed[index] ?? -1);
    return place < 0 ? 'groups' : `groups.${place}`;
  };
  return checkGroups(tx, caller, changed, getPath);
}

async function setGroups(
  tx: Tx,
  siteId: number,
  before: StoredUser,
  groups: readonly number[],
  record: Recorder,
): Promise<void> {
  const removedGroups = before.groups.filter((id) => !groups.includes(id));
  const addedGroups = groups.filter((id) => !before.groups.includes(id));
  const removed = await removeFromGroups(
    tx,
    siteId,
    removedGroups.map((id) => [before.id, id]),
  );
  const added = await addToGroups(
    tx,
    siteId,
    addedGroups.map((id) => [before.id, id]),
  );
  await recordGroupMemberChanges(tx, siteId, { added, removed }, record);
}

async function requireAdministratorAfter(tx: Tx, siteId: number, info: Omit<UserInfo, 'id'>): Promise<void> {
  if (info.isActive === false || info.groups || info.ipRestrictionsEnabled)
    await requireAdministrator(tx, siteId);
}

/** Changes the properties that users set for themselves. @throws ApiError 400 for an unknown time zone */
export async function updateOwnProfile(
  tx: Tx,
  { caller, body }: Call<'updateOwnProfile'>,
  record: Recorder,
): Promise<void> {
  const errors = checkTimeZone(body);
  if (errors.length > 0) throw badRequest(errors);
  const before = await lockUser(tx, caller.siteId, caller.userId);
  if (!before) throw notFound(`User ${caller.userId}`);
  const { timeZone } = getChangedFields({ id: before.id, timeZone: body.timeZone }, before);
  if (timeZone === undefined) return;
  store.setMembershipFields(tx, caller.siteId, [before.id], { timeZone });
  await recordUserChanges(tx, caller, [before], 'user.update', record);
}

import type { UserInfo } from '../../../contract/generated/types.gen.ts';
import { requirePresence } from '../../kernel/auth/authorize.ts';
import type { Caller } from '../../kernel/auth/caller.ts';
import { endAccess, endLinks } from '../../kernel/auth/store.ts';
import type { Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { normaliseEmail } from '../../kernel/email.ts';
import { conflict, invalid, notFound } from '../../kernel/http/errors.ts';
import { requireVersion } from '../../kernel/http/etag.ts';
import type { Call } from '../../kernel/http/handler.ts';
import {
  addToGroups,
  checkGroups,
  lockUser,
  pairsChanged,
  removeFromGroups,
  requireAdministrator,
  requireAuthorityOver,
  usersChanged,
  type StoredUser,
} from '../members/index.ts';
import { getSite, isApprovedAddress } from '../sites/index.ts';
import { mailPasswordLink } from './password-mail.ts';
import { addressTaken, checkNames, checkSwitches, withoutEffect } from './rules.ts';
import * as store from './store.ts';

/** What opens another way into the account, or is never turned off again (contract, x-step-up). */
const PROVEN = ['email', 'federationId', 'twoFactorEnabled', 'ipRestrictionsEnabled'] as const;

/**
 * Changes what the request names and what differs; an omitted field keeps its value.
 * @throws ApiError 400, 403, 404, 409 and 412 as the contract lists them
 */
export async function updateUser(
  tx: Tx,
  call: Call<'updateUser'>,
  record: Recorder,
): Promise<{ id: number; version: number }> {
  const { caller, body } = call;
  if (accountChanged(body)) await store.lockAccount(tx, body.id);
  const before = await lockUser(tx, caller.siteId, body.id);
  if (!before) throw notFound(`User ${body.id}`);
  requireVersion(call.ifMatch, before.version, `User ${body.id}`);
  const site = await getSite(tx, caller.siteId);
  const info = wanted(withoutEffect(body, site.identityMode), before);
  const faults = [...checkNames(info), ...checkSwitches(before, body)];
  if (info.groups) faults.push(...(await checkGroupChange(tx, caller, before, info.groups)));
  if (
    info.ipRestrictionsEnabled &&
    body.id === caller.userId &&
    !(await isApprovedAddress(tx, caller.siteId, call.origin.ip))
  ) {
    faults.push({
      path: 'ipRestrictionsEnabled',
      message: `would lock you out: ${call.origin.ip} is not an approved address of this site`,
    });
  }
  if (faults.length > 0) throw invalid(faults);
  if (Object.values(info).every((value) => value === undefined)) return before;
  if (PROVEN.some((key) => info[key] !== undefined)) requirePresence(caller);

  await writeAccount(tx, caller, before, info);
  await store.updateMembership(tx, caller.siteId, before.id, info);
  if (info.groups) await setGroups(tx, caller.siteId, before, info.groups, record);
  if (info.isActive === false) {
    await endAccess(tx, caller.siteId, before.id);
    await endLinks(tx, before.id, caller.siteId);
  }
  await requireAdministratorAfter(tx, caller.siteId, info);
  const [after] = await usersChanged(tx, caller, [before], 'user.update', record);
  if (!after) return before;
  if (info.email !== undefined) await moveLinks(tx, call.services.publicUrl, after, site);
  return after;
}

/** The fields of the request that differ from what is stored, trimmed; the others undefined: nothing to do for them. */
function wanted(info: UserInfo, before: StoredUser): Omit<UserInfo, 'id'> {
  const differing = <K extends Exclude<keyof UserInfo, 'id'>>(
    key: K,
    value: UserInfo[K],
  ): UserInfo[K] | undefined =>
    value !== undefined && JSON.stringify(value) !== JSON.stringify(before[key]) ? value : undefined;
  return {
    email: differing('email', info.email === undefined ? undefined : normaliseEmail(info.email).email),
    firstName: differing('firstName', info.firstName?.trim()),
    lastName: differing('lastName', info.lastName?.trim()),
    federationId: differing('federationId', info.federationId),
    isActive: differing('isActive', info.isActive),
    groups: differing('groups', info.groups && [...new Set(info.groups)].toSorted((a, b) => a - b)),
    twoFactorEnabled: differing('twoFactorEnabled', info.twoFactorEnabled),
    ipRestrictionsEnabled: differing('ipRestrictionsEnabled', info.ipRestrictionsEnabled),
  };
}

const accountChanged = (info: Omit<UserInfo, 'id'>): boolean =>
  [info.email, info.firstName, info.lastName, info.federationId].some((value) => value !== undefined);

async function writeAccount(
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
  if (!accountChanged(info)) return;
  // One account serves every site of its owner: only the site it began on may change it.
  if (before.homeSiteId !== caller.siteId) {
    throw conflict(
      'Name, e-mail and federation id of this user belong to the site that created the account and can be changed only there',
    );
  }
  // Whoever holds the address receives the password link, for all sites of the account at once.
  if (
    (info.email !== undefined || info.federationId !== undefined) &&
    (await store.belongsElsewhere(tx, caller.siteId, before.id))
  ) {
    throw conflict(
      'E-mail and federation id open every site of this user, who belongs to another one too: they cannot be changed by one site alone',
    );
  }
  const email = info.email === undefined ? undefined : normaliseEmail(info.email);
  const owner = email && (await store.findOwner(tx, caller.siteId, email.key));
  if (email && owner && owner.userId !== before.id) throw addressTaken(email.email, owner);
  const stored = await store.updateAccount(tx, before.id, {
    ...info,
    email: email?.email,
    emailKey: email?.key,
  });
  // Somebody took it since it was looked for; whoever that is, this transaction can no longer ask.
  if (!stored) throw addressTaken(info.email ?? '', undefined);
}

/** What was mailed to the address of before opens nothing any more; who has no password yet gets a link at the new one. */
async function moveLinks(
  tx: Tx,
  publicUrl: string,
  user: StoredUser,
  site: { siteId: number; name: string; identityMode: string },
): Promise<void> {
  await endLinks(tx, user.id);
  if (site.identityMode !== 'password' || !user.isActive || (await store.hasPassword(tx, user.id))) return;
  await mailPasswordLink(tx, publicUrl, {
    userId: user.id,
    email: user.email,
    firstName: user.firstName,
    site,
  });
}

/** Faults of the groups that the user gains or loses; a group it loses has no place in the request but the list's. */
function checkGroupChange(tx: Tx, caller: Caller, before: StoredUser, groups: readonly number[]) {
  const changed = [
    ...groups.filter((id) => !before.groups.includes(id)),
    ...before.groups.filter((id) => !groups.includes(id)),
  ];
  const placeOf = (index: number): string => {
    const place = groups.indexOf(changed[index] ?? -1);
    return place < 0 ? 'groups' : `groups.${place}`;
  };
  return checkGroups(tx, caller, changed, placeOf);
}

async function setGroups(
  tx: Tx,
  siteId: number,
  before: StoredUser,
  groups: readonly number[],
  record: Recorder,
): Promise<void> {
  const lost = before.groups.filter((id) => !groups.includes(id));
  const gained = groups.filter((id) => !before.groups.includes(id));
  const removed = await removeFromGroups(
    tx,
    siteId,
    lost.map((id) => [before.id, id]),
  );
  const added = await addToGroups(
    tx,
    siteId,
    gained.map((id) => [before.id, id]),
  );
  await pairsChanged(tx, siteId, { added, removed }, record);
}

async function requireAdministratorAfter(tx: Tx, siteId: number, info: Omit<UserInfo, 'id'>): Promise<void> {
  if (info.isActive === false || info.groups || info.ipRestrictionsEnabled)
    await requireAdministrator(tx, siteId);
}

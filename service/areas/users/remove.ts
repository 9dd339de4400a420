import { diffProperties, type Recorder } from '../../kernel/audit/change.ts';
import { deleteSetPasswordLinks } from '../../kernel/auth/callers.store.ts';
import type { Tx } from '../../kernel/db/database.ts';
import {
  buildUserEvent,
  isMemberOfOtherSite,
  lockGroups,
  recordGroupMemberChanges,
  removeFromGroups,
  toAuditedUser,
  type StoredUser,
} from '../members/index.ts';
import { recordAssignmentsOfRemovedUser } from '../proxies/index.ts';
import * as store from './users.store.ts';

/**
 * Removes a locked user from the site. The caller of this function checks the authority before and, once all users are removed, that an
 * administrator remains.
 */
export async function removeUser(tx: Tx, siteId: number, user: StoredUser, record: Recorder): Promise<void> {
  const userId = user.id;
  // Groups are locked before the rows that count their members, as in every change of group memberships, to avoid
  // deadlocks.
  await lockGroups(tx, siteId, user.groups);
  const removed = await removeFromGroups(
    tx,
    siteId,
    user.groups.map((groupId) => [userId, groupId]),
  );
  await recordAssignmentsOfRemovedUser(tx, siteId, userId, record);
  await store.deleteMembership(tx, siteId, userId);
  if (!(await isMemberOfOtherSite(tx, siteId, userId))) await deleteSetPasswordLinks(tx, [userId]);
  record({
    action: 'user.remove',
    subject: ['user', userId],
    changes: diffProperties(toAuditedUser(user), undefined),
    event: buildUserEvent('deleted', user),
  });
  await recordGroupMemberChanges(tx, siteId, { removed }, record);
  const newHome = await store.moveHomeSite(tx, siteId, userId);
  if (newHome === undefined) return;
  record({
    siteId: newHome,
    action: 'user.home',
    subject: ['user', userId],
    changes: { homeSiteId: [siteId, newHome] },
  });
}

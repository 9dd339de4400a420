/** Members of a site: reading them, their groups, authorization between members, and recording of changes. */
export {
  buildGroupEvent,
  buildUserEvent,
  ensureAdministratorsGroup,
  recordGroupMemberChanges,
  recordNewMember,
  recordChangedUsers,
  recordUserChanges,
  toAuditedUser,
  toUserInfo,
  updateAndRecordMemberships,
} from './changes.ts';
export {
  addToGroups,
  ADMINISTRATORS_GROUP,
  lockGroups,
  NEXT_MODIFIED_AT,
  removeFromGroups,
  type GroupMember,
} from './group-members.store.ts';
export {
  checkGrantableGroups,
  checkGroups,
  describeMissingCapabilities,
  findMissingAuthority,
  findUserConflict,
  OWN_ACCESS,
  requireAdministrator,
  requireAuthorityOver,
  requireCapabilities,
  type ReviewedPlan,
} from './rules.ts';
export {
  getUsers,
  isMemberOfOtherSite,
  listUsers,
  lockAccounts,
  lockUser,
  lockUsers,
  setHomeSite,
  type MembershipFields,
  type StoredUser,
} from './users.store.ts';

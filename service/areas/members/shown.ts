import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { StoredUser } from './users.store.ts';

/** A user as the contract shows it: without what only the service keeps. */
export function shown({
  version: _version,
  homeSiteId: _home,
  licenseTypeId: _license,
  ...user
}: StoredUser): UserInfoResponse {
  return user;
}

/** What an audit row compares of a user: everything but who it is and the notes of when it changed. */
export function kept({
  id: _id,
  version: _version,
  createdDate: _createdDate,
  createdBy: _createdBy,
  modifiedDate: _modifiedDate,
  modifiedBy: _modifiedBy,
  ...user
}: StoredUser) {
  return user;
}

/** What an event says of a user: never a secret, always the fields an integrator asks for. */
export const eventOf = (kind: 'created' | 'updated' | 'deleted', user: StoredUser) =>
  ({
    topic: 'default-users',
    entityType: 'Users',
    kind,
    entity: { ...shown(user), licenseTypeId: user.licenseTypeId },
  }) as const;

/** What an event says of a group. */
export const groupEventOf = (kind: 'created' | 'updated' | 'deleted', groupId: number, more: object) =>
  ({ topic: 'default-users', entityType: 'UserGroups', kind, entity: { id: groupId, ...more } }) as const;

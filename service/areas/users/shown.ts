import type { UserInfoResponse } from '../../../contract/generated/types.gen.ts';
import type { StoredUser } from './store.ts';

/** A user as the contract shows it: without what only the service keeps. */
export function shown({ version: _version, homeSiteId: _home, ...user }: StoredUser): UserInfoResponse {
  return user;
}

/** What an event and an audit row say of a user: never a secret, always the fields an integrator asks for. */
export const eventOf = (kind: 'created' | 'updated' | 'deleted', user: UserInfoResponse) =>
  ({ topic: 'default-users', entityType: 'Users', kind, entity: { ...user } }) as const;

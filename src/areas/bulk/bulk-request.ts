import { createStore } from '../../ui/store.ts';

/** Membership of one user in one group. */
export interface UserGroupPair {
  userId: number;
  groupId: number;
}

/** Changes that can be applied to many users; each has one dry run and one job. */
export type BulkAction =
  | { kind: 'activate' }
  | { kind: 'deactivate' }
  | { kind: 'license'; licenseTypeId: number }
  /** A license for each user. */
  | { kind: 'licenses'; each: readonly { userId: number; licenseTypeId: number }[] }
  /** Null: the zone of the site. */
  | { kind: 'timeZone'; timeZone: string | null }
  | { kind: 'addGroups'; groupIds: readonly number[] }
  | { kind: 'removeGroups'; groupIds: readonly number[] }
  | { kind: 'twoFactorOn' }
  | { kind: 'addressesOn' }
  | { kind: 'remove' }
  /** Additions and removals of single memberships: "Set exactly", the matrix, copied groups. */
  | { kind: 'pairs'; add: readonly UserGroupPair[]; remove: readonly UserGroupPair[] };

export interface BulkRequest {
  action: BulkAction;
  userIds: readonly number[];
  /** Called when the change was confirmed and the job has started. */
  onStart?: (() => void) | undefined;
}

/** Choice of a license, a time zone or groups before the dry run. */
export interface BulkChoice {
  kind: 'license' | 'timeZone' | 'addGroups' | 'removeGroups';
  userIds: readonly number[];
  onStart?: (() => void) | undefined;
}

/** Open dialog: a choice, or the dry run of an action. */
export const bulkRequest = createStore<BulkRequest | BulkChoice | undefined>(undefined);

/** Somebody and a group that they come into or leave. */
export interface Pair {
  userId: number;
  groupId: number;
}

/** What can be done to many people at once; each has one dry run and one job, wherever it is asked for. */
export type BulkAction =
  | { kind: 'activate' }
  | { kind: 'deactivate' }
  | { kind: 'license'; licenseTypeId: number }
  /** To each their own license: an inverse, or what a file says. */
  | { kind: 'licenses'; each: readonly { userId: number; licenseTypeId: number }[] }
  | { kind: 'addGroups'; groupIds: readonly number[] }
  | { kind: 'removeGroups'; groupIds: readonly number[] }
  | { kind: 'twoFactorOn' }
  | { kind: 'addressesOn' }
  | { kind: 'remove' }
  /** "Set exactly", the matrix, copied groups: additions and removals of single pairs. */
  | { kind: 'pairs'; add: readonly Pair[]; remove: readonly Pair[] };

export interface BulkRequest {
  action: BulkAction;
  userIds: readonly number[];
  /**
   * Who changed all of them last, where that is known: an undo. Whoever was changed by somebody else since is told as a
   * conflict. Without it, that is whoever is no longer as the list shows them.
   */
  lastBy?: number | undefined;
  /** Called when it was agreed to and the job has begun. */
  onBegin?: (() => void) | undefined;
}

/** The status of users as filters, counts and badges of all pages mean it (spec 3). */

/** `locked` comes in addition to one of the other two: a lock after failed sign-ins ends, and changes no status. */
export type AccountStatus = 'active' | 'inactive' | 'locked';

/**
 * The statuses of a user. Active is who is not deactivated on the site, whether or not they have signed in lately, have a license or
 * are locked at the moment.
 */
export const getAccountStatuses = ({
  isActive,
  isLocked,
}: {
  isActive: boolean;
  isLocked: boolean;
}): readonly AccountStatus[] => [
  isActive ? 'active' : 'inactive',
  ...(isLocked ? (['locked'] as const) : []),
];

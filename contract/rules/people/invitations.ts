/** Types of invitations (spec 2.3): for a permanent membership, or for one that ends on a date. */
export const PERMANENT = 0;
export const TEMPORARY = 1;

/** Validity of the link of an invitation in days; sending it again restarts the period. */
export const INVITATION_TTL_DAYS = 7;
/** Longest validity of a link and longest temporary membership in days. */
export const MAX_DURATION_DAYS = 3650;
/** Days before the end of a temporary membership at which the member and the inviter are reminded. */
export const EXPIRY_REMINDER_DAYS = 3;
/** Days before the end of a temporary membership from which it is highlighted. */
export const ENDING_SOON_DAYS = 7;
/** Invitations that one administrator may send per hour, resent ones included. */
export const MAX_INVITATIONS_PER_HOUR = 200;

/**
 * Why the duration of an invitation is invalid; undefined if it is valid. A duration of a permanent invitation is rejected, not
 * ignored: a caller who sends one expects a membership that ends (spec 2.3, 4.2 rule 3).
 */
export function validateDuration(type: number, duration: number | null | undefined): string | undefined {
  const hasDuration = duration !== undefined && duration !== null;
  if (type === TEMPORARY && !hasDuration) return 'is required for a temporary invitation (type 1)';
  if (type === PERMANENT && hasDuration)
    return 'has no effect for a permanent invitation (type 0): leave it out';
  return undefined;
}

/** The types of an invitation (spec 2.3): a membership without an end, or one that ends by itself. */
export const PERMANENT = 0;
export const TEMPORARY = 1;

/** The link of an invitation holds this long; sending it again begins anew. */
export const LINK_DAYS = 7;
/** No link and no temporary membership ends later than so many days from now. */
export const MOST_DAYS = 3650;
/** So many days before a temporary membership ends, the member and the inviter are told. */
export const REMINDER_DAYS = 3;
/** Invitations that one administrator may send in an hour, sent again ones included. */
export const INVITATIONS_AN_HOUR = 200;

/**
 * What is wrong with the duration of an invitation, as its field is told; undefined when nothing is. A duration of a
 * permanent one is refused rather than dropped: whoever gave it meant a membership that ends (spec 2.3, 4.2 rule 3).
 */
export function durationFault(type: number, duration: number | null | undefined): string | undefined {
  const given = duration !== undefined && duration !== null;
  if (type === TEMPORARY && !given) return 'is required for a temporary invitation (type 1)';
  if (type === PERMANENT && given) return 'has no effect for a permanent invitation (type 0): leave it out';
  return undefined;
}

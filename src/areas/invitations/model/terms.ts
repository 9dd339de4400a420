import type { InvitationInfoResponse } from '../../../../contract/generated/types.gen.ts';
import { ENDING_SOON_DAYS, TEMPORARY } from '../../../../contract/rules/people/invitations.ts';
import { formatShortDate, formatDistance, isWithinDays } from '../../../lib/dates/dates.ts';
import { pluralize } from '../../../lib/numbers.ts';

export const formatDays = (days: number): string => pluralize(days, 'day', 'days');

type Invitation = Pick<InvitationInfoResponse, 'type' | 'duration' | 'status' | 'membershipExpiresDate'>;

/** Formats an end: "21 Dec 2026, in 4 days". */
export const formatEnd = (end: string | Date, now = new Date()): string =>
  `${formatShortDate(end, now)}, ${formatDistance(end, now)}`;

/** Formats the term of a membership: its days before acceptance, its end afterwards. */
export function formatTerm(
  { type, duration, status, membershipExpiresDate: end }: Invitation,
  now = new Date(),
): string {
  if (type !== TEMPORARY) return 'Permanent';
  const days = duration ? formatDays(duration) : 'Temporary';
  if (status === 'pending') return `${days} from acceptance`;
  if (status !== 'accepted') return days;
  if (!end) return `${days}, no longer running`;
  const ended = new Date(end).getTime() <= now.getTime();
  return `${ended ? 'Ended' : 'Ends'} ${formatEnd(end, now)}`;
}

/** Whether an accepted membership ends within the highlighted days. */
export const endsSoon = (
  { status, membershipExpiresDate: end }: Pick<Invitation, 'status' | 'membershipExpiresDate'>,
  now = new Date(),
): boolean => status === 'accepted' && typeof end === 'string' && isWithinDays(end, ENDING_SOON_DAYS, now);

import { TEMPORARY } from '../../../../contract/rules/invitations.ts';
import type { InvitationInfoResponse } from '../../../api/generated/types.gen.ts';
import { shortDate } from '../../../lib/dates.ts';
import { distance, isWithin } from '../../../lib/ends.ts';
import { counted } from '../../../lib/numbers.ts';

/** A temporary member whose end comes in so many days stands out (features 1.5). */
export const SOON = 7;

export const inDays = (days: number): string => counted(days, 'day', 'days');

type Invitation = Pick<InvitationInfoResponse, 'type' | 'duration' | 'status' | 'membershipExpiresDate'>;

/** An end as everybody is told it: "21 Dec 2026, in 4 days". */
export const endWords = (end: string | Date, now = new Date()): string =>
  `${shortDate(end, now)}, ${distance(end, now)}`;

/** How long the membership of an invitation is: before acceptance its days, after it its end. */
export function termWords(
  { type, duration, status, membershipExpiresDate: end }: Invitation,
  now = new Date(),
): string {
  if (type !== TEMPORARY) return 'Permanent';
  const days = duration ? inDays(duration) : 'Temporary';
  if (status === 'pending') return `${days} from acceptance`;
  if (status !== 'accepted') return days;
  if (!end) return `${days}, no longer running`;
  const ended = new Date(end).getTime() <= now.getTime();
  return `${ended ? 'Ended' : 'Ends'} ${endWords(end, now)}`;
}

/** Whether an accepted invitation's membership ends within the days that stand out. */
export const endsSoon = (
  { status, membershipExpiresDate: end }: Pick<Invitation, 'status' | 'membershipExpiresDate'>,
  now = new Date(),
): boolean => status === 'accepted' && typeof end === 'string' && isWithin(end, SOON, now);

import type { Session } from '../api/generated/types.gen.ts';

/** How long before the end of a session it is told. */
export const TOLD_MS = 10 * 60_000;
/** How often what is left is told anew. */
const EVERY_MS = 10_000;
// What a timer of a browser holds at the most.
const LONGEST_MS = 2 ** 31 - 1;

/** When a session ends by the clock of this browser, whatever that says: as long after it was read as the service's. */
export const endHere = (
  { expiresDate, serverTime }: Pick<Session, 'expiresDate' | 'serverTime'>,
  readAt: number,
): number => readAt + Date.parse(expiresDate) - Date.parse(serverTime);

/** How long nothing is to be told, or nothing new. */
export function untilTold(end: number, now: number): number {
  const left = end - now;
  return left > TOLD_MS ? Math.min(left - TOLD_MS, LONGEST_MS) : Math.min(EVERY_MS, Math.max(left, 0));
}

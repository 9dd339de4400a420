import type { Session } from '../../../contract/generated/types.gen.ts';
import { markSessionEnded, lastSessionUse } from '../../api/session-state.ts';

/** Time before the expiry at which the warning starts, for the maximum duration and for inactivity. */
const WARNING_MS = { hours: 10 * 60_000, silence: 2 * 60_000 };
/** Interval at which the remaining time is updated. */
const UPDATE_INTERVAL_MS = 10_000;
// Maximum delay of a browser timer.
const MAX_TIMER_MS = 2 ** 31 - 1;

type SessionTimes = Pick<Session, 'expiresDate' | 'serverTime'>;

/** Returns the expiry by the clock of this browser, which may differ from the service's clock. */
export const getLocalExpiry = ({ expiresDate, serverTime }: SessionTimes, readAt: number): number =>
  readAt + Date.parse(expiresDate) - Date.parse(serverTime);

/** A warning that the session expires soon: by its maximum duration (`hours`) or by inactivity (`silence`). */
export interface ExpiryWarning {
  cause: 'hours' | 'silence';
  remainingMs: number;
}

interface ExpiryTimes {
  /** End of the maximum duration, in ms since the epoch. */
  expiresAt: number;
  /** Inactivity that ends the session; undefined if there is no such limit. */
  idleMs: number | undefined;
}

/** Returns the next expiry and the time until the next update of its warning. */
function getNextExpiry({ expiresAt, idleMs }: ExpiryTimes, now: number): ExpiryWarning & { quietMs: number } {
  const silence = idleMs === undefined ? Infinity : lastSessionUse.get() + idleMs;
  const cause = silence < expiresAt ? 'silence' : 'hours';
  const remainingMs = Math.min(silence, expiresAt) - now;
  const early = remainingMs - WARNING_MS[cause];
  const quietMs =
    early > 0 ? Math.min(early, MAX_TIMER_MS) : Math.min(UPDATE_INTERVAL_MS, Math.max(remainingMs, 0));
  return { cause, remainingMs, quietMs };
}

/**
 * Reports a warning while the expiry is near, undefined when a use has postponed it, and ends the session when it is
 * reached. Makes no calls, because a call would be a use. Returns a function that stops watching.
 */
export function watchExpiry(
  times: ExpiryTimes,
  onWarning: (near: ExpiryWarning | undefined) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let isWarningDue = false;
  let isExpired = false;
  function check(): void {
    clearTimeout(timer);
    const { cause, remainingMs, quietMs } = getNextExpiry(times, Date.now());
    isWarningDue = remainingMs <= WARNING_MS[cause];
    isExpired = remainingMs <= 0;
    onWarning(isWarningDue && !isExpired ? { cause, remainingMs } : undefined);
    if (isExpired) markSessionEnded();
    else timer = setTimeout(check, quietMs);
  }
  check();
  const unsubscribe = lastSessionUse.subscribe(() => {
    // After the maximum duration a use belongs to a new session, whose times are passed by a new call.
    if (isWarningDue && !(isExpired && Date.now() >= times.expiresAt)) check();
  });
  return () => {
    clearTimeout(timer);
    unsubscribe();
  };
}

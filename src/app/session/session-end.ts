import type { Session } from '../../api/generated/types.gen.ts';
import { endSession, lastUse } from '../../api/session-gate.ts';

/** How long before an end it is told: one that no use puts off, and the one that silence brings. */
const TOLD_MS = { hours: 10 * 60_000, silence: 2 * 60_000 };
/** How often what is left is told anew. */
const EVERY_MS = 10_000;
// What a timer of a browser holds at the most.
const LONGEST_MS = 2 ** 31 - 1;

type Times = Pick<Session, 'expiresDate' | 'serverTime'>;

/** When a session ends by the clock of this browser, whatever that says: as long after it was read as the service's. */
export const endHere = ({ expiresDate, serverTime }: Times, readAt: number): number =>
  readAt + Date.parse(expiresDate) - Date.parse(serverTime);

/** An end that is near enough to be told. */
export interface Near {
  cause: 'hours' | 'silence';
  leftMs: number;
}

interface Ends {
  /** When it ends whatever happens. */
  hours: number;
  /** How much silence ends it; undefined where none does. */
  idleMs: number | undefined;
}

/** The end that comes first, and for how long nothing of it is to be told, or nothing new. */
function comingEnd({ hours, idleMs }: Ends, now: number): Near & { quietMs: number } {
  const silence = idleMs === undefined ? Infinity : lastUse.get() + idleMs;
  const cause = silence < hours ? 'silence' : 'hours';
  const leftMs = Math.min(silence, hours) - now;
  const early = leftMs - TOLD_MS[cause];
  const quietMs = early > 0 ? Math.min(early, LONGEST_MS) : Math.min(EVERY_MS, Math.max(leftMs, 0));
  return { cause, leftMs, quietMs };
}

/**
 * Tells an end while it is near, undefined once a use has put it off, and ends the session when it has come. It asks
 * the service nothing: that would be a use. Answers how to stop.
 */
export function followEnds(ends: Ends, tell: (near: Near | undefined) => void): () => void {
  let timer: ReturnType<typeof setTimeout>;
  let isTold = false;
  let isOver = false;
  function look(): void {
    clearTimeout(timer);
    const { cause, leftMs, quietMs } = comingEnd(ends, Date.now());
    isTold = leftMs <= TOLD_MS[cause];
    isOver = leftMs <= 0;
    tell(isTold && !isOver ? { cause, leftMs } : undefined);
    if (isOver) endSession();
    else timer = setTimeout(look, quietMs);
  }
  look();
  const unfollow = lastUse.subscribe(() => {
    // A session that went on elsewhere has another end than the one that is over: it is read again then.
    if (isTold && !(isOver && Date.now() >= ends.hours)) look();
  });
  return () => {
    clearTimeout(timer);
    unfollow();
  };
}

/** Failures after which an item of background work is parked: it is not retried by itself any more. */
export const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 5_000;
const MAX_DELAY_MS = 3_600_000;

/**
 * Delay before the next attempt after `failures` failures in a row: 5 s, 20 s, 80 s, 320 s, at most an hour, each up to 20% shorter
 * or longer, so that items that failed together are not retried together.
 */
export const getRetryDelayMs = (failures: number, firstDelayMs = FIRST_DELAY_MS): number =>
  Math.min(firstDelayMs * 4 ** (failures - 1), MAX_DELAY_MS) * (0.8 + 0.4 * Math.random());

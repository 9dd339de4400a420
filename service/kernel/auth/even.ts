import { setTimeout as sleep } from 'node:timers/promises';

/** Well above what either way takes, a password checked and its failure noted. */
export const EVEN_MS = 150;

/**
 * A moment that is the same for everybody, from now. An answer that says nothing of whether an address is known waits for
 * it: what is written for a known one alone would show in the time it takes (T12).
 */
export const evenMoment = (): Promise<void> => sleep(EVEN_MS, undefined, { ref: false });

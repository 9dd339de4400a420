import { createStore, useStore } from '../../../ui/store.ts';
import type { Refusals } from './send.ts';

/** What the last attempt met; nothing of what is still staged is lost by it. */
export interface Failed {
  /** What it was about: the values, before which nothing goes, or the entries that were to go after them. */
  at: 'values' | 'deletions';
  message: string;
  refusals: Refusals;
  /** Values that were stored before deleting failed. */
  saved: number;
  gone: number;
}

interface Attempt {
  isPending: boolean;
  failed: Failed | undefined;
}

const NO_ATTEMPT: Attempt = { isPending: false, failed: undefined };

// A panel that is closed and opened again shows what is under way, and does not send it twice.
const byType = createStore<ReadonlyMap<number, Attempt>>(new Map());

/** How sending what is staged for a type goes, or went. */
export const attemptOf = (typeId: number): Attempt => byType.get().get(typeId) ?? NO_ATTEMPT;

export const useAttempt = (typeId: number): Attempt => useStore(byType).get(typeId) ?? NO_ATTEMPT;

export const putAttempt = (typeId: number, part: Partial<Attempt>): void =>
  byType.set(new Map(byType.get()).set(typeId, { ...attemptOf(typeId), ...part }));

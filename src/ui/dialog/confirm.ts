import type { ReactNode } from 'react';
import { createStore } from '../store.ts';

interface ConfirmOptions {
  title: string;
  /** What will happen, with numbers and names. */
  body: ReactNode;
  /** Label of the button. */
  action: string;
  cancel?: string;
  danger?: boolean;
  /** Text the user must type, for an action that cannot be undone. */
  expectedText?: string;
  /** Action that runs while the dialog stays open; the dialog shows an error. */
  run?: () => Promise<unknown>;
}

export interface ConfirmRequest extends ConfirmOptions {
  /** Unique among all requests. */
  id: number;
  settle: (done: boolean) => void;
}

export const confirmStore = createStore<ConfirmRequest | null>(null);
let lastId = 0;

/**
 * Asks for confirmation. True if the user agreed and `run`, if any, succeeded; false if they cancelled or another question took the place
 * of this one.
 */
export function confirm(options: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    confirmStore.get()?.settle(false);
    lastId += 1;
    const id = lastId;
    const settle = (done: boolean) => {
      // The action of a replaced request may end while the next one is open.
      if (confirmStore.get()?.id === id) confirmStore.set(null);
      resolve(done);
    };
    confirmStore.set({ ...options, id, settle });
  });
}

/** Asks whether to discard input; true if the user agreed. */
export function confirmDiscard(): Promise<boolean> {
  return confirm({
    title: 'Discard changes?',
    body: 'Your changes have not been saved.',
    action: 'Discard changes',
    cancel: 'Keep editing',
    danger: true,
  });
}

import type { ReactNode } from 'react';
import { createStore } from '../store.ts';

interface ConfirmOptions {
  title: string;
  /** What will happen, in numbers and names. */
  body: ReactNode;
  /** The verb on the button. */
  action: string;
  cancel?: string;
  danger?: boolean;
  /** An act that cannot be undone asks for this name to be typed. */
  typed?: string;
  /** Runs while the dialog stays; a rejection is shown in it. */
  run?: () => Promise<unknown>;
}

export interface ConfirmRequest extends ConfirmOptions {
  settle: (done: boolean) => void;
}

export const confirmStore = createStore<ConfirmRequest | null>(null);

/** Asks once. True when the person agreed and `run`, if any, succeeded; false when they turned back. */
export function confirm(options: ConfirmOptions): Promise<boolean> {
  return new Promise((resolve) => {
    confirmStore.get()?.settle(false);
    const settle = (done: boolean) => {
      confirmStore.set(null);
      resolve(done);
    };
    confirmStore.set({ ...options, settle });
  });
}

/** The one question for every place where something typed would be lost; true when it may be. */
export function confirmDiscard(): Promise<boolean> {
  return confirm({
    title: 'Discard changes?',
    body: 'What you have changed here is not saved.',
    action: 'Discard changes',
    cancel: 'Keep editing',
    danger: true,
  });
}

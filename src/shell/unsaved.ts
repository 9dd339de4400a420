import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { confirmDiscard } from '../ui/dialog/confirm.ts';

const unsaved = new Set<object>();
let released = false;

/**
 * The one guard of typed work. While `dirty`, leaving the page asks first, and so does the browser before it
 * closes the tab. After a save go on with `navigate({ …, ignoreBlocker: true })`.
 */
export function useUnsavedGuard(dirty: boolean): void {
  useEffect(() => {
    if (!dirty) return undefined;
    const mine = {};
    unsaved.add(mine);
    return () => {
      unsaved.delete(mine);
    };
  }, [dirty]);
  useBlocker({
    disabled: !dirty,
    enableBeforeUnload: () => !released,
    // A tab or a filter of the same page keeps the form mounted.
    shouldBlockFn: async ({ current, next }) =>
      current.pathname !== next.pathname && !(await confirmDiscard()),
  });
}

/** Asks, where something typed would be lost by leaving the whole console. */
export const mayLeave = async (): Promise<boolean> => unsaved.size === 0 || confirmDiscard();

/** The page is about to load anew, and whoever works here has agreed to it. */
export function releaseGuards(): void {
  released = true;
}

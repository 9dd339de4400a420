import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { confirm, confirmDiscard } from '../dialog/confirm.ts';
import { hasRunningJobs } from '../../app/jobs/jobs.ts';

const unsaved = new Set<object>();
const held = new Set<object>();
let released = false;

/**
 * The one guard of typed work. While `dirty`, leaving the page asks first, and so does the browser before it
 * closes the tab. After a save go on with `navigate({ …, ignoreBlocker: true })`. A tab or a filter of the same page
 * keeps the form mounted; where its address does not, `isLeft` says which search takes it away.
 */
export function useUnsavedGuard(dirty: boolean, isLeft: (search: object) => boolean = () => false): void {
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
    shouldBlockFn: async ({ current, next }) =>
      (current.pathname !== next.pathname || isLeft(next.search)) && !(await confirmDiscard()),
  });
}

/**
 * Guards work that outlives its page within the console, such as staged values: signing out, another site and closing the
 * tab ask first. Answers what lets it go.
 */
export function holdWork(): () => void {
  const mine = {};
  held.add(mine);
  return () => {
    held.delete(mine);
  };
}

const hasUnsaved = (): boolean => unsaved.size + held.size > 0;

/** Whether something typed or a running job would be lost by loading the page anew. */
export const hasWork = (): boolean => hasUnsaved() || hasRunningJobs();

/** Asks, where something typed or a running job would be lost by leaving the whole console. */
export async function mayLeave(): Promise<boolean> {
  if (hasUnsaved() && !(await confirmDiscard())) return false;
  if (!hasRunningJobs()) return true;
  return confirm({
    title: 'Leave while work is going on?',
    body: 'What is in the tray stops where it is. What it has done so far stays done.',
    action: 'Stop it and leave',
    cancel: 'Stay',
    danger: true,
  });
}

/** Before the tab closes or loads anew, the browser asks where something would be lost that no page guards. */
export function guardWork(): void {
  addEventListener('beforeunload', (event) => {
    if (!released && (held.size > 0 || hasRunningJobs())) event.preventDefault();
  });
}

/** The page is about to load anew, and whoever works here has agreed to it. */
export function releaseGuards(): void {
  released = true;
}

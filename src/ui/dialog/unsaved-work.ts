import { useBlocker } from '@tanstack/react-router';
import { useEffect } from 'react';
import { confirm, confirmDiscard } from './confirm.ts';

const dirtyForms = new Set<object>();
const heldWork = new Set<object>();
const openEditors = new Set<() => void>();
let isReleased = false;
let hasRunningJobs = () => false;

/** Sets the check whether a job of this tab is running. */
export function setRunningJobsCheck(check: () => boolean): void {
  hasRunningJobs = check;
}

/**
 * Guards unsaved input: while `dirty`, leaving the page and closing the tab ask first. After saving, navigate with
 * `ignoreBlocker: true`. A change of search parameters keeps the form mounted; if it does not, `isLeft` tells which search
 * unmounts the form. `confirmLeft` asks where something other than changes is lost.
 */
export function useUnsavedGuard(
  dirty: boolean,
  isLeft: (search: object) => boolean = () => false,
  confirmLeft: () => Promise<boolean> = confirmDiscard,
): void {
  useEffect(() => {
    if (!dirty) return undefined;
    const token = {};
    dirtyForms.add(token);
    return () => {
      dirtyForms.delete(token);
    };
  }, [dirty]);
  useBlocker({
    disabled: !dirty,
    enableBeforeUnload: () => !isReleased,
    shouldBlockFn: async ({ current, next }) =>
      (current.pathname !== next.pathname || isLeft(next.search)) && !(await confirmLeft()),
  });
}

/**
 * Guards the input of a panel that closes without leaving its page: closing and Cancel ask while `isDirty`, as `useUnsavedGuard` does for
 * leaving. @returns the question of the panel, and what Cancel calls
 */
export function usePanelGuard(
  isDirty: boolean,
  onClose: () => void,
  isLeft?: (search: object) => boolean,
): { confirmClose: (() => Promise<boolean>) | undefined; cancel: () => Promise<void> } {
  useUnsavedGuard(isDirty, isLeft);
  return {
    confirmClose: isDirty ? confirmDiscard : undefined,
    async cancel() {
      if (!isDirty || (await confirmDiscard())) onClose();
    },
  };
}

/**
 * Guards work that outlives its page within the console, such as staged changes: signing out, switching the site and
 * closing the tab ask first. Returns the function that releases the guard.
 */
export function guardStagedWork(): () => void {
  const token = {};
  heldWork.add(token);
  return () => {
    heldWork.delete(token);
  };
}

/**
 * Commits the input of an editor before the tab closes or reloads, so that it is staged work by then. Returns the function that
 * releases the editor.
 */
export function commitBeforeUnload(commit: () => void): () => void {
  openEditors.add(commit);
  return () => {
    openEditors.delete(commit);
  };
}

const hasUnsavedInput = (): boolean => dirtyForms.size + heldWork.size > 0;

/** Whether a reload would lose input or interrupt a job. */
export const hasUnsavedWork = (): boolean => hasUnsavedInput() || hasRunningJobs();

/** Asks for confirmation if leaving the console would lose input or interrupt a job; true if it may be left. */
export async function confirmLeave(): Promise<boolean> {
  if (hasUnsavedInput() && !(await confirmDiscard())) return false;
  if (!hasRunningJobs()) return true;
  return confirm({
    title: 'Leave while jobs are running?',
    body: 'Running jobs stop. What they have completed is kept.',
    action: 'Stop jobs and leave',
    cancel: 'Stay',
    danger: true,
  });
}

/** Makes the browser ask before the tab closes or reloads while staged work or running jobs exist. */
export function guardBeforeUnload(): void {
  addEventListener('beforeunload', (event) => {
    for (const commit of openEditors) commit();
    if (!isReleased && (heldWork.size > 0 || hasRunningJobs())) event.preventDefault();
  });
}

/** Disables the prompts before a reload that the user has agreed to. */
export function disableUnloadGuards(): void {
  isReleased = true;
}

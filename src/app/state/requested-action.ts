import type { RegisteredRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { createStore } from '../../ui/store.ts';
import { toast } from '../../ui/toast.ts';

/** Actions that a page carries out on what it shows when they were chosen elsewhere. */
type ActionName =
  | 'cancelJob'
  | 'deleteGroup'
  | 'endSessions'
  | 'exportEntries'
  | 'extendInvitation'
  | 'pauseAgentKey'
  | 'resendInvitation'
  | 'resetSecondFactor'
  | 'revokeAgentKey'
  | 'revokeInvitation'
  | 'sendPasswordLink';

interface RequestedAction {
  name: ActionName;
  /** Id of what the action concerns. */
  id: number;
}

const requestedAction = createStore<RequestedAction | undefined>(undefined);

/**
 * Asks the page that `open` leads to for an action on what it shows: the page opens the dialog that its own button opens. The request
 * waits until the page has loaded, and a later request replaces it.
 */
export async function requestAction(request: RequestedAction, open: () => Promise<unknown>): Promise<void> {
  await open();
  requestedAction.set(request);
}

/** Withdraws a request when its page is left, which may have failed to load; returns the function that stops it. */
export function withdrawLeftRequests(router: RegisteredRouter): () => void {
  return router.subscribe('onBeforeNavigate', ({ pathChanged }) => {
    if (pathChanged) requestedAction.set(undefined);
  });
}

interface RequestedActionOptions {
  /** Id of the only thing that the page shows. */
  id?: number;
  /** Why the action is not possible, shown instead. */
  disabledReason?: string | undefined;
}

/** Runs the action when it is requested for something that the page shows; `run` is undefined until the page has loaded it. */
export function useRequestedAction(
  name: ActionName,
  run: ((id: number) => void) | undefined,
  { id, disabledReason }: RequestedActionOptions = {},
): void {
  useEffect(() => {
    const take = () => {
      const request = requestedAction.get();
      if (!run || request?.name !== name || (id !== undefined && request.id !== id)) return;
      requestedAction.set(undefined);
      if (disabledReason === undefined) run(request.id);
      else toast({ tone: 'bad', title: disabledReason });
    };
    take();
    return requestedAction.subscribe(take);
  }, [name, run, id, disabledReason]);
}

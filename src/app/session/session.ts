import type { QueryClient } from '@tanstack/react-query';
import type { Session } from '../../../contract/generated/types.gen.ts';
import { getSessionIdentity, sessionQuery } from '../../api/session-query.ts';
import {
  isActingChange,
  clearSession,
  replaceSessionIdentity,
  isPageActing,
  markSignedOutElsewhere,
  lastSessionUse,
  ownCookieRenewals,
  applySessionIdentity,
  hasSession,
  recordCookieRenewal,
  recordSessionUse,
  repeatedSignIns,
  sessionState,
} from '../../api/session-state.ts';
import type { SessionIdentity } from '../../api/session-state.ts';
import { deleteStoredDirectory } from '../../directory/directory-session.ts';
import { pluralize } from '../../lib/numbers.ts';
import { hasUnsavedWork, disableUnloadGuards } from '../../ui/dialog/unsaved-work.ts';
import { createStore } from '../../ui/store.ts';
import { toast } from '../../ui/toast.ts';

type TabMessage =
  | { kind: 'arrived'; identity: SessionIdentity }
  | { kind: 'renewed' }
  | { kind: 'used'; at: number }
  | { kind: 'left' };

const channel = new BroadcastChannel('steward-session');
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a BroadcastChannel reaches only this origin
const postToTabs = (message: TabMessage) => channel.postMessage(message);

/** Starts a session after a sign-in on a page without one; clears the cache of an earlier user. */
export function startSession(queryClient: QueryClient, session: Session): void {
  clearSession();
  queryClient.clear();
  resumeSession(queryClient, session);
}

/** Resumes after signing in again over a page: the page stays, and other tabs continue too. */
export function resumeSession(queryClient: QueryClient, session: Session): void {
  queryClient.setQueryData(sessionQuery.queryKey, session);
  reportEndedSessions(session);
  const identity = getSessionIdentity(session);
  // A new session does not act; `applyActingChange` handles that change.
  if (!isActingChange(identity)) applySignIn(identity);
  postToTabs({ kind: 'arrived', identity });
}

function applySignIn(identity: SessionIdentity): void {
  applySessionIdentity(identity);
  if (sessionState.get() === 'open') repeatedSignIns.set(repeatedSignIns.get() + 1);
}

/** Reports other sessions of the user that the service ended because of the limit. */
function reportEndedSessions({ endedSessions = 0 }: Session): void {
  if (endedSessions === 0) return;
  toast({
    tone: 'info',
    title: `${pluralize(endedSessions, 'session', 'sessions')} elsewhere ended`,
    description: 'You can have up to 10 sessions. This one replaced the least recently used.',
  });
}

/** Reloads the page after switching the site, so that no data of the other site stays in memory. */
export function reloadOnSite(session: Session): void {
  postToTabs({ kind: 'arrived', identity: getSessionIdentity(session) });
  loadPage('/');
}

let clearAreaStorage: () => Promise<unknown> = () => Promise.resolve();

/** Sets the function that removes what areas store in the browser; `leaveSession` calls it. */
export function setAreaStorageCleaner(clear: () => Promise<unknown>): void {
  clearAreaStorage = clear;
}

let isSwitchingActing = false;

/** Reloads the page after starting or stopping to act, so that no data read under the other identity stays. */
export function switchActing(session: Session, path: string): void {
  isSwitchingActing = true;
  postToTabs({ kind: 'arrived', identity: getSessionIdentity(session) });
  void Promise.race([deleteStoredDirectory(), waitForStorageTimeout()]).then(() => loadPage(path));
}

/**
 * Handles each reading of the session. If the service has ended acting, the page shows that and continues under the user's
 * own identity: forms keep their input, all other data is read again. Returns true in that case.
 */
export function applyActingChange(queryClient: QueryClient, session: Session): boolean {
  const identity = getSessionIdentity(session);
  if (isSwitchingActing || !isActingChange(identity)) return false;
  if (!isPageActing() || identity.reportId !== undefined) {
    followActingChange(queryClient, identity);
    return false;
  }
  replaceSessionIdentity(identity);
  isActingEnded.set(true);
  void deleteStoredDirectory();
  queryClient.removeQueries({ type: 'inactive' });
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey !== sessionQuery.queryKey });
  return true;
}

/** Handles a start or stop of acting in another tab. Without unsaved work the page reloads. */
function followActingChange(queryClient: QueryClient, identity: SessionIdentity): void {
  if (!hasUnsavedWork()) reloadPage();
  // Acting stopped: reading the session handles it and keeps the input.
  else if (isPageActing() && identity.reportId === undefined) void queryClient.refetchQueries(sessionQuery);
  // Input must not be sent under the other identity; the page continues when the other tab stops acting.
  else applySessionIdentity(identity);
}

// Limits the wait for the deletion of stored data.
const STORAGE_TIMEOUT_MS = 1000;
const waitForStorageTimeout = () => new Promise((resolve) => setTimeout(resolve, STORAGE_TIMEOUT_MS));

/**
 * Leaves the session after a sign-out and deletes all stored data of the site from the browser. `to` is the address at
 * which an identity manager ends its own session.
 */
export function leaveSession(to = '/sign-in'): void {
  postToTabs({ kind: 'left' });
  clearSession();
  void Promise.race([
    Promise.all([deleteStoredDirectory(), clearAreaStorage()]),
    waitForStorageTimeout(),
  ]).then(() => loadPage(to));
}

function loadPage(path: string): void {
  disableUnloadGuards();
  location.assign(path);
}

/** Reloads this tab with the current session of the browser. */
export function reloadPage(): void {
  disableUnloadGuards();
  location.reload();
}

/** Keeps the session in step with the other tabs, which share it. */
export function syncSessionAcrossTabs(queryClient: QueryClient): void {
  ownCookieRenewals.subscribe(() => postToTabs({ kind: 'renewed' }));
  let lastHeardUse = 0;
  lastSessionUse.subscribe(() => {
    // A use reported by another tab is not reported back.
    if (lastSessionUse.get() > lastHeardUse) postToTabs({ kind: 'used', at: lastSessionUse.get() });
  });
  channel.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => {
    if (!hasSession()) return;
    if (data.kind === 'renewed') {
      recordCookieRenewal();
      return;
    }
    if (data.kind === 'used') {
      lastHeardUse = Math.max(lastHeardUse, data.at);
      recordSessionUse(data.at);
      return;
    }
    if (data.kind === 'arrived') {
      if (isActingChange(data.identity)) followActingChange(queryClient, data.identity);
      else applySignIn(data.identity);
      return;
    }
    // A page with unsaved work stays and requests a sign-in, because browsers show no leave prompt for a page without
    // interaction. It keeps its identity, so that nothing is sent under another user who signs in.
    if (hasUnsavedWork()) markSignedOutElsewhere();
    else location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  });
}

/**
 * Prevents the back/forward cache from showing an old page: the session may have ended and another person may use the
 * browser (T01). The page hides when it is left and reloads when it is restored.
 */
export function reloadWhenRestoredFromCache(): void {
  addEventListener('pagehide', () => {
    document.documentElement.hidden = true;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) reloadPage();
  });
}

/** Whether the page shows that the service has ended acting. */
export const isActingEnded = createStore(false);

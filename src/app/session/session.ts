import type { QueryClient } from '@tanstack/react-query';
import { holderOf, sessionQuery } from '../../api/session-query.ts';
import {
  actsOtherwise,
  dropSession,
  goOnAs,
  heldActing,
  leftElsewhere,
  lastUse,
  renewed,
  sessionArrived,
  sessionHeld,
  sessionRenewed,
  usedAt,
} from '../../api/session-gate.ts';
import type { Holder } from '../../api/session-gate.ts';
import type { Session } from '../../api/generated/types.gen.ts';
import { dropDownloads } from '../../areas/backups/download/drop.ts';
import { dropBulkJobs } from '../../areas/bulk/drop.ts';
import { dropDirectory } from '../../directory/drop.ts';
import { counted } from '../../lib/numbers.ts';
import { toast } from '../../ui/feedback/toast.ts';
import { actingEnded } from '../acting/ended.ts';
import { hasWork, releaseGuards } from '../../ui/form/unsaved.ts';

type Message =
  | { kind: 'arrived'; holder: Holder }
  | { kind: 'renewed' }
  | { kind: 'used'; at: number }
  | { kind: 'left' };

const channel = new BroadcastChannel('steward-session');
// A channel reaches only pages of this origin.
// oxlint-disable-next-line unicorn/require-post-message-target-origin
const tell = (message: Message) => channel.postMessage(message);

/** After signing in on a page without a session: nothing of an earlier person stays in the cache. */
export function enterSession(queryClient: QueryClient, session: Session): void {
  dropSession();
  queryClient.clear();
  resumeSession(queryClient, session);
}

/** After signing in again over a page: what is on screen stays, other tabs go on too. */
export function resumeSession(queryClient: QueryClient, session: Session): void {
  queryClient.setQueryData(sessionQuery.queryKey, session);
  tellOfEnded(session);
  const holder = holderOf(session);
  // The new session acts for nobody: the page learns that where it follows the session (noticeActing).
  if (!actsOtherwise(holder)) sessionArrived(holder);
  tell({ kind: 'arrived', holder });
}

/** So many sessions at once are the most; whoever still works in one that ended will want to know why. */
function tellOfEnded({ endedSessions = 0 }: Session): void {
  if (endedSessions === 0) return;
  toast({
    tone: 'info',
    title: `${counted(endedSessions, 'session', 'sessions')} elsewhere ended`,
    description: 'Ten at once are the most: this one took the place of what was used longest ago.',
  });
}

/** After switching the site. A full load of the page leaves nothing of the other site in memory. */
export function startOnSite(session: Session): void {
  tell({ kind: 'arrived', holder: holderOf(session) });
  loadPage('/');
}

let switching = false;

/** After beginning to act for somebody, or stopping: nothing that was read in the one name stays for the other. */
export function switchActing(session: Session, path: string): void {
  switching = true;
  tell({ kind: 'arrived', holder: holderOf(session) });
  void Promise.race([dropDirectory(), patience()]).then(() => loadPage(path));
}

/**
 * Called with each session that is read. Where the service has ended the acting, the page says so and goes on as
 * oneself: forms stay as they are, and everything else is read anew. True where that has just happened.
 */
export function noticeActing(queryClient: QueryClient, session: Session): boolean {
  const holder = holderOf(session);
  if (switching || !actsOtherwise(holder)) return false;
  if (!heldActing() || holder.reportId !== undefined) {
    followActing(queryClient, holder);
    return false;
  }
  goOnAs(holder);
  actingEnded.set(true);
  void dropDirectory();
  queryClient.removeQueries({ type: 'inactive' });
  void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey !== sessionQuery.queryKey });
  return true;
}

/** Another tab began to act, or stopped. Without typed or running work this one loads anew; it is not in the way then. */
function followActing(queryClient: QueryClient, holder: Holder): void {
  if (!hasWork()) reloadPage();
  // Stopped there: the service says so here as well, and what was typed stays.
  else if (heldActing() && holder.reportId === undefined) void queryClient.refetchQueries(sessionQuery);
  // Nothing typed in the one name may be sent in the other; when the other tab stops, this one goes on.
  else sessionArrived(holder);
}

// Removing takes a moment; a browser that hangs over it keeps nobody here.
const PATIENCE = 1000;
const patience = () => new Promise((resolve) => setTimeout(resolve, PATIENCE));

/**
 * After signing out, here or in another tab: the people and the backups of the site stay nowhere in the
 * browser. `to` is where an
 * identity manager ends its own session.
 */
export function leaveSession(to = '/sign-in'): void {
  tell({ kind: 'left' });
  dropSession();
  void Promise.race([Promise.all([dropDirectory(), dropBulkJobs(), dropDownloads()]), patience()]).then(() =>
    loadPage(to),
  );
}

function loadPage(path: string): void {
  releaseGuards();
  location.assign(path);
}

/** Starts this tab anew with whatever session the browser has now. */
export function reloadPage(): void {
  releaseGuards();
  location.reload();
}

/** Follows what other tabs do with the session they share with this one. */
export function followOtherTabs(queryClient: QueryClient): void {
  renewed.subscribe(() => tell({ kind: 'renewed' }));
  let heard = 0;
  lastUse.subscribe(() => {
    // What another tab has told is not told back to it.
    if (lastUse.get() > heard) tell({ kind: 'used', at: lastUse.get() });
  });
  channel.addEventListener('message', ({ data }: MessageEvent<Message>) => {
    if (!sessionHeld()) return;
    if (data.kind === 'renewed') {
      sessionRenewed();
      return;
    }
    if (data.kind === 'used') {
      heard = Math.max(heard, data.at);
      usedAt(data.at);
      return;
    }
    if (data.kind === 'arrived') {
      if (actsOtherwise(data.holder)) followActing(queryClient, data.holder);
      else sessionArrived(data.holder);
      return;
    }
    // Unsaved work keeps its page, which asks to sign in again: a browser asks nobody about a page that was not touched
    // since it was loaded. Who stays is still the holder: somebody else who signs in meanwhile must not be sent from here.
    if (hasWork()) leftElsewhere();
    else location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  });
}

/**
 * A page that the browser keeps for its Back button is not shown again as it was: the session may be over, and another
 * person in front of the screen (T01). It hides as it goes and loads anew when it comes back.
 */
export function forgetOnLeaving(): void {
  addEventListener('pagehide', () => {
    document.documentElement.hidden = true;
  });
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) reloadPage();
  });
}

import { createStore } from '../ui/store.ts';
import { reach } from './reach.ts';

/** Who works here, as far as a change of person or site must be noticed. */
export interface Holder {
  userId: number;
  siteId: number;
}

/**
 * What stands between the page and its session:
 * `open` nothing; `ended` the service said 401, calls wait for the same person to sign in again;
 * `replaced` another tab signed in as somebody else or went to another site: nothing more may be sent from here.
 */
export type Gate = 'open' | 'ended' | 'replaced';

/** Followed by the dialog "Sign in again to go on". */
export const gate = createStore<Gate>('open');

// Before somebody holds the session, a 401 is an answer like others.
let holder: Holder | undefined;
let waiting: Array<(signedIn: boolean) => void> = [];

function settle(signedIn: boolean): void {
  const calls = waiting;
  waiting = [];
  for (const call of calls) call(signedIn);
}

/** The session is over by wish: later 401s open no dialog. */
export function dropSession(): void {
  holder = undefined;
  settle(false);
}

/** Another tab has signed out: whoever stays on this page for their unsaved work has to sign in again. */
export function endSession(): void {
  if (holder && gate.get() === 'open') gate.set('ended');
}

/** Waits until the same person has signed in again; false where they would not. */
function signedInAgain(): Promise<boolean> {
  if (!holder || gate.get() === 'replaced') return Promise.resolve(false);
  gate.set('ended');
  return new Promise((resolve) => waiting.push(resolve));
}

/**
 * Says who is signed in: at the start, after signing in again, or because another tab did. Waiting calls go
 * on, or, where it is somebody else or another site, this page is closed to calls.
 */
export function sessionArrived(next: Holder): void {
  holder ??= next;
  const same = holder.userId === next.userId && holder.siteId === next.siteId;
  gate.set(same ? 'open' : 'replaced');
  settle(same);
}

/** True once this page has worked with a session. */
export const sessionHeld = (): boolean => holder !== undefined;

/** The person would rather not sign in again now: the calls that waited fail with their 401. */
export function leaveEnded(): void {
  gate.set('open');
  settle(false);
}

// Beginning and ending a session, and one-time links: their 401 is an answer to what was typed.
const WITHOUT_SESSION = /\/api\/session(\/(link|password|password\/request|setup))?$/;

/**
 * `fetch` for every call of the console. A 401 means that nothing was done, so the same call can be
 * sent again once the person has signed in again; what they typed stays where it is meanwhile.
 */
export async function gatedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (request.method !== 'GET' && WITHOUT_SESSION.test(new URL(request.url).pathname)) return reach(request);
  if (gate.get() === 'replaced') return new Response(null, { status: 401 });
  const answer = await reach(request.clone());
  if (answer.status !== 401 || !(await signedInAgain())) return answer;
  return reach(request);
}

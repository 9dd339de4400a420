import { createStore } from '../ui/store.ts';
import { reach } from './reach.ts';
import { asksForProof, provenPresence } from './step-up.ts';

/** Who works here, as far as a change of person or site must be noticed. */
export interface Holder {
  userId: number;
  siteId: number;
  /** The report they act in; absent when they act for nobody. */
  reportId?: number | undefined;
}

/**
 * What stands between the page and its session:
 * `open` nothing; `ended` the service said 401, calls wait for the same person to sign in again;
 * `replaced` another tab signed in as somebody else, went to another site or began to act for somebody: nothing more
 * may be sent from here.
 */
export type Gate = 'open' | 'ended' | 'replaced';

/** Followed by the dialog "Sign in again to go on". */
export const gate = createStore<Gate>('open');

// The console says for whom it believes to act, and every answer says for whom it really does: what is meant for the
// one is never done as the other (contract, beginActing).
const ACTING = 'X-Steward-Acting';

/** When the service was last heard of the session from this browser; silence ends it (contract, Session.idleSeconds). */
export const lastUse = createStore(0);

/** Says that the session was used then, here or in another tab. */
export function usedAt(moment: number): void {
  if (moment > lastUse.get()) lastUse.set(moment);
}

/** What a call says of for whom it is meant. */
export const actingHeader = ({ reportId }: Holder): [name: string, value: string] => [
  ACTING,
  String(reportId ?? 0),
];

/** Grows whenever the session has to be read again: for whom it acts may have changed. */
export const actingMoves = createStore(0);

/** Says that for whom the session acts may have changed. */
export const askForSession = (): void => actingMoves.set(actingMoves.get() + 1);

const SESSION = /\/api\/session(\/acting)?$/;

async function ask(request: Request): Promise<Response> {
  const sent = Date.now();
  const answer = await reach(request);
  // Counted from the second: lists of many calls are one use.
  if (answer.ok && sent - lastUse.get() >= 1000) usedAt(sent);
  const said = answer.headers.get(ACTING);
  const isOther = holder && said !== null && Number(said) !== (holder.reportId ?? 0);
  // What the session itself answers is read where it was asked.
  if (isOther && !SESSION.test(new URL(request.url).pathname)) askForSession();
  return answer;
}

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

/** The session is about to end, or has: whoever stays on this page for their unsaved work has to sign in again. */
export function endSession(): void {
  if (holder && gate.get() === 'open') gate.set('ended');
}

let left = false;

/** Somebody signed out in another tab, and this one stays for its unsaved work. */
export function leftElsewhere(): void {
  left = true;
  endSession();
}

/** Whether somebody may be found who works here: not after a sign-out, until they have signed in again. */
export const isSignedIn = (): boolean => holder !== undefined && !left;

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
  usedAt(Date.now());
  const same = isSameHolder(holder, next);
  if (same) left = false;
  gate.set(same ? 'open' : 'replaced');
  settle(same);
}

/** Whether they are one person on one site, for whomever they act. */
export const isSamePerson = (a: Holder, b: Holder): boolean => a.userId === b.userId && a.siteId === b.siteId;

/** The same in the same name: what was read in the one name is not shown in the other. */
export const isSameHolder = (a: Holder, b: Holder): boolean =>
  isSamePerson(a, b) && a.reportId === b.reportId;

/** Whether this is the person and site of this page, who now act for somebody else than before or for nobody. */
export const actsOtherwise = (next: Holder): boolean =>
  holder !== undefined && isSamePerson(holder, next) && holder.reportId !== next.reportId;

/** Whether this page has worked for somebody else than whoever is signed in. */
export const heldActing = (): boolean => holder?.reportId !== undefined;

/**
 * The page goes on under the same person, who acts for nobody any more. What it waited to send was meant in the other
 * name and is not sent; whoever follows the gate gives up what was read in that name.
 */
export function goOnAs(next: Holder): void {
  gate.set('replaced');
  settle(false);
  holder = next;
  gate.set('open');
}

/** True once this page has worked with a session. */
export const sessionHeld = (): boolean => holder !== undefined;

/** The person would rather not sign in again now: the calls that waited fail with their 401. */
export function leaveEnded(): void {
  gate.set('open');
  settle(false);
}

// Beginning and ending a session, and one-time links: their 401 is an answer to what was typed.
const WITHOUT_SESSION =
  /\/api\/session(\/(link|password|password\/request|setup|two-factor|passkey|passkey\/options))?$/;
// Of half a sign-in, and of a whole session.
const EITHER = /\/api\/session\/two-factor\/(passkey|enrolment)$/;
// The session goes on under a new cookie after these.
const RENEWS = /\/api\/session\/(proof|security\/password|two-factor\/enrolment)$/;

function hasNoSession({ method, url }: Request): boolean {
  const { pathname } = new URL(url);
  if (method === 'GET') return false;
  return WITHOUT_SESSION.test(pathname) || (EITHER.test(pathname) && (!holder || gate.get() === 'ended'));
}

let renewals = 0;
let renewing: Promise<unknown> = Promise.resolve();

/** The session has a new cookie, as this tab or another one has just learnt. */
export function sessionRenewed(): void {
  renewals += 1;
}

/** Followed by the session's channel: other tabs share the cookie. */
export const renewed = createStore(0);

/** Sends a call; one that was under way while the cookie changed is sent again with the new one. */
async function send(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method !== 'GET' && RENEWS.test(pathname)) {
    const call = ask(request.clone());
    renewing = call.catch(() => undefined);
    const answer = await call;
    if (answer.ok) {
      sessionRenewed();
      renewed.set(renewed.get() + 1);
    }
    return answer;
  }
  const before = renewals;
  const answer = await ask(request.clone());
  if (answer.status !== 401) return answer;
  await renewing;
  return renewals === before ? answer : ask(request.clone());
}

/**
 * `fetch` for every call of the console. A 401 means that nothing was done, so the same call can be
 * sent again once the person has signed in again; what they typed stays where it is meanwhile. So it is with
 * a 403 that asks for a proof that it is still them.
 */
export async function gatedFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (hasNoSession(request)) return reach(request);
  if (gate.get() === 'replaced') return new Response(null, { status: 401 });
  if (holder) request.headers.set(...actingHeader(holder));
  const answer = await throughSignIn(request);
  if (!(await asksForProof(answer)) || !(await provenPresence())) return answer;
  return throughSignIn(request);
}

async function throughSignIn(request: Request): Promise<Response> {
  const answer = await send(request);
  if (answer.status !== 401 || !(await signedInAgain())) return answer;
  return send(request);
}

import { createStore } from '../ui/store.ts';
import { ServiceError } from './errors.ts';
import { fetchAndTrackReachability } from './reachability.ts';
import { isProofRequired, requestProof } from './step-up.ts';

/** The user, site and acting report of a session; a change of any of them is a change of session for this page. */
export interface SessionIdentity {
  userId: number;
  siteId: number;
  /** Id of the acting report; absent while the user acts for nobody. */
  reportId?: number | undefined;
}

/**
 * State of the session as this page sees it:
 * `open`: calls are sent;
 * `ended`: the service answered 401, calls wait until the same user signs in again;
 * `replaced`: another tab signed in as another user, switched the site or started acting; this page sends nothing.
 */
export type SessionState = 'open' | 'ended' | 'replaced';

/** Current session state; the session dialog is open while it is not `open`. */
export const sessionState = createStore<SessionState>('open');

// Sent with every call and returned with every answer, so that a call made while acting for one principal is never
// executed in another identity (contract, beginActing).
const ACTING_HEADER = 'X-Steward-Acting';

/**
 * Time of the last use of the session in this browser, in milliseconds since the epoch. The service ends an idle session
 * (contract, Session.idleSeconds).
 */
export const lastSessionUse = createStore(0);

/** Records a use of the session in this or another tab; older timestamps are ignored. */
export function recordSessionUse(timestamp: number): void {
  if (timestamp > lastSessionUse.get()) lastSessionUse.set(timestamp);
}

/** Builds the header that names the acting report a call is meant for; 0 stands for the user's own name. */
export const getActingHeader = ({ reportId }: SessionIdentity): [name: string, value: string] => [
  ACTING_HEADER,
  String(reportId ?? 0),
];

/** Counter that grows whenever the session has to be read again because acting may have started or ended. */
export const sessionRefreshRequests = createStore(0);

/** Requests a new reading of the session. */
export const requestSessionRefresh = (): void => sessionRefreshRequests.set(sessionRefreshRequests.get() + 1);

const SESSION_PATH = /\/api\/session(\/acting)?$/;

async function fetchAndTrackSession(request: Request): Promise<Response> {
  const sentAt = Date.now();
  const response = await fetchAndTrackReachability(request);
  // Recorded once a second at most: pages send many calls at a time.
  if (response.ok && sentAt - lastSessionUse.get() >= 1000) recordSessionUse(sentAt);
  const actingReportId = response.headers.get(ACTING_HEADER);
  const isDifferent =
    currentIdentity && actingReportId !== null && Number(actingReportId) !== (currentIdentity.reportId ?? 0);
  // The callers of the session operations read the identity from the body.
  if (isDifferent && !SESSION_PATH.test(new URL(request.url).pathname)) requestSessionRefresh();
  return response;
}

// Undefined until a session is known; a 401 is then an ordinary answer.
let currentIdentity: SessionIdentity | undefined;
let pendingRetries: Array<(signedIn: boolean) => void> = [];

function settlePendingRetries(signedIn: boolean): void {
  const retries = pendingRetries;
  pendingRetries = [];
  for (const retry of retries) retry(signedIn);
}

/** Forgets the session after a sign-out; later 401 answers open no dialog. */
export function clearSession(): void {
  currentIdentity = undefined;
  settlePendingRetries(false);
}

/** Marks the session as ended, so that the user signs in again and keeps unsaved work. */
export function markSessionEnded(): void {
  if (currentIdentity && sessionState.get() === 'open') sessionState.set('ended');
}

let isSignedOutElsewhere = false;

/** Marks the session as ended by a sign-out in another tab, while this tab stays open for its unsaved work. */
export function markSignedOutElsewhere(): void {
  isSignedOutElsewhere = true;
  markSessionEnded();
}

/** Number of times that the user signed in again while this page stayed open, in this or another tab. */
export const repeatedSignIns = createStore(0);

/** Whether a user is signed in; false after a sign-out in any tab. */
export const isSignedIn = (): boolean => currentIdentity !== undefined && !isSignedOutElsewhere;

/** Waits until the same user has signed in again; false if they cancel. */
function waitForSignIn(): Promise<boolean> {
  if (!currentIdentity || sessionState.get() === 'replaced') return Promise.resolve(false);
  sessionState.set('ended');
  return new Promise((resolve) => pendingRetries.push(resolve));
}

/**
 * Applies the identity of the current session: at start, after signing in again, or when another tab signed in. Waiting
 * calls are resent for the same identity; for another one the page is closed to calls.
 */
export function applySessionIdentity(identity: SessionIdentity): void {
  currentIdentity ??= identity;
  recordSessionUse(Date.now());
  const isSame = isSameIdentity(currentIdentity, identity);
  if (isSame) isSignedOutElsewhere = false;
  sessionState.set(isSame ? 'open' : 'replaced');
  settlePendingRetries(isSame);
}

/** Whether two identities are the same user on the same site, whoever they act for. */
export const isSameUserAndSite = (a: SessionIdentity, b: SessionIdentity): boolean =>
  a.userId === b.userId && a.siteId === b.siteId;

/** Whether user, site and acting report are equal; data read under one identity is never shown under another. */
export const isSameIdentity = (a: SessionIdentity, b: SessionIdentity): boolean =>
  isSameUserAndSite(a, b) && a.reportId === b.reportId;

/** Whether the user and site of this page are unchanged but acting started, ended or moved to another principal. */
export const isActingChange = (identity: SessionIdentity): boolean =>
  currentIdentity !== undefined &&
  isSameUserAndSite(currentIdentity, identity) &&
  currentIdentity.reportId !== identity.reportId;

/** Returns the identity under which this page sends its calls; undefined before a session is known. */
export const getCurrentIdentity = (): SessionIdentity | undefined => currentIdentity;

/**
 * Ensures that work is continued only by the user and for the principal who started it: a page continues in the user's
 * own name after the service has ended acting, but its jobs do not. @throws ServiceError
 */
export function requireIdentity(identity: SessionIdentity | undefined): void {
  if (!identity || !currentIdentity || isSameIdentity(identity, currentIdentity)) return;
  throw new ServiceError(
    409,
    identity.reportId === undefined
      ? 'Started under another identity'
      : 'Started while you worked as someone else, which has ended',
  );
}

/** Whether this page works as a principal. */
export const isPageActing = (): boolean => currentIdentity?.reportId !== undefined;

/**
 * Continues the page under another identity of the same user, after acting has ended. Waiting calls were meant for the
 * principal and fail; subscribers of `sessionState` see `replaced` and drop the data read as the principal.
 */
export function replaceSessionIdentity(identity: SessionIdentity): void {
  sessionState.set('replaced');
  settlePendingRetries(false);
  currentIdentity = identity;
  sessionState.set('open');
}

/** Whether this page has had a session. */
export const hasSession = (): boolean => currentIdentity !== undefined;

/** Closes the sign-in dialog without signing in; waiting calls fail with their 401. */
export function dismissSignIn(): void {
  sessionState.set('open');
  settlePendingRetries(false);
}

// Sign-in, sign-out and one-time links: their 401 concerns the submitted credentials.
const SIGN_IN_PATHS =
  /\/api\/session(\/(link|password|password\/request|setup|two-factor|passkey|passkey\/options))?$/;
// Called both during a sign-in and within a session.
const SECOND_FACTOR_PATHS = /\/api\/session\/two-factor\/(passkey|enrolment)$/;
// These operations renew the session cookie.
const COOKIE_RENEWING_PATHS = /\/api\/session\/(proof|security\/password|two-factor\/enrolment)$/;

function isSessionless({ method, url }: Request): boolean {
  const { pathname } = new URL(url);
  if (method === 'GET') return false;
  return (
    SIGN_IN_PATHS.test(pathname) ||
    (SECOND_FACTOR_PATHS.test(pathname) && (!currentIdentity || sessionState.get() === 'ended'))
  );
}

let knownCookieRenewals = 0;
let pendingRenewal: Promise<unknown> = Promise.resolve();

/** Records that this or another tab renewed the session cookie. */
export function recordCookieRenewal(): void {
  knownCookieRenewals += 1;
}

/** Number of cookie renewals by this tab; announced to the other tabs, which share the cookie. */
export const ownCookieRenewals = createStore(0);

/** Sends a call, and sends it again if its 401 is due to a cookie renewal that happened in the meantime. */
async function sendWithCurrentCookie(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url);
  if (request.method !== 'GET' && COOKIE_RENEWING_PATHS.test(pathname)) {
    const call = fetchAndTrackSession(request.clone());
    pendingRenewal = call.catch(() => undefined);
    const answer = await call;
    if (answer.ok) {
      recordCookieRenewal();
      ownCookieRenewals.set(ownCookieRenewals.get() + 1);
    }
    return answer;
  }
  const renewalsBefore = knownCookieRenewals;
  const answer = await fetchAndTrackSession(request.clone());
  if (answer.status !== 401) return answer;
  await pendingRenewal;
  return knownCookieRenewals === renewalsBefore ? answer : fetchAndTrackSession(request.clone());
}

/**
 * `fetch` for every call of the console. A 401 means that nothing was done, so the call is sent again after the user has
 * signed in again, and typed input stays in place. The same holds for a 403 that requires a proof of presence.
 */
export async function sessionFetch(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  const request = new Request(input, init);
  if (isSessionless(request)) return fetchAndTrackReachability(request);
  if (sessionState.get() === 'replaced') return new Response(null, { status: 401 });
  if (currentIdentity) request.headers.set(...getActingHeader(currentIdentity));
  const answer = await sendWithSignIn(request);
  if (!(await isProofRequired(answer)) || !(await requestProof())) return answer;
  return sendWithSignIn(request);
}

async function sendWithSignIn(request: Request): Promise<Response> {
  const answer = await sendWithCurrentCookie(request);
  if (answer.status !== 401 || !(await waitForSignIn())) return answer;
  return sendWithCurrentCookie(request);
}

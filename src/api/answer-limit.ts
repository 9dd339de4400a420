import { createStore } from '../ui/store.ts';
import { NO_ANSWER, ServiceError, UnknownOutcomeError, unreachableError } from './errors.ts';
import { recordAnswerTime } from './latency.ts';

/** A call without an answer for this time is shown to the user. */
const SLOW_AFTER_MS = 5000;
/** A call without an answer for this time is abandoned. */
const ANSWER_TIMEOUT_MS = 30_000;

const UNKNOWN_OUTCOME = 'It is unknown whether it took effect';

/**
 * Calls that have no answer for longer than `SLOW_AFTER_MS`, and reads that were sent again: when the oldest of each kind
 * was sent, by `Date.now`.
 */
export interface SlowCalls {
  readsSince?: number | undefined;
  writesSince?: number | undefined;
  /** All these reads were just sent again. */
  isResending?: boolean | undefined;
}

/** Slow calls of this page or worker. */
export const slowCalls = createStore<SlowCalls>({});

/** Slow calls of the page's directory worker, which sends its own. */
export const slowWorkerCalls = createStore<SlowCalls>({});

let resendWorkerReads: (() => void) | undefined;

/** Sets the function that makes the directory worker send its reads again. */
export function setWorkerResend(resend: () => void): void {
  resendWorkerReads = resend;
}

// POST operations that only read (contract/rules/operations.ts), by path.
const READ_ONLY_POST_PATHS =
  /\/(management\/users|user\/activity(\/(summary|last))?|addresses\/rehearsal|invitations\/check|entrydata\/[^/]+\/filter|entrydata\/get(HistoricalData)?|entrydata\/rows\/(asof|query)\/[^/]+|entrylookup|publication\/(environments\/[^/]+\/)?poll|topicdefinitions\/rehearsal|schema\/impact)$/;

/** Whether a call only reads, so that it can be sent again without changing anything. */
export const isRead = (method: string, pathname: string): boolean =>
  method === 'GET' || method === 'HEAD' || (method === 'POST' && READ_ONLY_POST_PATHS.test(pathname));

const isReadRequest = ({ method, url }: Request): boolean => isRead(method, new URL(url).pathname);

/** Error of a sent call whose connection broke before or within its answer: a write may have taken effect. */
export function toLostAnswerError(request: Request): ServiceError {
  const error = unreachableError();
  return isReadRequest(request) ? error : new UnknownOutcomeError(0, `${error.message}. ${UNKNOWN_OUTCOME}`);
}

interface PendingCall {
  isRead: boolean;
  sentAt: number;
  isResent: boolean;
  resend: () => void;
}

const pendingCalls = new Set<PendingCall>();

const findOldest = (calls: readonly PendingCall[]): number | undefined =>
  calls.length === 0 ? undefined : Math.min(...calls.map(({ sentAt }) => sentAt));

function updateSlowCalls(): void {
  const latest = Date.now() - SLOW_AFTER_MS;
  const slow = [...pendingCalls].filter(({ sentAt, isResent }) => isResent || sentAt <= latest);
  const readsSince = findOldest(slow.filter((call) => call.isRead));
  const writesSince = findOldest(slow.filter((call) => !call.isRead));
  const before = slowCalls.get();
  const isResending = (readsSince !== undefined && readsSince > latest) || undefined;
  if (
    before.readsSince !== readsSince ||
    before.writesSince !== writesSince ||
    before.isResending !== isResending
  )
    slowCalls.set({ readsSince, writesSince, isResending });
}

/** Abandons the pending reads and sends them again at once; writes are never sent again, they may have arrived. */
export function resendReads(): void {
  for (const call of pendingCalls) if (call.isRead) call.resend();
  updateSlowCalls();
  resendWorkerReads?.();
}

/** Whether the response is a page that the service did not send, such as the sign-in of a proxy or a network: its calls return none. */
const isForeignPage = ({ ok, headers }: Response): boolean =>
  ok && headers.get('content-type')?.startsWith('text/html') === true;

/** A proxy answered after it may have passed the call on: its connection to the service broke or took too long. */
const isLostAnswer = ({ status, headers }: Response): boolean =>
  (status === 502 || status === 504) && headers.get('content-type')?.includes('json') !== true;

/**
 * `fetch` that waits `ANSWER_TIMEOUT_MS` for an answer. The limit ends with the headers of the answer, so that large
 * answers and downloads can take longer.
 * @throws ServiceError with the code `NO_ANSWER` after that time, when it is unknown whether a write took effect; 0 without a connection,
 *   for a write as an unknown outcome unless the browser was offline; 502 for a page that the service did not send; 502 or 504 for a write
 *   of which a proxy has lost the answer
 */
export async function fetchWithLimit(request: Request): Promise<Response> {
  const call: PendingCall = {
    isRead: isReadRequest(request),
    sentAt: 0,
    isResent: false,
    resend: () => undefined,
  };
  pendingCalls.add(call);
  const start = performance.now();
  try {
    for (;;) {
      // A resent read follows the abandoned one.
      const answer = await sendOnce(request, call);
      if (answer === 'resend') continue;
      if (isForeignPage(answer))
        throw new ServiceError(
          502,
          'A proxy or the sign-in page of a network answered instead of the service',
        );
      if (!call.isRead && isLostAnswer(answer))
        throw new UnknownOutcomeError(
          answer.status,
          `A proxy answered with status ${answer.status}. ${UNKNOWN_OUTCOME}`,
        );
      if (call.isRead) recordAnswerTime(performance.now() - start);
      return answer;
    }
  } finally {
    pendingCalls.delete(call);
    updateSlowCalls();
  }
}

async function sendOnce(request: Request, call: PendingCall): Promise<Response | 'resend'> {
  const attempt = new AbortController();
  let end: 'resend' | 'timeout' | undefined;
  const abandon = (reason: 'resend' | 'timeout') => {
    end = reason;
    attempt.abort();
  };
  call.sentAt = Date.now();
  call.resend = () => {
    call.sentAt = Date.now();
    call.isResent = true;
    abandon('resend');
  };
  const signal = AbortSignal.any([request.signal, attempt.signal]);
  const sent = new Request(call.isRead ? request.clone() : request, { signal });
  const wasOffline = !navigator.onLine;
  const notice = setTimeout(updateSlowCalls, SLOW_AFTER_MS);
  const timeout = setTimeout(() => abandon('timeout'), ANSWER_TIMEOUT_MS);
  try {
    return await fetch(sent);
  } catch (error) {
    if (request.signal.aborted) throw error;
    if (end === undefined) {
      if (!(error instanceof TypeError)) throw error;
      // The browser does not tell a refused connection from one that broke after the service got the call.
      throw wasOffline ? unreachableError() : toLostAnswerError(request);
    }
    if (end === 'resend') return 'resend';
    throw new (call.isRead ? ServiceError : UnknownOutcomeError)(
      0,
      formatNoAnswer(call.isRead),
      [],
      undefined,
      NO_ANSWER,
    );
  } finally {
    clearTimeout(notice);
    clearTimeout(timeout);
  }
}

const formatNoAnswer = (reads: boolean): string =>
  `The service did not answer within ${ANSWER_TIMEOUT_MS / 1000} seconds${reads ? '' : `. ${UNKNOWN_OUTCOME}`}`;

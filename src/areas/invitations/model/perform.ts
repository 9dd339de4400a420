import { toServiceError } from '../../../api/errors.ts';
import type { Capability } from '../../../api/generated/types.gen.ts';
import { isPassing } from '../../bulk/outcome.ts';
import { doneWords, send } from './order.ts';
import type { Order } from './order.ts';
import { patiently, secondsToWait } from './patient.ts';
import { laterWords, refusalWords } from './refusal.ts';

/** What came of one request. */
export interface Result {
  result: 'done' | 'failed';
  words: string;
  /** Refused for being one too many, for longer than anybody waits. */
  tooOften?: boolean;
  requestId?: string | undefined;
}

interface Circumstances {
  /** What the caller may do. */
  held: readonly Capability[];
  /** The same request was sent before and no answer came: whether it arrived is not known. */
  unsure: boolean;
  wait: (seconds: number) => Promise<void>;
}

/** What is refused when it was done already; sending again and extending are not, so nothing follows for them. */
const ONCE: ReadonlySet<Order['does']> = new Set(['invite', 'add', 'revoke']);
const ARRIVED = 'Was done at the first try, whose answer was lost';

/**
 * Sends one order and says what came of it.
 * @throws ServiceError where the fault is not the order's: it can be sent again later
 */
export async function perform(order: Order, { held, unsure, wait }: Circumstances): Promise<Result> {
  const { error, response, data } = await patiently(() => send(order), wait);
  if (error === undefined) return { result: 'done', words: doneWords(order, data) };
  const failure = toServiceError(error, response);
  const { status, requestId } = failure;
  if (response && status === 429)
    return {
      result: 'failed',
      words: laterWords(failure, secondsToWait(response)),
      tooOften: true,
      requestId,
    };
  if (isPassing(failure)) throw failure;
  if (status === 409 && unsure && ONCE.has(order.does)) return { result: 'done', words: ARRIVED };
  return { result: 'failed', words: refusalWords(order.does, failure, held), requestId };
}

import type { Capability } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { formatDistance } from '../../../lib/dates.ts';
import { isTransientError } from '../../bulk/index.ts';
import { formatDone, sendRequest } from './requests.ts';
import type { InvitationRequest, RequestAction } from './requests.ts';
import { retryWhenLimited, getRetryAfterSeconds } from './retry-after.ts';

/** Result of one request. */
export interface RequestResult {
  result: 'done' | 'failed';
  message: string;
  /** Refused by a rate limit that is too long to wait for. */
  isRateLimited?: boolean;
  requestId?: string | undefined;
}

interface ExecutionContext {
  /** Capabilities of the user. */
  capabilities: readonly Capability[];
  /** The same request was sent before without an answer. */
  mayBeStored: boolean;
  wait: (seconds: number) => Promise<void>;
}

/** Actions that are refused when done already; resending and extending can be repeated. */
const NON_REPEATABLE: ReadonlySet<InvitationRequest['action']> = new Set(['invite', 'add', 'revoke']);
const STORED_EARLIER = 'Completed by an earlier request without an answer';

/**
 * Executes one request, waiting for short rate limits. @throws ServiceError if the error does not concern the request,
 * so that it can be sent again
 */
export async function executeRequest(
  order: InvitationRequest,
  { capabilities, mayBeStored, wait }: ExecutionContext,
): Promise<RequestResult> {
  const { error, response, data } = await retryWhenLimited(() => sendRequest(order), wait);
  if (error === undefined) return { result: 'done', message: formatDone(order, data) };
  const failure = toServiceError(error, response);
  const { status, requestId } = failure;
  if (response && status === 429)
    return {
      result: 'failed',
      message: formatRetryLater(failure, getRetryAfterSeconds(response)),
      isRateLimited: true,
      requestId,
    };
  if (isTransientError(failure)) throw failure;
  if (status === 409 && mayBeStored && NON_REPEATABLE.has(order.action))
    return { result: 'done', message: STORED_EARLIER };
  return { result: 'failed', message: formatRefusal(order.action, failure, capabilities), requestId };
}

const ADD_CAPABILITY: Capability = 'Manage Existing Users';

const removeFullStop = (sentence: string): string => sentence.replace(/\.$/, '');

/**
 * Message for a refusal. A 403 when adding has two reasons (spec 5.6), distinguished by the user's capabilities: a
 * missing capability, or the site may not add.
 */
export function formatRefusal(
  action: RequestAction,
  error: ServiceError,
  capabilities: readonly Capability[],
): string {
  const { status, message, fields } = error;
  if (action === 'add' && status === 403 && !capabilities.includes(ADD_CAPABILITY))
    return `You do not have the capability ${ADD_CAPABILITY}; invite them, or ask someone who has it`;
  if (status === 404 && (action === 'invite' || action === 'add'))
    return 'Nobody on the platform has this address; create a user instead';
  if (status === 404) return 'This invitation no longer exists';
  if (status !== 400 || fields.length === 0) return removeFullStop(message);
  return [
    ...new Set(fields.map((one) => removeFullStop(`${FIELD_PREFIXES[one.path] ?? ''}${one.message}`))),
  ].join('; ');
}

/** Prefixes of messages by field. */
const FIELD_PREFIXES: Readonly<Record<string, string>> = {
  email: 'The address ',
  duration: 'The duration ',
  days: 'That ',
};

/** Message for a rate limit with the time until it ends. */
const formatRetryLater = ({ message }: ServiceError, seconds: number): string =>
  `${removeFullStop(message)}; possible again ${formatDistance(new Date(Date.now() + seconds * 1000))}`;

import { endActing, NO_ASSIGNMENT_MESSAGE, openDailyReport } from '../areas/proxies/index.ts';
import { ApiError, unauthorized } from '../kernel/api-error.ts';
import { createAddressError, requireWebServiceCapability } from '../kernel/auth/authorize.ts';
import type { Caller, RequestOrigin } from '../kernel/auth/caller.ts';
import {
  isAssigned,
  resolveCaller,
  toActingCaller,
  type AuthenticatedCaller,
} from '../kernel/auth/callers.store.ts';
import type { Db } from '../kernel/db/database.ts';

/** Header of every response to a session that says for whom it acts, so that a page with another belief finds out. */
export const ACTING_HEADER = 'x-steward-acting';
/** Header value of a session that acts for nobody. */
const NOT_ACTING = '0';

export const formatActingState = (caller: Caller): string => String(caller.acting?.reportId ?? NOT_ACTING);

/**
 * Operations that a session may always call, so that the user can find out for whom it acts, and end that, from
 * anywhere.
 */
const ALWAYS_ALLOWED_OPERATIONS: ReadonlySet<string> = new Set(['getSession', 'endActing', 'signOut']);

const MAX_ID = 2_147_483_647;

/** Parses the AS-USER header. Invalid values become 0, the id of no user. */
export function parsePrincipalHeader(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const id = typeof header === 'string' && /^[1-9]\d{0,9}$/.test(header) ? Number(header) : 0;
  return id <= MAX_ID ? id : 0;
}

/**
 * Resolves the caller of a program, acting for the user in AS-USER. Both need the web service capability and an
 * approved address; an unknown, inactive or unassigned principal gets one and the same error.
 * @throws ApiError 401 without a valid assignment (shapes 1)
 */
export async function resolveBearerCaller(
  db: Db,
  { caller: own, principal }: AuthenticatedCaller,
  origin: RequestOrigin,
): Promise<Caller> {
  if (!principal) return own;
  requireWebServiceCapability(own.capabilities);
  if (!isAssigned(principal)) throw createNoAssignmentError();
  if (principal.isAddressRefused) throw await createAddressError(db, own, origin.ip);
  if (principal.reportId !== null) return toActingCaller(own, principal, principal.reportId);
  const reportId = await openDailyReport(db, own, origin, principal.id);
  if (reportId === undefined) throw createNoAssignmentError();
  return toActingCaller(own, principal, reportId);
}

const createNoAssignmentError = () => unauthorized(`AS-USER: ${NO_ASSIGNMENT_MESSAGE}`, 'Bearer');

/**
 * Resolves the caller of a session and for whom it acts. When the assignment no longer holds, acting ends and the
 * request is rejected: what was meant for the principal must not be done as oneself.
 * @throws ApiError 403 when acting has just ended, 409 when the page expects another principal
 */
export async function resolveSessionCaller(
  db: Db,
  { caller: own, principal }: AuthenticatedCaller,
  request: { operationId: string; expectedActing: string | string[] | undefined; origin: RequestOrigin },
): Promise<Caller> {
  const isAlwaysAllowed = ALWAYS_ALLOWED_OPERATIONS.has(request.operationId);
  if (principal && !isAssigned(principal)) {
    const reportId = principal.reportId ?? 0;
    await endActing(db, own, request.origin, { principalId: principal.id, reportId });
    if (isAlwaysAllowed) return own;
    throw createActingError(
      403,
      'You can no longer act for this user. The session is your own again.',
      NOT_ACTING,
    );
  }
  const caller = resolveCaller({ caller: own, principal, isAddressRefused: false });
  const state = formatActingState(caller);
  if (!isAlwaysAllowed && request.expectedActing !== undefined && request.expectedActing !== state)
    throw createActingError(409, 'This session now acts for a different user', state);
  if (!isAlwaysAllowed && principal?.isAddressRefused)
    throw await createAddressError(db, own, request.origin.ip);
  return caller;
}

const createActingError = (status: 403 | 409, message: string, state: string) =>
  new ApiError(status, message, [], { [ACTING_HEADER]: state });

import { endActing, NO_ASSIGNMENT, openDay } from '../areas/proxies/index.ts';
import { refuseAddress, requireWebService } from '../kernel/auth/authorize.ts';
import type { Caller, Origin } from '../kernel/auth/caller.ts';
import type { Found, Principal } from '../kernel/auth/store.ts';
import type { Db } from '../kernel/db/database.ts';
import { ApiError, unauthorized } from '../kernel/http/errors.ts';
import type { Services } from '../kernel/http/handler.ts';

/** Says on every answer to a session for whom it acts, so that a page that believes otherwise finds out. */
export const ACTING_HEADER = 'x-steward-acting';
/** What the header says of a session that acts for nobody. */
const NOBODY = '0';

export const actingState = (caller: Caller): string => String(caller.acting?.reportId ?? NOBODY);

/** What a session may always do, so that somebody can find out for whom it acts, and end it, from anywhere. */
const ALWAYS: ReadonlySet<string> = new Set(['getSession', 'endActing', 'signOut']);

const LARGEST_ID = 2_147_483_647;

/** The id in an AS-USER header; 0, which is nobody's, for everything that is none. */
export function principalAsked(header: string | string[] | undefined): number | undefined {
  if (header === undefined) return undefined;
  const id = typeof header === 'string' && /^[1-9]\d{0,9}$/.test(header) ? Number(header) : 0;
  return id <= LARGEST_ID ? id : 0;
}

const asPrincipal = (own: Caller, principal: Principal & { email: string }, reportId: number): Caller => ({
  ...own,
  capabilities: principal.capabilities,
  acting: { principalId: principal.id, principalEmail: principal.email, reportId },
});

const holds = (principal: Principal): principal is Principal & { email: string } =>
  principal.email !== undefined;

/** The caller of a session as it stands: for whom it acts, or as themselves. */
export const callerOf = ({ own, principal }: Found): Caller =>
  principal && holds(principal) ? asPrincipal(own, principal, principal.reportId ?? 0) : own;

/**
 * The caller of a program, for whom AS-USER says. Both need the interface and an address that is open to them; that the
 * principal does not exist, may not act or is nobody's business of the caller is one and the same answer.
 * @throws ApiError 401 without an assignment that holds (shapes 1)
 */
export async function programCaller(
  { db, services }: { db: Db; services: Services },
  { own, principal }: Found,
  origin: Origin,
): Promise<Caller> {
  if (!principal) return own;
  requireWebService(own.capabilities);
  if (!holds(principal)) throw noAssignment();
  refuseAddress(principal.refused, origin.ip);
  if (principal.reportId !== null) return asPrincipal(own, principal, principal.reportId);
  const day = await openDay(db, own, origin, principal.id);
  if (!day) throw noAssignment();
  if (day.isNew) services.wakeMail();
  return asPrincipal(own, principal, day.reportId);
}

const noAssignment = () => unauthorized(`AS-USER: ${NO_ASSIGNMENT}`, 'Bearer');

/**
 * The caller of a session, for whom it acts. Where that does not hold any more it ends here, and the request is refused:
 * what was meant to be done for somebody is not done as oneself.
 * @throws ApiError 403 when acting has just ended, 409 when the page believes to act for somebody else
 */
export async function sessionCaller(
  db: Db,
  { own, principal }: Found,
  request: { operationId: string; believed: string | string[] | undefined; origin: Origin },
): Promise<Caller> {
  const always = ALWAYS.has(request.operationId);
  if (principal && !holds(principal)) {
    const reportId = principal.reportId ?? 0;
    await endActing(db, own, request.origin, { principalId: principal.id, reportId });
    if (always) return own;
    throw refusal(403, 'You cannot act for this user any more: the session is your own again', NOBODY);
  }
  const caller = callerOf({ own, principal, refused: false });
  const state = actingState(caller);
  if (!always && request.believed !== undefined && request.believed !== state)
    throw refusal(409, 'For whom this session acts has changed in the meantime', state);
  if (!always) refuseAddress(principal?.refused ?? false, request.origin.ip);
  return caller;
}

const refusal = (status: 403 | 409, message: string, state: string) =>
  new ApiError(status, message, [], { [ACTING_HEADER]: state });

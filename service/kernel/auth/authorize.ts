import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import { findMissingCapabilities } from '../../../contract/rules/people/capabilities.ts';
import { getActingRefusal } from '../../../contract/rules/people/proxies.ts';
import { ApiError, forbidden, unauthorized } from '../api-error.ts';
import type { Db } from '../db/database.ts';
import { UNKNOWN_ADDRESS, type Caller } from './caller.ts';
import { listAddressApprovers } from './callers.store.ts';

/** What an operation requires of its callers. */
export interface OperationRequirements {
  id: string;
  scope: string | undefined;
  capabilities: readonly string[];
  requiresStepUp: boolean;
  /** Status for programs whose user lacks a capability (403 by default). */
  capabilityStatus?: 401 | 403;
}

/**
 * Checks that the caller may call the operation: scope, capabilities, restrictions while acting, and proof of presence. Callers with
 * an access token also need Access Web Service (spec 5.5).
 * @throws ApiError 403
 */
export function authorize(operation: OperationRequirements, caller: Caller): void {
  const refusal = caller.acting && getActingRefusal(operation);
  if (refusal !== undefined) throw forbidden(refusal);
  if (caller.scopes) {
    if (operation.capabilityStatus === 401) requireKnownCapabilities(operation, caller);
    requireWebServiceCapability(caller.capabilities);
    if (operation.scope && !caller.scopes.has(operation.scope as Scope)) {
      throw forbidden(`The access token lacks the scope ${operation.scope}`);
    }
  }
  requireAnyCapability(caller, operation.capabilities as readonly Capability[]);
  if (operation.requiresStepUp) requireProofOfPresence(caller);
}

/**
 * The answer of the original interface to programs of users who lack a capability of Relationship Intelligence (spec 5.5).
 * @throws ApiError 401 that names the missing ones
 */
function requireKnownCapabilities({ capabilities }: OperationRequirements, caller: Caller): void {
  const required = ['Access Web Service', ...capabilities] as Capability[];
  const missing = findMissingCapabilities([...caller.capabilities], required);
  if (missing.length > 0)
    throw unauthorized(
      `Cannot perform the action. User capabilities are required: ${missing.join(', ')}`,
      'Bearer',
    );
}

/**
 * Requires a recent proof of presence, for operations that cannot be undone. The console asks the user for one and repeats the call.
 * Access tokens are exempt, and so are half-completed sign-ins, which have just proven the password.
 * @throws ApiError 403 with the code `step-up-required`
 */
export function requireProofOfPresence(caller: Caller): void {
  if (caller.scopes || caller.pending || caller.hasProofOfPresence) return;
  throw new ApiError(403, 'Confirm your identity to continue', [], {}, { code: 'step-up-required' });
}

/** Requires the capability to use the bearer API. @throws ApiError 403 */
export function requireWebServiceCapability(held: ReadonlySet<Capability>): void {
  if (!held.has('Access Web Service')) throw forbidden(formatMissingCapabilities(['Access Web Service']));
}

/** Requires each of `capabilities`. @throws ApiError 403 that names the missing ones */
export function requireCapabilities(
  { capabilities: held }: Pick<Caller, 'capabilities'>,
  capabilities: readonly Capability[],
): void {
  const missing = findMissingCapabilities([...held], capabilities);
  if (missing.length > 0) throw forbidden(`User capabilities are required: ${missing.join(' and ')}`);
}

const formatMissingCapabilities = (capabilities: readonly string[]): string =>
  `User capabilities are required: ${capabilities.join(' or ')}`;

/** Requires any one of `capabilities`; an empty list requires nothing. */
function requireAnyCapability(caller: Caller, capabilities: readonly Capability[]): void {
  if (capabilities.length > 0 && !capabilities.some((capability) => caller.capabilities.has(capability)))
    throw forbidden(formatMissingCapabilities(capabilities));
}

/** Why a program with valid credentials is refused whose user has No License. */
export const LICENSE_REFUSAL =
  'The license of this user (No License) does not allow access. An administrator can assign another one.';

/** Why an address is refused, with the address and whom to ask (decision 0075). `approvers` is empty where no name may be given. */
export function describeRefusedAddress(ip: string, approvers: readonly string[]): string {
  if (ip === UNKNOWN_ADDRESS)
    return 'Only approved addresses have access, and the proxy in front of the service reported no valid address for this request (X-Forwarded-For)';
  const refusal = `The address ${ip} is not approved on this site.`;
  if (approvers.length === 0) return `${refusal} An administrator can approve it.`;
  const names = new Intl.ListFormat('en', { type: 'disjunction' }).format(approvers);
  return `${refusal} Ask ${names}, who can approve it.`;
}

/**
 * The 403 for a user with IP restrictions whose address is not approved (spec 5.4). It names administrators of the site to ask: only for
 * callers whose credentials were right and complete.
 */
export const createAddressError = async (
  db: Db,
  user: { siteId: number; userId: number },
  ip: string,
): Promise<ApiError> => forbidden(describeRefusedAddress(ip, await listAddressApprovers(db, user)));

/**
 * Rejects a session that an identity manager opened. For actions that affect other sites: the identity manager of one site has no
 * authority over them (ASVS 6.8.1). `action` is the subject of the message, such as "Changing your e-mail address".
 * @throws ApiError 403
 */
export function rejectFederatedSession({ isFederated }: Pick<Caller, 'isFederated'>, action: string): void {
  if (isFederated)
    throw forbidden(
      `${action} affects other sites, but this session was opened by an identity manager. Sign in with your password or a passkey on a site without one.`,
    );
}

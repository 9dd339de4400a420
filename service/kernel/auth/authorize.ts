import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import { refusalWhileActing } from '../../../contract/rules/proxies.ts';
import { ApiError, forbidden } from '../http/errors.ts';
import type { Caller } from './caller.ts';

interface Guarded {
  id: string;
  scope: string | undefined;
  capabilities: readonly string[];
  stepUp: boolean;
}

/**
 * Refuses a caller who lacks the scope or every one of the capabilities that the contract asks for, and what nobody does
 * for somebody else. Programs need Access Web Service besides (spec 5.5 names it for the interface).
 * @throws ApiError 403
 */
export function authorize(operation: Guarded, caller: Caller): void {
  const refusal = caller.acting && refusalWhileActing(operation);
  if (refusal !== undefined) throw forbidden(refusal);
  if (caller.scopes) {
    requireWebService(caller.capabilities);
    if (operation.scope && !caller.scopes.has(operation.scope as Scope)) {
      throw forbidden(`The access token lacks the scope ${operation.scope}`);
    }
  }
  requireAny(caller, operation.capabilities as readonly Capability[]);
  if (operation.stepUp) requirePresence(caller);
}

/**
 * Refuses what cannot be undone to a session that nobody may sit at any more: the console asks for a proof and repeats
 * the call. Programs have none to give, and a sign-in that is not whole has just given one.
 * @throws ApiError 403 with a code of its own
 */
export function requirePresence(caller: Caller): void {
  if (caller.scopes || caller.pending || caller.isProven) return;
  throw new ApiError(403, 'Prove first that it is still you', [], {}, { code: 'step-up-required' });
}

/** Refuses whoever may not use the interface for programs. */
export function requireWebService(held: ReadonlySet<Capability>): void {
  if (!held.has('Access Web Service')) throw forbidden(missing(['Access Web Service']));
}

const missing = (capabilities: readonly string[]): string =>
  `User capabilities are required: ${capabilities.join(' or ')}`;

/** Refuses a caller who holds none of `capabilities`; an empty list asks for nothing. */
function requireAny(caller: Caller, capabilities: readonly Capability[]): void {
  if (capabilities.length > 0 && !capabilities.some((capability) => caller.capabilities.has(capability)))
    throw forbidden(missing(capabilities));
}

/**
 * Refuses a user with IP restrictions who comes from an address that is not approved (spec 5.4).
 * @throws ApiError 403 that names the address, so that the person knows what to ask for
 */
export function refuseAddress(refused: boolean, ip: string): void {
  if (refused)
    throw forbidden(
      `The address ${ip} is not approved on this site. An administrator of the site can approve it.`,
    );
}

/**
 * Refuses a session that an identity manager opened what reaches beyond the site: whoever runs the manager of one site
 * may say who comes in there, and is nobody on the others (ASVS 6.8.1).
 * @throws ApiError 403
 */
export function requireOwnSignIn({ isFederated }: Pick<Caller, 'isFederated'>, deed: string): void {
  if (isFederated)
    throw forbidden(
      `${deed} reaches beyond this site, and an identity manager opened this session: sign in with your password or a passkey on a site without one`,
    );
}

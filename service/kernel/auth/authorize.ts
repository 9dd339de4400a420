import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import { forbidden, unauthorized } from '../http/errors.ts';
import type { Caller } from './caller.ts';

interface Guarded {
  scope: string | undefined;
  capabilities: readonly string[];
}

/**
 * Refuses a caller who lacks the scope or every one of the capabilities that the contract asks for.
 * Programs need Access Web Service besides (spec 5.5 names it for the interface).
 * @throws ApiError 401 for AS-USER without a proxy assignment (shapes 1), 403 otherwise
 */
export function authorize(operation: Guarded, caller: Caller, asUser: string | string[] | undefined): void {
  // No proxy assignments can exist before their operations do, so nobody may act for anybody.
  if (asUser !== undefined)
    throw unauthorized('AS-USER: no proxy assignment lets you act for this user', 'Bearer');
  if (caller.scopes) {
    if (!caller.capabilities.has('Access Web Service')) throw forbidden(missing(['Access Web Service']));
    if (operation.scope && !caller.scopes.has(operation.scope as Scope)) {
      throw forbidden(`The access token lacks the scope ${operation.scope}`);
    }
  }
  requireAny(caller, operation.capabilities as readonly Capability[]);
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

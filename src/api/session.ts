import { useSuspenseQuery } from '@tanstack/react-query';
import type { Capability, Session } from '../../contract/generated/types.gen.ts';
import { getActingRefusal } from '../../contract/rules/people/proxies.ts';
import { CAPABILITIES } from './capabilities.gen.ts';
import { sessionQuery } from './session-query.ts';

/** Returns the session; only under the `_app` route, whose loader has read it. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** Whether the session holds at least one of the capabilities; true for an empty list. */
export const hasAnyCapability = (
  session: Pick<Session, 'capabilities'>,
  anyOf: readonly Capability[],
): boolean => anyOf.length === 0 || anyOf.some((capability) => session.capabilities.includes(capability));

const disjunction = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** Formats the capabilities a user lacks as a sentence without the full stop. */
export const formatMissingCapabilities = (anyOf: readonly Capability[]): string =>
  `You need the ${disjunction.format(anyOf)} capability`;

/** Whether an operation may be called; `reason` is shown on the disabled control. */
export type Permission = { allowed: true; reason: undefined } | { allowed: false; reason: string };

/** Returns whether a session may call an operation, while acting too (spec 2.3). */
export function getPermission(
  session: Pick<Session, 'capabilities' | 'acting'>,
  operation: keyof typeof CAPABILITIES,
): Permission {
  const anyOf: readonly Capability[] = CAPABILITIES[operation];
  const refusal = session.acting && getActingRefusal({ id: operation, capabilities: anyOf });
  if (refusal !== undefined) return { allowed: false, reason: refusal };
  if (hasAnyCapability(session, anyOf)) return { allowed: true, reason: undefined };
  return { allowed: false, reason: formatMissingCapabilities(anyOf) };
}

/** Returns whether the current user may call an operation. */
export const usePermission = (operation: keyof typeof CAPABILITIES): Permission =>
  getPermission(useSession(), operation);

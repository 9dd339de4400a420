import { useSuspenseQuery } from '@tanstack/react-query';
import { refusalWhileActing } from '../../contract/rules/proxies.ts';
import { CAPABILITIES } from './capabilities.gen.ts';
import type { Capability, Session } from './generated/types.gen.ts';
import { sessionQuery } from './session-query.ts';

/** The session of the page; only under the `_app` route, whose loader has read it. */
export const useSession = (): Session => useSuspenseQuery(sessionQuery).data;

/** Whether somebody holds any one of these; an empty list asks for nothing. */
export const can = (session: Pick<Session, 'capabilities'>, anyOf: readonly Capability[]): boolean =>
  anyOf.length === 0 || anyOf.some((capability) => session.capabilities.includes(capability));

const or = new Intl.ListFormat('en-GB', { type: 'disjunction' });

/** What somebody lacks, as a sentence without its full stop. */
export function lacking(anyOf: readonly Capability[]): string {
  const names = or.format(anyOf);
  return anyOf.length === 1 ? `Needs the capability ${names}` : `Needs one of the capabilities ${names}`;
}

export type Allowed = { allowed: true; reason: undefined } | { allowed: false; reason: string };

/** Whether somebody may call an operation, and if not, the sentence for the button that stays off. */
export function allowedIn(session: Session, operation: keyof typeof CAPABILITIES): Allowed {
  const anyOf: readonly Capability[] = CAPABILITIES[operation];
  const refusal = session.acting && refusalWhileActing({ id: operation, capabilities: anyOf });
  if (refusal !== undefined) return { allowed: false, reason: refusal };
  if (can(session, anyOf)) return { allowed: true, reason: undefined };
  return { allowed: false, reason: lacking(anyOf) };
}

/** The same for whoever works here. */
export const useAllowed = (operation: keyof typeof CAPABILITIES): Allowed =>
  allowedIn(useSession(), operation);

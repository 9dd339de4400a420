import { registry, type AreaOperation } from './areas/registry.ts';
import { identityHandlers } from './gateway/identity.ts';
import { linkHandlers } from './gateway/links.ts';
import { presenceHandlers } from './gateway/presence.ts';
import { secondFactorHandlers } from './gateway/second-factor.ts';
import { actingHandlers, sessionHandlers } from './gateway/session.ts';
import type { AreaRegistry } from './kernel/area/area.ts';
import type { Handlers, OperationId } from './kernel/http/handler.ts';

/** Operations of sign-in and session, which belong to the gateway. */
const gatewayHandlers = {
  ...sessionHandlers,
  ...secondFactorHandlers,
  ...presenceHandlers,
  ...actingHandlers,
  ...linkHandlers,
  ...identityHandlers,
};

type Unhandled = Exclude<OperationId, AreaOperation | keyof typeof gatewayHandlers>;

/** Compiles only while every operation of the contract is handled; the error names the others. */
const allHandled: [Unhandled] extends [never] ? true : Unhandled = true;
void allHandled;

/** The handlers of the areas and of the gateway, by operation. */
export const collectHandlers = ({ handlers }: AreaRegistry = registry): Partial<Handlers> => ({
  ...handlers,
  ...gatewayHandlers,
});

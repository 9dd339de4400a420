import type { Capability, Scope } from '../../../contract/generated/types.gen.ts';
import type { Operation } from '../../kernel/http/contract.ts';

/** Whether somebody with these capabilities may call anything that the scope opens. */
export const isOfUse = (
  operations: readonly Operation[],
  scope: Scope,
  held: ReadonlySet<Capability>,
): boolean =>
  operations.some(
    (operation) =>
      operation.scope === scope &&
      (operation.capabilities.length === 0 ||
        (operation.capabilities as readonly Capability[]).some((capability) => held.has(capability))),
  );

import type { QueryClient } from '@tanstack/react-query';
import type { Holder } from '../api/session-gate.ts';
import { dropOthers } from './drop.ts';

interface Visitor {
  client: QueryClient;
  holder: Holder;
}

let known = Promise.withResolvers<Visitor>();
let isKnown = false;

/** Whoever works here, once that is known. */
export const visitor = (): Promise<Visitor> => known.promise;

/** Says whose directory is meant from now on. Nothing is read for that; what somebody else left is removed. */
export function directoryFor(visit: Visitor): void {
  dropOthers(visit.holder);
  if (isKnown) known = Promise.withResolvers<Visitor>();
  isKnown = true;
  known.resolve(visit);
}

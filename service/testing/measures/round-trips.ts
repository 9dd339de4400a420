/** Counts what an operation sends to the database. */
import { AsyncLocalStorage } from 'node:async_hooks';
import { roundTrips } from '../../kernel/db/driver/dialect.ts';

/** The statements of each round trip, in order. */
type RoundTrips = (readonly string[])[];

const counted = new AsyncLocalStorage<RoundTrips>();

roundTrips.subscribe((statements) => {
  counted.getStore()?.push(statements as readonly string[]);
});

/** Runs an operation and returns the statements of each of its round trips; those of background work are not included. */
export async function recordRoundTrips(operation: () => Promise<unknown>): Promise<RoundTrips> {
  const recorded: RoundTrips = [];
  await counted.run(recorded, operation);
  return recorded;
}

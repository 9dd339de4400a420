/**
 * What an audit row says of a change: property → [before, after] of everything that differs; nothing different, nothing
 * said. `undefined` on one side: it did not exist before, or does not any more.
 */
export function differences<T extends object>(
  before: T | undefined,
  after: T | undefined,
): Record<string, readonly [before: unknown, after: unknown]> {
  const was = new Map<string, unknown>(Object.entries(before ?? {}));
  const is = new Map<string, unknown>(Object.entries(after ?? {}));
  return Object.fromEntries(
    [...new Set([...was.keys(), ...is.keys()])]
      .map((key) => [key, [was.get(key) ?? null, is.get(key) ?? null]] as const)
      .filter(([, [one, other]]) => JSON.stringify(one) !== JSON.stringify(other)),
  );
}

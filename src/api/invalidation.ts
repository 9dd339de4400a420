import type { QueryClient } from '@tanstack/react-query';
import type * as Operations from './generated/queries.gen.ts';

type GeneratedExport = keyof typeof Operations;
type OperationIdWithSuffix<Suffix extends string> = GeneratedExport extends infer Name
  ? Name extends `${infer Id}${Suffix}`
    ? Id
    : never
  : never;

/** Operations that read; their id heads the query key. */
type ReadOperation = Exclude<OperationIdWithSuffix<'QueryKey'>, `${string}Infinite`>;

/** Operations that change something. The POST operations that only read are not among them. */
export type WriteOperation = Exclude<OperationIdWithSuffix<'Mutation'>, ReadOperation>;

/** For each write operation the read operations whose cached answers it makes stale. */
export type Invalidations = Record<WriteOperation, readonly ReadOperation[]>;

let invalidations: Partial<Invalidations> = {};

/** Sets the invalidations of all areas; called once at start with those that `app/registry.ts` collected. */
export function setInvalidations(collected: Partial<Invalidations>): void {
  invalidations = collected;
}

/** Invalidates the reads that a write makes stale; resolves when those on screen have been read again. */
export async function invalidateAfter(queryClient: QueryClient, operation: WriteOperation): Promise<void> {
  const reads = invalidations[operation] ?? [];
  await Promise.all(reads.map((_id) => queryClient.invalidateQueries({ queryKey: [{ _id }] })));
}

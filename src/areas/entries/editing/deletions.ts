import { move, outOf, take } from './changes.ts';
import type { Changes, DeletionMove, StagedDeletion } from './changes.ts';

const cellsOf = (changes: Changes, entryIds: readonly number[]) =>
  entryIds.flatMap((entryId) => [...(changes.cells.get(entryId)?.values() ?? [])]);

/** Stages that entries go, as one step. New ones are taken out of what is staged: the service knows nothing of them. */
export function stageDeletions(changes: Changes, entries: readonly StagedDeletion[], label: string): Changes {
  const last = new Map(entries.map((entry) => [entry.entryId, entry]));
  const fresh = [...last.keys()].filter((entryId) => entryId < 0);
  const deletions = [...last.values()]
    .filter(({ entryId }) => entryId > 0 && !changes.deletions.has(entryId))
    .map((to): DeletionMove => ({ entryId: to.entryId, from: undefined, to }));
  return take(changes, { moves: outOf(changes, cellsOf(changes, fresh)), deletions }, label);
}

/** Entries are to stay after all, with what is staged for them. */
export function keepEntries(changes: Changes, entryIds: readonly number[], label: string): Changes {
  const deletions = entryIds.flatMap((entryId): DeletionMove[] => {
    const from = changes.deletions.get(entryId);
    return from ? [{ entryId, from, to: undefined }] : [];
  });
  return take(changes, { deletions }, label);
}

/** Entries are to go also as they are by now. */
export function deleteStill(
  changes: Changes,
  entries: readonly Pick<StagedDeletion, 'entryId' | 'seen'>[],
): Changes {
  const deletions = entries.flatMap(({ entryId, seen }): DeletionMove[] => {
    const from = changes.deletions.get(entryId);
    return from ? [{ entryId, from, to: { ...from, seen } }] : [];
  });
  return take(changes, { deletions }, 'Delete all the same');
}

/** Takes back everything that is staged, as one step. */
export function discard(changes: Changes, label: string): Changes {
  const moves = outOf(changes, cellsOf(changes, [...changes.cells.keys()]));
  const deletions = [...changes.deletions].map(([entryId, from]) => ({ entryId, from, to: undefined }));
  return take(changes, { moves, deletions }, label);
}

/** After entries have gone nothing is staged for them, and no step goes back behind that. */
export function entriesGone(changes: Changes, entryIds: readonly number[]): Changes {
  const moves = outOf(changes, cellsOf(changes, entryIds));
  const deletions = entryIds.map((entryId) => ({ entryId, from: undefined, to: undefined }));
  return { ...move(changes, { moves, deletions }, 'to'), done: [], undone: [], doubt: undefined };
}

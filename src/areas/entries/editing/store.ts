import { useSyncExternalStore } from 'react';
import { holdWork } from '../../../ui/form/unsaved.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import { NO_CHANGES, hasStaged, redo, settled, stage, undo, unstage, rebase, inverse } from './changes.ts';
import type { Changes, Doubt, StagedCell, StagedDeletion } from './changes.ts';
import { deleteStill, discard, entriesGone, keepEntries, stageDeletions } from './deletions.ts';

/** What one request did: cells that were stored, to be taken back as a new change, or entries that are gone. */
export interface Sent {
  id: number;
  at: number;
  cells: readonly StagedCell[];
  gone: readonly StagedDeletion[];
}

const byType = createStore<ReadonlyMap<number, Changes>>(new Map());

/** What is staged, by type; kept.ts writes it down. */
export const staged: Pick<typeof byType, 'get' | 'subscribe'> = byType;

// In the memory of the page alone: after that, the history of an entry is the way back.
const sentByType = createStore<ReadonlyMap<number, readonly Sent[]>>(new Map());
const NOTHING_SENT: readonly Sent[] = [];
const MOST_SENT = 20;

let release: (() => void) | undefined;

function put(typeId: number, changes: Changes): void {
  if (changes === changesOf(typeId)) return;
  // Of what is let go nobody asks any more whether it was done.
  const next = changes.doubt && !hasStaged(changes) ? { ...changes, doubt: undefined } : changes;
  byType.set(new Map(byType.get()).set(typeId, next));
  if ([...byType.get().values()].some(hasStaged)) release ??= holdWork();
  else {
    release?.();
    release = undefined;
  }
}

/** What is staged for a type now. */
export const changesOf = (typeId: number): Changes => byType.get().get(typeId) ?? NO_CHANGES;

/** Stages what was staged for a type before the page was loaded anew. */
export const bringBack = (typeId: number, changes: Changes): void => put(typeId, changes);

/** Follows what is staged for a type. */
export const useChanges = (typeId: number): Changes =>
  useSyncExternalStore(byType.subscribe, () => changesOf(typeId));

/**
 * Stages values of entries of a type as one step: nothing is sent before somebody has reviewed it. `value` and `before`
 * are as the service tells values (undefined for no data), `before` what it holds now; `label` names the step.
 */
export const stageCells = (typeId: number, cells: readonly StagedCell[], label: string): void =>
  put(typeId, stage(changesOf(typeId), cells, label));

/** Takes cells out of what is staged. */
export const unstageCells = (
  typeId: number,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId'>[],
  label: string,
): void => put(typeId, unstage(changesOf(typeId), cells, label));

/** Keeps staged cells although the service holds something else by now. */
export const keepMine = (
  typeId: number,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId' | 'before'>[],
): void => put(typeId, rebase(changesOf(typeId), cells));

/** Stages that entries go; `seen` is what of them was looked at. */
export const deleteEntriesOf = (typeId: number, entries: readonly StagedDeletion[], label: string): void =>
  put(typeId, stageDeletions(changesOf(typeId), entries, label));

/** Entries are to stay after all. */
export const keepEntriesOf = (typeId: number, entryIds: readonly number[], label: string): void =>
  put(typeId, keepEntries(changesOf(typeId), entryIds, label));

/** Entries are to go although somebody else has changed them. */
export const deleteStillOf = (
  typeId: number,
  entries: readonly Pick<StagedDeletion, 'entryId' | 'seen'>[],
): void => put(typeId, deleteStill(changesOf(typeId), entries));

/** Takes back everything that is staged for a type. */
export const discardOf = (typeId: number, label: string): void =>
  put(typeId, discard(changesOf(typeId), label));

export const undoStep = (typeId: number): void => put(typeId, undo(changesOf(typeId)));
export const redoStep = (typeId: number): void => put(typeId, redo(changesOf(typeId)));

const NO_FAULTS: ReadonlyMap<string, string> = new Map();

/** Before a request: nothing is held against what is staged, and until an answer is there it may be done or not. */
export const sendingOf = (typeId: number, doubt: Doubt): void =>
  put(typeId, { ...changesOf(typeId), faults: NO_FAULTS, doubt });

/** The service has answered that it did not do all of it, and what it has against cells and deletions. */
export const refusedOf = (typeId: number, faults: ReadonlyMap<string, string> = NO_FAULTS): void =>
  put(typeId, { ...changesOf(typeId), faults, doubt: undefined });

/** Somebody has decided what became of a request that was not answered. */
export const decidedOf = (typeId: number): void => put(typeId, { ...changesOf(typeId), doubt: undefined });

function keepSent(typeId: number, did: Pick<Sent, 'cells' | 'gone'>): Sent {
  const earlier = sentByType.get().get(typeId) ?? NOTHING_SENT;
  const sent = { id: (earlier[0]?.id ?? 0) + 1, at: Date.now(), ...did };
  sentByType.set(new Map(sentByType.get()).set(typeId, [sent, ...earlier].slice(0, MOST_SENT)));
  return sent;
}

/** After the service has stored cells, and made entries under these ids. */
export function cellsStored(
  typeId: number,
  cells: readonly StagedCell[],
  made: ReadonlyMap<number, number>,
): Sent {
  put(typeId, settled(changesOf(typeId), cells, made));
  return keepSent(typeId, { cells, gone: [] });
}

/** After the service has deleted entries. */
export function entriesDeleted(typeId: number, gone: readonly StagedDeletion[]): void {
  put(
    typeId,
    entriesGone(
      changesOf(typeId),
      gone.map(({ entryId }) => entryId),
    ),
  );
  if (gone.length > 0) keepSent(typeId, { cells: [], gone });
}

/** What was stored from this page, the newest first. */
export const useSent = (typeId: number): readonly Sent[] => useStore(sentByType).get(typeId) ?? NOTHING_SENT;

/** Stages what the entries held before, to be reviewed and sent as a new change. */
export const stageInverse = (typeId: number, { cells }: Sent): void =>
  stageCells(typeId, inverse(cells), 'Take back what was saved');

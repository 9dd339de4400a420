import { useSyncExternalStore } from 'react';
import { holdWork } from '../../shell/unsaved.ts';
import { createStore, useStore } from '../../ui/store.ts';
import { NO_CHANGES, countStaged, redo, settled, stage, undo, unstage, rebase, inverse } from './changes.ts';
import type { Changes, StagedCell } from './changes.ts';

/** Cells that were stored, to be told and to be taken back. */
export interface Sent {
  id: number;
  at: number;
  cells: readonly StagedCell[];
}

// In the memory of the page alone: a sign-out or another site loads the page anew and leaves nothing of them.
const byType = createStore<ReadonlyMap<number, Changes>>(new Map());
const sentByType = createStore<ReadonlyMap<number, readonly Sent[]>>(new Map());
const NOTHING_SENT: readonly Sent[] = [];
const MOST_SENT = 20;

const total = (): number => [...byType.get().values()].reduce((sum, one) => sum + countStaged(one), 0);

let release: (() => void) | undefined;

function put(typeId: number, next: Changes): void {
  if (next === changesOf(typeId)) return;
  byType.set(new Map(byType.get()).set(typeId, next));
  if (total() > 0) release ??= holdWork();
  else {
    release?.();
    release = undefined;
  }
}

/** What is staged for a type now. */
export const changesOf = (typeId: number): Changes => byType.get().get(typeId) ?? NO_CHANGES;

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

export const undoStep = (typeId: number): void => put(typeId, undo(changesOf(typeId)));
export const redoStep = (typeId: number): void => put(typeId, redo(changesOf(typeId)));

/** What the service said against cells; those of an earlier answer are gone. */
export const setFaults = (typeId: number, faults: ReadonlyMap<string, string>): void =>
  put(typeId, { ...changesOf(typeId), faults });

/** After the service has stored cells. */
export function cellsStored(typeId: number, cells: readonly StagedCell[]): Sent {
  put(typeId, settled(changesOf(typeId), cells));
  const earlier = sentByType.get().get(typeId) ?? NOTHING_SENT;
  const sent = { id: (earlier[0]?.id ?? 0) + 1, at: Date.now(), cells };
  sentByType.set(new Map(sentByType.get()).set(typeId, [sent, ...earlier].slice(0, MOST_SENT)));
  return sent;
}

/** What was stored from this page, the newest first. */
export const useSent = (typeId: number): readonly Sent[] => useStore(sentByType).get(typeId) ?? NOTHING_SENT;

/** Stages what the entries held before, to be reviewed and sent as a new change. */
export const stageInverse = (typeId: number, { cells }: Sent): void =>
  stageCells(typeId, inverse(cells), 'Take back what was saved');

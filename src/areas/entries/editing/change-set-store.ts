import { useSyncExternalStore } from 'react';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { guardStagedWork } from '../../../ui/dialog/unsaved-work.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import {
  EMPTY_CHANGE_SET,
  hasStagedChanges,
  redo,
  applyStored,
  stage,
  undo,
  unstage,
  rebase,
  createInverse,
  confirmDeletions,
  discard,
  applyDeleted,
  unstageDeletions,
  stageDeletions,
  countStaged,
} from './change-set.ts';
import type { ChangeSet, UnconfirmedRequest, StagedCell, StagedDeletion } from './change-set.ts';
import { formatStagedCounts } from './format-changes.ts';

/** A successful request of this page: stored cells, which can be reverted by a new change, or deleted entries. */
export interface SentRequest {
  id: number;
  sentAt: number;
  cells: readonly StagedCell[];
  deletions: readonly StagedDeletion[];
}

const changeSets = createStore<ReadonlyMap<number, ChangeSet>>(new Map());

/** Change sets by entry type; persist-changes.ts writes them to the browser's storage. */
export const stagedChangeSets: Pick<typeof changeSets, 'get' | 'subscribe'> = changeSets;

// In memory only; after a reload the history of an entry is the way to revert.
const sentRequests = createStore<ReadonlyMap<number, readonly SentRequest[]>>(new Map());
const NO_SENT_REQUESTS: readonly SentRequest[] = [];
const MAX_SENT_REQUESTS = 20;

let releaseGuard: (() => void) | undefined;

function setChangeSet(typeId: number, changes: ChangeSet): void {
  if (changes === getChangeSet(typeId)) return;
  // Without staged changes an unanswered request needs no decision.
  const next =
    changes.unconfirmed && !hasStagedChanges(changes) ? { ...changes, unconfirmed: undefined } : changes;
  changeSets.set(new Map(changeSets.get()).set(typeId, next));
  if ([...changeSets.get().values()].some(hasStagedChanges)) releaseGuard ??= guardStagedWork();
  else {
    releaseGuard?.();
    releaseGuard = undefined;
  }
}

/** The current change set of an entry type. */
export const getChangeSet = (typeId: number): ChangeSet => changeSets.get().get(typeId) ?? EMPTY_CHANGE_SET;

/** Restores the change set of a type after a reload. */
export const restoreChangeSet = (typeId: number, changes: ChangeSet): void => setChangeSet(typeId, changes);

/** The change set of an entry type; renders again when it changes. */
export const useChangeSet = (typeId: number): ChangeSet =>
  useSyncExternalStore(changeSets.subscribe, () => getChangeSet(typeId));

/**
 * Stages values as one step; nothing is sent before it is reviewed. `before` is the stored value; values have the form
 * in which the service returns them (undefined for no data). `label` names the step.
 */
export const stageCells = (typeId: number, cells: readonly StagedCell[], label: string): void =>
  setChangeSet(typeId, stage(getChangeSet(typeId), cells, label));

/** Unstages cells as one step. */
export const unstageCells = (
  typeId: number,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId'>[],
  label: string,
): void => setChangeSet(typeId, unstage(getChangeSet(typeId), cells, label));

/** Resolves conflicts in favor of the staged values; `before` is the value stored now. */
export const keepOwnValues = (
  typeId: number,
  cells: readonly Pick<StagedCell, 'entryId' | 'fieldId' | 'before'>[],
): void => setChangeSet(typeId, rebase(getChangeSet(typeId), cells));

/** Stages deletions of entries as one step. */
export const stageEntryDeletions = (
  typeId: number,
  entries: readonly StagedDeletion[],
  label: string,
): void => setChangeSet(typeId, stageDeletions(getChangeSet(typeId), entries, label));

/** Unstages deletions of entries as one step. */
export const unstageEntryDeletions = (typeId: number, entryIds: readonly number[], label: string): void =>
  setChangeSet(typeId, unstageDeletions(getChangeSet(typeId), entryIds, label));

/** Confirms deletions of entries that someone else changed; `row` is their current state. */
export const confirmEntryDeletions = (
  typeId: number,
  entries: readonly Pick<StagedDeletion, 'entryId' | 'row'>[],
): void => setChangeSet(typeId, confirmDeletions(getChangeSet(typeId), entries));

/** Unstages everything of a type as one step. */
export const discardChanges = (typeId: number, label: string): void =>
  setChangeSet(typeId, discard(getChangeSet(typeId), label));

export const undoStep = (typeId: number): void => setChangeSet(typeId, undo(getChangeSet(typeId)));
export const redoStep = (typeId: number): void => setChangeSet(typeId, redo(getChangeSet(typeId)));

const NO_ERRORS: ReadonlyMap<string, string> = new Map();

/** Records that a request is being sent: clears errors; until the answer its outcome is unknown. */
export const markSending = (typeId: number, unconfirmed: UnconfirmedRequest): void =>
  setChangeSet(typeId, { ...getChangeSet(typeId), errors: NO_ERRORS, unconfirmed });

/** Records that the service refused a request, with its errors by `getCellKey` and `getDeletionKey`. */
export const markRefused = (typeId: number, errors: ReadonlyMap<string, string> = NO_ERRORS): void =>
  setChangeSet(typeId, { ...getChangeSet(typeId), errors, unconfirmed: undefined });

/** Records that the user decided what became of an unanswered request. */
export const resolveUnconfirmed = (typeId: number): void =>
  setChangeSet(typeId, { ...getChangeSet(typeId), unconfirmed: undefined });

function addSentRequest(typeId: number, result: Pick<SentRequest, 'cells' | 'deletions'>): SentRequest {
  const earlier = sentRequests.get().get(typeId) ?? NO_SENT_REQUESTS;
  const sent = { id: (earlier[0]?.id ?? 0) + 1, sentAt: Date.now(), ...result };
  sentRequests.set(new Map(sentRequests.get()).set(typeId, [sent, ...earlier].slice(0, MAX_SENT_REQUESTS)));
  return sent;
}

/** Applies a successful request that stored cells; `newIds` are the ids of created entries by their staged ids. */
export function markStored(
  typeId: number,
  cells: readonly StagedCell[],
  newIds: ReadonlyMap<number, number>,
): SentRequest {
  setChangeSet(typeId, applyStored(getChangeSet(typeId), cells, newIds));
  return addSentRequest(typeId, { cells, deletions: [] });
}

/** Applies a successful request that deleted entries. */
export function markDeleted(typeId: number, deletions: readonly StagedDeletion[]): void {
  setChangeSet(
    typeId,
    applyDeleted(
      getChangeSet(typeId),
      deletions.map(({ entryId }) => entryId),
    ),
  );
  if (deletions.length > 0) addSentRequest(typeId, { cells: [], deletions });
}

/** Successful requests since the page was opened, newest first. */
export const useSentRequests = (typeId: number): readonly SentRequest[] =>
  useStore(sentRequests).get(typeId) ?? NO_SENT_REQUESTS;

/** Stages the previous values of a request, to be reviewed and sent as a new change. */
export const stageInverse = (typeId: number, { cells }: SentRequest): void =>
  stageCells(typeId, createInverse(cells), 'Revert saved changes');

/** Asks for confirmation and discards the changes of a type; undo restores them. */
export async function confirmDiscardChanges(typeId: number): Promise<void> {
  const changes = getChangeSet(typeId);
  const counts = formatStagedCounts(countStaged(changes));
  const isConfirmed = await confirm({
    title: `Discard ${counts}?`,
    body: `${changes.unconfirmed ? 'It is not known whether it was saved.' : 'None of it was saved.'} Ctrl+Z in the grid brings it back while this page is open.`,
    action: 'Discard changes',
    cancel: 'Keep them',
    danger: true,
  });
  if (isConfirmed) discardChanges(typeId, `Discard ${counts}`);
}

import type { DataRequestResultVm, StoreRequestVm } from '../../../../contract/generated/types.gen.ts';
import type { ServiceError } from '../../../api/errors.ts';
import { createStore, useStore } from '../../../ui/store.ts';
import { toRequestValue } from '../model/values.ts';
import { getCellKey, getDeletionKey } from './change-set.ts';
import type { StagedCell, StagedDeletion } from './change-set.ts';

/** Outcome of a failed request; the changes stay staged. */
export interface SendFailure {
  /** Whether storing values failed or, after it succeeded, deleting entries. */
  part: 'values' | 'deletions';
  message: string;
  errors: RequestErrors;
  /** Number of values stored before deleting failed. */
  savedCount: number;
  deletedCount: number;
}

interface SendState {
  isPending: boolean;
  failure: SendFailure | undefined;
}

const IDLE_STATE: SendState = { isPending: false, failure: undefined };

// Outside the review panel: reopening it shows the running request and does not send again.
const sendStates = createStore<ReadonlyMap<number, SendState>>(new Map());

/** State of sending the changes of a type. */
export const getSendState = (typeId: number): SendState => sendStates.get().get(typeId) ?? IDLE_STATE;

export const useSendState = (typeId: number): SendState => useStore(sendStates).get(typeId) ?? IDLE_STATE;

export const updateSendState = (typeId: number, part: Partial<SendState>): void =>
  sendStates.set(new Map(sendStates.get()).set(typeId, { ...getSendState(typeId), ...part }));

/** Limit of items in one request (shapes 4). Changes are not split over requests, which would not be atomic. */
export const MAX_REQUEST_ITEMS = 10_000;

/** Builds the items of one request. Each states the expected stored value, so that conflicts are detected (shapes 1). */
export const buildStoreRequests = (cells: readonly StagedCell[], ignoreNearDups: boolean): StoreRequestVm[] =>
  cells.map(({ entryId, fieldId, value, before }) => ({
    entryId,
    fieldId,
    ...toRequestValue(value),
    ...(entryId > 0 && { expected: toRequestValue(before) }),
    ...(ignoreNearDups && { ignoreNearDups }),
  }));

/** Errors of a failed request, assigned to its cells. */
export interface RequestErrors {
  /** By `cellKey`. */
  cellErrors: ReadonlyMap<string, string>;
  /** Cells whose stored value changed after they were read (edit conflicts). */
  conflicts: readonly StagedCell[];
  /** Whether all errors are near-duplicate names, which the user may store anyway. */
  isOnlyNearDuplicate: boolean;
  /** Errors that belong to no cell. */
  otherErrors: readonly string[];
}

const ITEM_PATH = /^storeRequests[.[](?<index>\d+)\]?(?:\.(?<part>\w+))?$/;
const NEAR_DUPLICATE_HINT = /; set ignoreNearDups to store it anyway$/;

/** Assigns the errors of a failed request to its cells. */
export function parseRequestErrors(
  { fields }: Pick<ServiceError, 'fields'>,
  cells: readonly StagedCell[],
): RequestErrors {
  const cellErrors = new Map<string, string>();
  const conflicts: StagedCell[] = [];
  const otherErrors: string[] = [];
  for (const { path, message } of fields) {
    const { index, part } = ITEM_PATH.exec(path)?.groups ?? {};
    const cell = index === undefined ? undefined : cells[Number(index)];
    if (!cell) otherErrors.push(path === '' ? message : `${path}: ${message}`);
    else if (part === 'expected') conflicts.push(cell);
    else {
      const key = getCellKey(cell);
      cellErrors.set(
        key,
        [cellErrors.get(key), message.replace(NEAR_DUPLICATE_HINT, '')].filter(Boolean).join('. '),
      );
    }
  }
  const isOnlyNearDuplicate =
    fields.length > 0 && fields.every(({ message }) => NEAR_DUPLICATE_HINT.test(message));
  return { cellErrors, conflicts, isOnlyNearDuplicate, otherErrors };
}

/** Splits requested deletions into deleted entries, including those deleted before (404), and errors. */
export function parseDeletionResults(
  results: readonly DataRequestResultVm[],
  deletions: readonly StagedDeletion[],
) {
  const deleted: StagedDeletion[] = [];
  const errors = new Map<string, string>();
  for (const [index, deletion] of deletions.entries()) {
    const error = results[index]?.error;
    if (error && error.code !== 404)
      errors.set(getDeletionKey(deletion.entryId), error.description ?? 'The entry was not deleted');
    else deleted.push(deletion);
  }
  return { deleted, errors };
}

/** Ids of the entries created by a request, by their staged ids. */
export const getNewIds = (
  results: readonly DataRequestResultVm[],
  sent: readonly StagedCell[],
): ReadonlyMap<number, number> =>
  new Map(
    sent.flatMap(({ entryId }, index) => {
      const id = results[index]?.entryId;
      return entryId < 0 && id !== undefined && id !== null ? [[entryId, id] as const] : [];
    }),
  );

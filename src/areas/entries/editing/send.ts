import type { ServiceError } from '../../../api/errors.ts';
import type { DataRequestResultVm, StoreRequestVm } from '../../../api/generated/types.gen.ts';
import { cellKey, deletionKey } from './changes.ts';
import type { StagedCell, StagedDeletion } from './changes.ts';
import { writtenOf } from './written.ts';

/** What one request takes (shapes 4). More than one would not be all or nothing. */
export const MOST_ITEMS = 10_000;

/** Cells as one request, each with what it expects to be there: nobody else's change is written over unseen. */
export const requestsOf = (cells: readonly StagedCell[], ignoreNearDups: boolean): StoreRequestVm[] =>
  cells.map(({ entryId, fieldId, value, before }) => ({
    entryId,
    fieldId,
    ...writtenOf(value),
    ...(entryId > 0 && { expected: writtenOf(before) }),
    ...(ignoreNearDups && { ignoreNearDups }),
  }));

/** What the service said about cells, by their place in the request. */
export interface Refusals {
  /** By `cellKey`. */
  faults: ReadonlyMap<string, string>;
  /** Cells that hold something else by now. */
  overtaken: readonly StagedCell[];
  /** Whether names were refused for being nearly those of other entries, and for nothing else. */
  isOnlyNear: boolean;
  /** What belongs to no cell. */
  rest: readonly string[];
}

const PATH = /^storeRequests[.[](?<place>\d+)\]?(?:\.(?<part>\w+))?$/;
const NEAR = /; ignoreNearDups stores it all the same$/;

/** Puts what a failed request was told onto its cells. */
export function refusalsOf({ fields }: Pick<ServiceError, 'fields'>, cells: readonly StagedCell[]): Refusals {
  const faults = new Map<string, string>();
  const overtaken: StagedCell[] = [];
  const rest: string[] = [];
  for (const { path, message } of fields) {
    const { place, part } = PATH.exec(path)?.groups ?? {};
    const cell = place === undefined ? undefined : cells[Number(place)];
    if (!cell) rest.push(path === '' ? message : `${path}: ${message}`);
    else if (part === 'expected') overtaken.push(cell);
    else {
      const key = cellKey(cell);
      faults.set(key, [faults.get(key), message.replace(NEAR, '')].filter(Boolean).join('. '));
    }
  }
  const isOnlyNear = fields.length > 0 && fields.every(({ message }) => NEAR.test(message));
  return { faults, overtaken, isOnlyNear, rest };
}

/** Which entries are gone after a call that deletes them: also those that were before. The others say why not. */
export function deletedOf(answers: readonly DataRequestResultVm[], asked: readonly StagedDeletion[]) {
  const gone: StagedDeletion[] = [];
  const faults = new Map<string, string>();
  for (const [at, deletion] of asked.entries()) {
    const error = answers[at]?.error;
    if (error && error.code !== 404)
      faults.set(deletionKey(deletion.entryId), error.description ?? 'It was not deleted');
    else gone.push(deletion);
  }
  return { gone, faults };
}

/** The ids of entries that a request has made, by those that it gave them. */
export const madeBy = (
  answers: readonly DataRequestResultVm[],
  sent: readonly StagedCell[],
): ReadonlyMap<number, number> =>
  new Map(
    sent.flatMap(({ entryId }, at) => {
      const id = answers[at]?.entryId;
      return entryId < 0 && id !== undefined && id !== null ? [[entryId, id] as const] : [];
    }),
  );

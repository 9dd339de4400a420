import type { StoreRequestVm, WrittenValue } from '../../../../contract/generated/types.gen.ts';
import type { ServiceError } from '../../../api/errors.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import type { RowResult } from '../../import/index.ts';
import type { FieldWrite, RowWork, StoredValue } from './stored-values.ts';

// Rows planned for entries hold their work.
export const getWork = ({ work }: ImportRowPlan): RowWork => work as RowWork;

/** Request for a row: all values, or those that waited for other rows. */
export interface RowRequest {
  plan: ImportRowPlan;
  /** Entry to change; undefined creates one. */
  entryId: number | undefined;
  /** Values with the ids of created entries. */
  items: readonly FieldWrite[];
  /** Fields set in a later request. */
  pendingFieldIds: readonly number[];
}

export const CONFLICT_REASON = 'Someone else changed this entry in the meantime';
const PENDING_REASON = 'Waits for the entries it refers to';

const isCreated = ({ plan }: RowRequest): boolean => plan.outcome === 'create';

/** Result of a stored request. */
export const buildStoredResult = (
  shipment: RowRequest,
  id: number | undefined,
  assumed = false,
): RowResult => ({
  result: shipment.pendingFieldIds.length > 0 ? 'partly' : 'done',
  id,
  done: [isCreated(shipment) ? 'Created' : 'Changed'],
  ...(shipment.pendingFieldIds.length > 0 && {
    pendingFieldIds: shipment.pendingFieldIds,
    why: PENDING_REASON,
  }),
  ...(assumed && { isAssumed: assumed }),
});

/** Result of a refused request; an entry created before remains. */
export const buildRefusedResult = (
  { plan, entryId }: RowRequest,
  why: string,
  requestId?: string,
): RowResult => {
  const isThere = plan.outcome === 'create' && entryId !== undefined;
  return {
    result: isThere ? 'partly' : 'failed',
    id: entryId,
    done: isThere ? ['Created'] : [],
    why,
    requestId,
  };
};

const toRequestValue = (value: StoredValue | undefined): WrittenValue => {
  if (value === undefined) return null;
  if (typeof value !== 'object') return value;
  return 'currencyCode' in value ? value.value : [...value];
};

/** Store requests of a row, one per field. */
export function toStoreRequests({ plan, entryId, items }: RowRequest): StoreRequestVm[] {
  const { before, ignoreNearDups } = getWork(plan);
  return items.map(({ fieldId, value, currencyCode }) => {
    const held = before[fieldId];
    const code = typeof held === 'object' && 'currencyCode' in held ? held.currencyCode : undefined;
    return {
      // New entries are numbered by their row.
      entryId: entryId ?? -plan.row,
      fieldId,
      value,
      ...(currencyCode !== undefined && { currencyCode }),
      ...(ignoreNearDups && { ignoreNearDups }),
      // Values changed by others since the check are not overwritten (shapes 1, lost updates).
      ...(entryId !== undefined && {
        expected: { value: toRequestValue(held), ...(code !== undefined && { currencyCode: code }) },
      }),
    };
  });
}

/** Results of the rows named in a refusal; empty if it names none. */
export function getRefusals(shipments: readonly RowRequest[], error: ServiceError): Map<number, RowResult> {
  const ofItem = shipments.flatMap((shipment) => shipment.items.map(() => shipment));
  const words = new Map<RowRequest, Set<string>>();
  for (const { path, message } of error.fields) {
    const [, index] = /^storeRequests[.[](\d+)/.exec(path) ?? [];
    const shipment = index === undefined ? undefined : ofItem[Number(index)];
    if (!shipment) continue;
    const text = words.get(shipment) ?? new Set();
    words.set(shipment, text.add(path.endsWith('.expected') ? CONFLICT_REASON : message));
  }
  return new Map(
    [...words].map(([shipment, text]) => [
      shipment.plan.row,
      buildRefusedResult(shipment, [...text].join('. '), error.requestId),
    ]),
  );
}

// One request is one transaction: small enough not to block others and to be sent again.
const MAX_BATCH_ROWS = 200;
const MAX_BATCH_ITEMS = 2000;
const MAX_BATCH_CHARACTERS = 2_000_000;

const countCharacters = (plan: ImportRowPlan): number =>
  getWork(plan).items.reduce((sum, { value }) => sum + (typeof value === 'string' ? value.length : 0), 0);

/** Splits rows into batches of one request each. */
export function splitIntoBatches(rows: readonly ImportRowPlan[]): readonly (readonly ImportRowPlan[])[] {
  const batches: ImportRowPlan[][] = [];
  let [items, text] = [0, 0];
  for (const plan of rows) {
    items += getWork(plan).items.length;
    text += countCharacters(plan);
    const last = batches.at(-1);
    if (last && last.length < MAX_BATCH_ROWS && items <= MAX_BATCH_ITEMS && text <= MAX_BATCH_CHARACTERS)
      last.push(plan);
    else {
      batches.push([plan]);
      [items, text] = [getWork(plan).items.length, countCharacters(plan)];
    }
  }
  return batches;
}

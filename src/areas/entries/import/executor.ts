import { ENTRY_ID } from '../../../../contract/rules/query/condition.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listAllFields, updateEntries } from '../../../api/generated/sdk.gen.ts';
import type { ImportRowPlan } from '../../../files/import-plan/plan.ts';
import { concernsAllItems, isTransientError } from '../../bulk/index.ts';
import type { ImportExecutor, RowBatch, RowResult } from '../../import/index.ts';
import { queryRows } from '../model/entry-rows.ts';
import { buildSchema } from '../model/schema.ts';
import type { Field } from '../model/schema.ts';
import { getValue } from '../model/values.ts';
import { loadEntriesByValues } from './look-up.ts';
import { getReferencedRows } from './row-references.ts';
import {
  splitIntoBatches,
  getRefusals,
  buildRefusedResult,
  toStoreRequests,
  buildStoredResult,
  getWork,
  CONFLICT_REASON,
} from './row-requests.ts';
import type { RowRequest } from './row-requests.ts';
import type { FieldWrite, StoredValue } from './stored-values.ts';
import { toStoredValue, isSameStoredValue } from './stored-values.ts';

type Report = RowBatch['report'];

/**
 * Stores rows in one request. A refused request stores nothing (shapes 4): it is sent again without the rows named in
 * the refusal, or in halves if it names none.
 */
async function storeRows(typeId: number, shipments: readonly RowRequest[], report: Report): Promise<void> {
  if (shipments.length === 0) return;
  try {
    const { data } = await updateEntries({
      path: { entryTypeId: String(typeId) },
      body: { storeRequests: shipments.flatMap(toStoreRequests) },
    });
    let at = 0;
    for (const shipment of shipments) {
      report(shipment.plan.row, buildStoredResult(shipment, data[at]?.entryId));
      at += shipment.items.length;
    }
  } catch (thrown) {
    if (isTransientError(thrown)) throw thrown;
    const error = toServiceError(thrown);
    const named = getRefusals(shipments, error);
    for (const [row, result] of named) report(row, result);
    if (named.size > 0)
      return storeRows(
        typeId,
        shipments.filter(({ plan }) => !named.has(plan.row)),
        report,
      );
    if (concernsAllItems(error) || shipments.length === 1) {
      for (const shipment of shipments)
        report(shipment.plan.row, buildRefusedResult(shipment, error.message, error.requestId));
      return undefined;
    }
    const half = Math.ceil(shipments.length / 2);
    await storeRows(typeId, shipments.slice(0, half), report);
    await storeRows(typeId, shipments.slice(half), report);
  }
}

/** Sends the rows of a batch in rounds: rows that refer to others follow them. */
async function executeBatch(target: ImportTarget, batch: RowBatch): Promise<void> {
  const { rows, results, report } = batch;
  for (const [row, result] of await findCreatedEntries(target, batch)) report(row, result);
  // Ends when no row can be sent: results are final, or rows wait for other batches.
  for (let left = rows; left.length > 0;) {
    const next = left.flatMap((plan) => {
      const before = results.get(plan.row);
      const one = before && !before.pendingFieldIds ? undefined : getNextRequest(plan, results);
      return one ? [{ plan, one }] : [];
    });
    const shipments: RowRequest[] = [];
    for (const { plan, one } of next) {
      if (isRowRequest(one)) shipments.push(one);
      else report(plan.row, one);
    }
    // What comes next depends on what was stored.
    await storeRows(target.typeId, shipments, report);
    for (const [row, result] of await findAppliedChanges(target, shipments, results)) report(row, result);
    left = next.length === 0 ? [] : left;
  }
}

/** Creates the executor of entry imports; each batch is stored as a whole or not at all. */
export function createEntryExecutor(typeId: number): ImportExecutor {
  let target: ImportTarget | undefined;
  return {
    concurrency: 1,
    splitIntoBatches,
    async getLastId() {
      const { rows } = await queryRows(typeId, { orderBy: '-EntryId', fields: [], limit: 1 });
      return rows[0]?.EntryId ?? 0;
    },
    async execute(batch) {
      target ??= { typeId, fields: buildSchema([], (await listAllFields()).data).getFields(typeId) };
      await executeBatch(target, batch);
    },
    operations: ['createEntries', 'updateEntries'],
  };
}

/** Results so far by row number. */
type Results = ReadonlyMap<number, RowResult>;

/** Replaces row references by the ids of created entries; undefined while one of them is missing. */
function resolveRows(item: FieldWrite, results: Results): FieldWrite | undefined {
  const idOf = (id: number) => (id < 0 ? results.get(-id)?.id : id);
  const { rowOrder: _, value, ...rest } = item;
  if (item.rowOrder === undefined) return item;
  const ids = (Array.isArray(value) ? value : [value]).map((id) => (typeof id === 'number' ? idOf(id) : id));
  const existing = ids.filter((id) => typeof id === 'number');
  if (existing.length < ids.length) return undefined;
  return { ...rest, value: Array.isArray(value) ? existing : (existing[0] ?? null) };
}

/** A referenced row that failed. */
const findFailedRow = (items: readonly FieldWrite[], results: Results): number | undefined =>
  items
    .flatMap(({ rowOrder, value }) => (rowOrder === undefined ? [] : getReferencedRows(value)))
    .find((row) => results.get(row)?.result === 'failed');

/** Next request of a row; undefined while it waits for another row; a result if that row failed. */
function getNextRequest(plan: ImportRowPlan, results: Results): RowRequest | RowResult | undefined {
  const { items } = getWork(plan);
  const before = results.get(plan.row);
  const isCreation = plan.outcome === 'create' && before === undefined;
  const target = before?.pendingFieldIds
    ? items.filter(({ fieldId }) => before.pendingFieldIds?.includes(fieldId))
    : items;
  const isOpen = (item: FieldWrite) =>
    isCreation && item.rowOrder === 'later' && resolveRows(item, results) === undefined;
  const now = target.filter((item) => !isOpen(item));
  const ready = now.flatMap((item) => resolveRows(item, results) ?? []);
  const shipment: RowRequest = {
    plan,
    entryId: before?.id ?? plan.id,
    items: ready,
    pendingFieldIds: target.filter(isOpen).map(({ fieldId }) => fieldId),
  };
  const lost = findFailedRow(target, results);
  if (lost !== undefined)
    return buildRefusedResult(shipment, `Row ${lost}, which it refers to, was not imported`);
  return ready.length === now.length ? shipment : undefined;
}

const isRowRequest = (next: RowRequest | RowResult): next is RowRequest => 'plan' in next;

/** Entry type of the import. */
interface ImportTarget {
  typeId: number;
  fields: readonly Field[];
}

interface FoundEntry {
  id: number;
  getValue: (fieldId: number) => StoredValue | undefined;
}

/** Whether an entry holds all these values. */
const hasAllValues = (items: readonly FieldWrite[], held: FoundEntry['getValue']): boolean =>
  items.every(({ fieldId, value, currencyCode }) => {
    const target =
      value === null
        ? undefined
        : typeof value === 'number' && currencyCode !== undefined
          ? { value, currencyCode }
          : value;
    const now = held(fieldId);
    const amount = typeof now === 'object' && 'currencyCode' in now && typeof target === 'number';
    return amount ? now.value === target : isSameStoredValue(target, now);
  });

/** Reads entries with the fields that the rows write. */
async function rereadEntries(
  { typeId, fields }: ImportTarget,
  rows: readonly ImportRowPlan[],
  key: string,
  values: readonly (string | number)[],
): Promise<FoundEntry[]> {
  const target = new Set(rows.flatMap((plan) => getWork(plan).items.map(({ fieldId }) => fieldId)));
  const compared = fields.filter(({ id }) => target.has(id));
  const byId = new Map(compared.map((field) => [field.id, field]));
  const found: FoundEntry[] = [];
  const names = compared.map(({ apiName }) => apiName);
  for await (const some of loadEntriesByValues(typeId, key, values, names))
    for (const row of some)
      found.push({
        id: row.EntryId,
        getValue: (fieldId: number) => {
          const field = byId.get(fieldId);
          return field && toStoredValue(getValue(row, field), field);
        },
      });
  return found;
}

/**
 * Finds entries created by unanswered requests: newer than the import, with the same values, not created by another
 * row.
 */
async function findCreatedEntries(
  target: ImportTarget,
  { rows, progress, results, createdIds }: RowBatch,
): Promise<Map<number, RowResult>> {
  const uncertainRows = rows.filter(
    ({ row, outcome }) =>
      outcome === 'create' && !results.has(row) && progress.get(row)?.isUncertain === true,
  );
  const key = target.fields.find(({ isKey }) => isKey);
  if (uncertainRows.length === 0 || !key) return new Map();
  const names = uncertainRows.map(({ name }) => name).filter(Boolean);
  const currentEntries = await rereadEntries(target, uncertainRows, key.apiName, names);
  const taken = new Set(createdIds);
  const came = new Map<number, RowResult>();
  for (const plan of uncertainRows) {
    const lastIdBefore = progress.get(plan.row)?.lastIdBefore ?? 0;
    const { items } = getWork(plan);
    const own = items.filter(({ rowOrder }) => rowOrder === undefined);
    const found = currentEntries.find(
      ({ id, getValue: value }) => id > lastIdBefore && !taken.has(id) && hasAllValues(own, value),
    );
    if (!found) continue;
    taken.add(found.id);
    // References to created rows are compared when they are sent.
    const open = items.filter(({ rowOrder }) => rowOrder !== undefined).map(({ fieldId }) => fieldId);
    came.set(
      plan.row,
      buildStoredResult({ plan, entryId: undefined, items: own, pendingFieldIds: open }, found.id, true),
    );
  }
  return came;
}

/** Finds conflicts whose entry already holds the values of the row. */
async function findAppliedChanges(
  target: ImportTarget,
  shipments: readonly RowRequest[],
  results: ReadonlyMap<number, RowResult>,
): Promise<Map<number, RowResult>> {
  const doubtful = shipments.filter(({ plan }) => results.get(plan.row)?.why?.includes(CONFLICT_REASON));
  if (doubtful.length === 0) return new Map();
  const ids = doubtful.flatMap(({ entryId }) => entryId ?? []);
  const currentEntries = await rereadEntries(
    target,
    doubtful.map(({ plan }) => plan),
    ENTRY_ID,
    ids,
  );
  const byId = new Map(currentEntries.map((entry) => [entry.id, entry]));
  return new Map(
    doubtful.flatMap((shipment) => {
      const entry = byId.get(shipment.entryId ?? 0);
      const isSo = entry !== undefined && hasAllValues(shipment.items, entry.getValue);
      return isSo ? [[shipment.plan.row, buildStoredResult(shipment, entry.id, true)] as const] : [];
    }),
  );
}

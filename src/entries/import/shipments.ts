import type { RowResult } from '../../import/keep.ts';
import type { Planned } from '../../import/plan.ts';
import type { SentField } from './check.ts';
import { refused, workOf } from './requests.ts';
import type { Shipment } from './requests.ts';
import { rowsIn } from './rows-among.ts';

/** What came of the rows so far, by their numbers. */
export type Results = ReadonlyMap<number, RowResult>;

/** With what the rows have made; undefined while one of them is not there yet. */
function resolved(item: SentField, results: Results): SentField | undefined {
  const idOf = (id: number) => (id < 0 ? results.get(-id)?.id : id);
  const { rows: _, value, ...rest } = item;
  if (item.rows === undefined) return item;
  const ids = (Array.isArray(value) ? value : [value]).map((id) => (typeof id === 'number' ? idOf(id) : id));
  const known = ids.filter((id) => typeof id === 'number');
  if (known.length < ids.length) return undefined;
  return { ...rest, value: Array.isArray(value) ? known : (known[0] ?? null) };
}

/** A row that is named and will never be there. */
const lostOf = (items: readonly SentField[], results: Results): number | undefined =>
  items
    .flatMap(({ rows, value }) => (rows === undefined ? [] : rowsIn(value)))
    .find((row) => results.get(row)?.result === 'failed');

/** What can be sent of a row now; nothing while it waits for another one; a result where that will never come. */
export function nextOf(plan: Planned, results: Results): Shipment | RowResult | undefined {
  const { items } = workOf(plan);
  const before = results.get(plan.row);
  const isCreation = plan.outcome === 'create' && before === undefined;
  const wanted = before?.open ? items.filter(({ fieldId }) => before.open?.includes(fieldId)) : items;
  const isOpen = (item: SentField) =>
    isCreation && item.rows === 'later' && resolved(item, results) === undefined;
  const now = wanted.filter((item) => !isOpen(item));
  const ready = now.flatMap((item) => resolved(item, results) ?? []);
  const shipment: Shipment = {
    plan,
    entryId: before?.id ?? plan.id,
    items: ready,
    open: wanted.filter(isOpen).map(({ fieldId }) => fieldId),
  };
  const lost = lostOf(wanted, results);
  if (lost !== undefined) return refused(shipment, `Row ${lost}, which it names, was not imported`);
  return ready.length === now.length ? shipment : undefined;
}

export const isShipment = (next: Shipment | RowResult): next is Shipment => 'plan' in next;

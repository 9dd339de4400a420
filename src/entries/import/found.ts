import type { Piece } from '../../import/performer.ts';
import type { RowResult } from '../../import/keep.ts';
import type { Planned } from '../../import/plan.ts';
import { ENTRY_ID } from '../export/headings.ts';
import type { Field } from '../schema.ts';
import { valueIn } from '../values.ts';
import type { SentField } from './check.ts';
import { entriesWith } from './look-up.ts';
import { MEANWHILE, stored, workOf } from './requests.ts';
import type { Shipment } from './requests.ts';
import { heldIn, isSame } from './stored.ts';
import type { Held } from './stored.ts';

/** The type whose entries are imported. */
export interface Target {
  typeId: number;
  fields: readonly Field[];
}

interface Found {
  id: number;
  held: (fieldId: number) => Held | undefined;
}

/** Whether an entry holds all of this. */
const holdsAll = (items: readonly SentField[], held: Found['held']): boolean =>
  items.every(({ fieldId, value, currencyCode }) => {
    const wanted =
      value === null
        ? undefined
        : typeof value === 'number' && currencyCode !== undefined
          ? { value, currencyCode }
          : value;
    const now = held(fieldId);
    const amount = typeof now === 'object' && 'currencyCode' in now && typeof wanted === 'number';
    return amount ? now.value === wanted : isSame(wanted, now);
  });

/** Entries with what they hold in the fields that rows want. */
async function reread(
  { typeId, fields }: Target,
  rows: readonly Planned[],
  key: string,
  values: readonly (string | number)[],
): Promise<Found[]> {
  const wanted = new Set(rows.flatMap((plan) => workOf(plan).items.map(({ fieldId }) => fieldId)));
  const compared = fields.filter(({ id }) => wanted.has(id));
  const byId = new Map(compared.map((field) => [field.id, field]));
  const found: Found[] = [];
  const names = compared.map(({ apiName }) => apiName);
  for await (const some of entriesWith(typeId, key, values, names))
    for (const row of some)
      found.push({
        id: row.EntryId,
        held: (fieldId: number) => {
          const field = byId.get(fieldId);
          return field && heldIn(valueIn(row, field), field);
        },
      });
  return found;
}

/** Creations whose answer was lost: what is there now, by no other row of this import, is what they made. */
export async function findMade(
  target: Target,
  { rows, progress, results, made }: Piece,
): Promise<Map<number, RowResult>> {
  const unsure = rows.filter(
    ({ row, outcome }) => outcome === 'create' && !results.has(row) && progress.get(row)?.unsure === true,
  );
  const key = target.fields.find(({ isKey }) => isKey);
  if (unsure.length === 0 || !key) return new Map();
  const names = unsure.map(({ name }) => name).filter(Boolean);
  const there = await reread(target, unsure, key.apiName, names);
  const taken = new Set(made);
  const came = new Map<number, RowResult>();
  for (const plan of unsure) {
    const above = progress.get(plan.row)?.above ?? 0;
    const { items } = workOf(plan);
    const own = items.filter(({ rows: named }) => named === undefined);
    const found = there.find(({ id, held }) => id > above && !taken.has(id) && holdsAll(own, held));
    if (!found) continue;
    taken.add(found.id);
    // Whether it names what other rows made is seen when that is sent.
    const open = items.filter(({ rows: named }) => named !== undefined).map(({ fieldId }) => fieldId);
    came.set(plan.row, stored({ plan, entryId: undefined, items: own, open }, found.id, true));
  }
  return came;
}

/** Changes that were refused because the entry holds something else: it may be just what the row wants. */
export async function pardoned(
  target: Target,
  shipments: readonly Shipment[],
  results: ReadonlyMap<number, RowResult>,
): Promise<Map<number, RowResult>> {
  const doubtful = shipments.filter(({ plan }) => results.get(plan.row)?.why?.includes(MEANWHILE));
  if (doubtful.length === 0) return new Map();
  const ids = doubtful.flatMap(({ entryId }) => entryId ?? []);
  const there = await reread(
    target,
    doubtful.map(({ plan }) => plan),
    ENTRY_ID,
    ids,
  );
  const byId = new Map(there.map((entry) => [entry.id, entry]));
  return new Map(
    doubtful.flatMap((shipment) => {
      const entry = byId.get(shipment.entryId ?? 0);
      const isSo = entry !== undefined && holdsAll(shipment.items, entry.held);
      return isSo ? [[shipment.plan.row, stored(shipment, entry.id, true)] as const] : [];
    }),
  );
}

import { toServiceError } from '../../../api/errors.ts';
import { listAllFields, updateEntries } from '../../../api/generated/sdk.gen.ts';
import { isOfAll, isPassing } from '../../bulk/outcome.ts';
import type { Performer, Piece } from '../../import/performer.ts';
import { schemaOf } from '../model/schema.ts';
import { readRows } from '../model/use-rows.ts';
import { piecesOf } from './pieces.ts';
import { refusals, refused, requestsOf, stored, workOf, MEANWHILE } from './requests.ts';
import type { Shipment } from './requests.ts';
import type { RowResult } from '../../import/keep.ts';
import type { Planned } from '../../import/plan.ts';
import type { SentField } from './check.ts';
import { rowsIn } from './rows-among.ts';
import { ENTRY_ID } from '../export/headings.ts';
import type { Field } from '../model/schema.ts';
import { valueIn } from '../model/values.ts';
import { entriesWith } from './look-up.ts';
import { heldIn, isSame } from './stored.ts';
import type { Held } from './stored.ts';

type Tell = Piece['tell'];

/**
 * Stores what is sent of some rows in one request. Where one is refused, nothing was stored (shapes 4): the request is
 * sent again without those that the refusal names, and in halves where it names none.
 */
async function store(typeId: number, shipments: readonly Shipment[], tell: Tell): Promise<void> {
  if (shipments.length === 0) return;
  try {
    const { data } = await updateEntries({
      path: { entryTypeId: String(typeId) },
      body: { storeRequests: shipments.flatMap(requestsOf) },
    });
    let at = 0;
    for (const shipment of shipments) {
      tell(shipment.plan.row, stored(shipment, data[at]?.entryId));
      at += shipment.items.length;
    }
  } catch (thrown) {
    if (isPassing(thrown)) throw thrown;
    const error = toServiceError(thrown);
    const named = refusals(shipments, error);
    for (const [row, result] of named) tell(row, result);
    if (named.size > 0)
      return store(
        typeId,
        shipments.filter(({ plan }) => !named.has(plan.row)),
        tell,
      );
    if (isOfAll(error) || shipments.length === 1) {
      for (const shipment of shipments)
        tell(shipment.plan.row, refused(shipment, error.message, error.requestId));
      return undefined;
    }
    const half = Math.ceil(shipments.length / 2);
    await store(typeId, shipments.slice(0, half), tell);
    await store(typeId, shipments.slice(half), tell);
  }
}

/** Sends what can be sent of these rows, as long as there is something: those that name others come after them. */
async function perform(target: Target, piece: Piece): Promise<void> {
  const { rows, results, tell } = piece;
  for (const [row, result] of await findMade(target, piece)) tell(row, result);
  // Once more, and nothing else would follow: what came of them is final, or they wait for rows of other pieces.
  for (let left = rows; left.length > 0;) {
    const next = left.flatMap((plan) => {
      const before = results.get(plan.row);
      const one = before && !before.open ? undefined : nextOf(plan, results);
      return one ? [{ plan, one }] : [];
    });
    const shipments: Shipment[] = [];
    for (const { plan, one } of next) {
      if (isShipment(one)) shipments.push(one);
      else tell(plan.row, one);
    }
    // oxlint-disable-next-line no-await-in-loop -- what comes next depends on what was stored
    await store(target.typeId, shipments, tell);
    // oxlint-disable-next-line no-await-in-loop
    for (const [row, result] of await pardoned(target, shipments, results)) tell(row, result);
    left = next.length === 0 ? [] : left;
  }
}

/** Entries go in pieces, each of which is stored whole or not at all. */
export function entriesPerformer(typeId: number): Performer {
  let target: Target | undefined;
  return {
    atOnce: 1,
    pieces: piecesOf,
    async mark() {
      const { rows } = await readRows(typeId, { orderBy: '-EntryId', fields: [], limit: 1 });
      return rows[0]?.EntryId ?? 0;
    },
    async perform(piece) {
      target ??= { typeId, fields: schemaOf([], (await listAllFields()).data).fieldsOf(typeId) };
      await perform(target, piece);
    },
    effects: ['createEntries', 'updateEntries'],
  };
}

/** What came of the rows so far, by their numbers. */
type Results = ReadonlyMap<number, RowResult>;

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
function nextOf(plan: Planned, results: Results): Shipment | RowResult | undefined {
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

const isShipment = (next: Shipment | RowResult): next is Shipment => 'plan' in next;

/** The type whose entries are imported. */
interface Target {
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
async function findMade(
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
async function pardoned(
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

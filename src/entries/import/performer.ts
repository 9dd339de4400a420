import { toServiceError } from '../../api/errors.ts';
import { listAllFields, updateEntries } from '../../api/generated/sdk.gen.ts';
import { isOfAll, isPassing } from '../../bulk/outcome.ts';
import type { Performer, Piece } from '../../import/performer.ts';
import { schemaOf } from '../schema.ts';
import { readRows } from '../use-rows.ts';
import { findMade, pardoned } from './found.ts';
import type { Target } from './found.ts';
import { piecesOf } from './pieces.ts';
import { refusals, refused, requestsOf, stored } from './requests.ts';
import type { Shipment } from './requests.ts';
import { isShipment, nextOf } from './shipments.ts';

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

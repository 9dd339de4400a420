import type { ServiceError } from '../../../api/errors.ts';
import type { StoreRequestVm, WrittenValue } from '../../../api/generated/types.gen.ts';
import type { RowResult } from '../../import/keep.ts';
import type { Planned } from '../../import/plan.ts';
import type { SentField, Work } from './check.ts';
import type { Held } from './stored.ts';

// What was planned for entries holds their work.
export const workOf = ({ work }: Planned): Work => work as Work;

/** What is sent for a row in one request: all of it, or what follows when the rows that it names are there. */
export interface Shipment {
  plan: Planned;
  /** The entry that is changed; undefined: it is created. */
  entryId: number | undefined;
  /** With the ids of what the rows that they name have made. */
  items: readonly SentField[];
  /** The fields that are set in a later request. */
  open: readonly number[];
}

export const MEANWHILE = 'Somebody else changed this entry in the meantime';
const FOLLOWS = 'The entries that it names follow';

const isCreated = ({ plan }: Shipment): boolean => plan.outcome === 'create';

/** What a shipment that was stored has done. */
export const stored = (shipment: Shipment, id: number | undefined, assumed = false): RowResult => ({
  result: shipment.open.length > 0 ? 'partly' : 'done',
  id,
  done: [isCreated(shipment) ? 'Created' : 'Changed'],
  ...(shipment.open.length > 0 && { open: shipment.open, why: FOLLOWS }),
  ...(assumed && { assumed }),
});

/** What is known of a row that is refused: what was created before stays. */
export const refused = ({ plan, entryId }: Shipment, why: string, requestId?: string): RowResult => {
  const isThere = plan.outcome === 'create' && entryId !== undefined;
  return {
    result: isThere ? 'partly' : 'failed',
    id: entryId,
    done: isThere ? ['Created'] : [],
    why,
    requestId,
  };
};

const written = (held: Held | undefined): WrittenValue => {
  if (held === undefined) return null;
  if (typeof held !== 'object') return held;
  return 'currencyCode' in held ? held.value : [...held];
};

/** The requests of a shipment, one for each field. */
export function requestsOf({ plan, entryId, items }: Shipment): StoreRequestVm[] {
  const { before, ignoreNearDups } = workOf(plan);
  return items.map(({ fieldId, value, currencyCode }) => {
    const held = before[fieldId];
    const code = typeof held === 'object' && 'currencyCode' in held ? held.currencyCode : undefined;
    return {
      // A new entry's number is that of its row.
      entryId: entryId ?? -plan.row,
      fieldId,
      value,
      ...(currencyCode !== undefined && { currencyCode }),
      ...(ignoreNearDups && { ignoreNearDups }),
      // What somebody else wrote since the check is not overwritten (shapes 1, lost updates).
      ...(entryId !== undefined && {
        expected: { value: written(held), ...(code !== undefined && { currencyCode: code }) },
      }),
    };
  });
}

/** What a refused request says of its shipments, by their rows; of none where it names none. */
export function refusals(shipments: readonly Shipment[], error: ServiceError): Map<number, RowResult> {
  const ofItem = shipments.flatMap((shipment) => shipment.items.map(() => shipment));
  const words = new Map<Shipment, Set<string>>();
  for (const { path, message } of error.fields) {
    const [, index] = /^storeRequests[.[](\d+)/.exec(path) ?? [];
    const shipment = index === undefined ? undefined : ofItem[Number(index)];
    if (!shipment) continue;
    const said = words.get(shipment) ?? new Set();
    words.set(shipment, said.add(path.endsWith('.expected') ? MEANWHILE : message));
  }
  return new Map(
    [...words].map(([shipment, said]) => [
      shipment.plan.row,
      refused(shipment, [...said].join('. '), error.requestId),
    ]),
  );
}

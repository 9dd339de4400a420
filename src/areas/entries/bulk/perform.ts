import { ServiceError } from '../../../api/errors.ts';
import { updateEntries } from '../../../api/generated/sdk.gen.ts';
import type { StoreRequestVm } from '../../../api/generated/types.gen.ts';
import { isOfAll, isPassing } from '../../bulk/outcome.ts';
import { sameValue, writtenOf } from '../editing/written.ts';
import type { Field } from '../model/schema.ts';
import { valueIn } from '../model/values.ts';
import type { EntryChange } from './plan.ts';
import { readNow } from './read.ts';

/** What came of an entry, as of a person (bulk/outcome). */
export interface Outcome {
  entryId: number;
  result: 'done' | 'already' | 'conflict' | 'failed';
  why?: string | undefined;
  requestId?: string | undefined;
}

interface Target {
  typeId: number;
  fields: readonly Field[];
  /** Whether an earlier attempt may have been stored although no answer came. */
  unsure: boolean;
}

type Item = StoreRequestVm & { entryId: number };

/** Each cell with what it must still hold, so that nobody's change is lost in the moment in between. */
const itemsOf = (changes: readonly EntryChange[]): Item[] =>
  changes.flatMap(({ entryId, cells }) =>
    cells.map(({ fieldId, before, after }) => ({
      entryId,
      fieldId,
      ...writtenOf(after),
      expected: writtenOf(before),
    })),
  );

const PLACE = /^storeRequests\.(\d+)/;

/** Whose fault each of a refusal is; the first one of an entry tells why, but that it was changed tells most. */
function blamed(error: ServiceError, items: readonly Item[]): Map<number, Outcome> {
  const told = new Map<number, Outcome>();
  for (const { path, message } of error.fields) {
    const item = items[Number(PLACE.exec(path)?.[1] ?? Number.NaN)];
    if (!item) continue;
    const gone = path.endsWith('.entryId');
    const conflict = gone || path.endsWith('.expected');
    if (told.has(item.entryId) && !conflict) continue;
    const why = gone ? 'No longer there' : message;
    told.set(item.entryId, {
      entryId: item.entryId,
      result: conflict ? 'conflict' : 'failed',
      why,
      requestId: error.requestId,
    });
  }
  return told;
}

/**
 * Writes a piece. A request is all or nothing: those that are to blame for a refusal are told, and the others are sent
 * again without them; where nobody is to blame the piece is halved until it is known whose refusal it is.
 * @throws ServiceError where the fault is nobody's
 */
export async function perform(changes: readonly EntryChange[], target: Target): Promise<Outcome[]> {
  if (changes.length === 0) return [];
  const items = itemsOf(changes);
  try {
    await updateEntries({ path: { entryTypeId: String(target.typeId) }, body: { storeRequests: items } });
    return changes.map(({ entryId }) => ({ entryId, result: 'done' }));
  } catch (thrown) {
    if (!(thrown instanceof ServiceError) || isPassing(thrown)) throw thrown;
    const told = thrown.status === 400 ? blamed(thrown, items) : new Map<number, Outcome>();
    if (told.size > 0) {
      const judged = await judge(changes, told, target);
      return [...judged, ...(await perform(without(changes, told), target))];
    }
    if (isOfAll(thrown) || changes.length === 1) {
      const { message: why, requestId } = thrown;
      return changes.map(({ entryId }) => ({ entryId, result: 'failed', why, requestId }));
    }
    const middle = Math.ceil(changes.length / 2);
    const first = await perform(changes.slice(0, middle), target);
    return [...first, ...(await perform(changes.slice(middle), target))];
  }
}

const without = (changes: readonly EntryChange[], told: ReadonlyMap<number, Outcome>) =>
  changes.filter(({ entryId }) => !told.has(entryId));

/** Of those that hold something else by now: who holds what was wanted has it from this job, or from somebody else. */
async function judge(
  changes: readonly EntryChange[],
  told: ReadonlyMap<number, Outcome>,
  { typeId, fields, unsure }: Target,
): Promise<Outcome[]> {
  const conflicts = [...told.values()].filter(({ result }) => result === 'conflict');
  if (conflicts.length === 0) return [...told.values()];
  const byId = new Map(fields.map((field) => [field.id, field]));
  const touched = new Set(changes.flatMap(({ cells }) => cells.map(({ fieldId }) => fieldId)));
  const ids = conflicts.map(({ entryId }) => entryId);
  const now = await readNow(
    typeId,
    ids,
    fields.filter(({ id }) => touched.has(id)),
  );
  const isSo = ({ entryId, cells }: EntryChange): boolean => {
    const row = now.get(entryId);
    return cells.every(({ fieldId, after }) => {
      const field = byId.get(fieldId);
      return row !== undefined && field !== undefined && sameValue(valueIn(row, field), after);
    });
  };
  const so = new Set(changes.filter(isSo).map(({ entryId }) => entryId));
  return [...told.values()].map((outcome) =>
    outcome.result === 'conflict' && so.has(outcome.entryId)
      ? { entryId: outcome.entryId, result: unsure ? 'done' : 'already' }
      : outcome,
  );
}

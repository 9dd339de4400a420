import { change, hostActor } from '../../../kernel/change.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { Chore } from '../../../kernel/jobs/chores.ts';
import {
  calculationsOf,
  type EntryType,
  holdSchema,
  type StoredValue,
  type Vals,
} from '../../schema/index.ts';
import { changedFields } from './drafts.ts';
import { recordEntries } from './write.ts';
import * as store from './write.store.ts';
import { sitesInQueue, takeQueued } from './queue.store.ts';

/** So many entries are computed in one transaction. */
const AT_ONCE = 500;
const EVERY_MS = 5_000;
export const RECALCULATE = 'recalculate';

/** As the database has it: it knows no -0, and no half of a pair that a text was cut through. */
function asStored(value: StoredValue): StoredValue {
  if (typeof value === 'number') return value + 0;
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** The values of an entry with those of its calculated fields as they follow from the others. */
function calculated(type: EntryType, before: Vals): Record<string, StoredValue | undefined> {
  const after: Record<string, StoredValue | undefined> = { ...before };
  for (const { field, formula } of calculationsOf(type)) {
    const value = formula.run(after);
    if (value === undefined) delete after[field.id];
    else after[field.id] = asStored(value);
  }
  return after;
}

/** Computes some of the entries of a site that wait for it; answers how many it took. */
function recalculateSome(db: Db, siteId: number): Promise<number> {
  return change(db, hostActor(siteId), async (tx, record) => {
    const schema = await holdSchema(tx, siteId);
    const queued = await takeQueued(tx, siteId, AT_ONCE);
    const author = { siteId, userId: null, proxyId: null };
    for (const [typeId, entries] of Map.groupBy(queued, (entry) => entry.typeId)) {
      const type = schema.typesById.get(typeId);
      if (!type) continue;
      const writes = entries
        .map(({ entryId, vals: before }) => {
          const after = calculated(type, before);
          return { entryId, before, after, changed: changedFields({ before, after }, type.fields) };
        })
        .filter(({ changed }) => changed.length > 0);
      if (writes.length === 0) continue;
      // oxlint-disable-next-line no-await-in-loop -- one connection, in order
      const at = await store.momentOfChange(tx);
      // oxlint-disable-next-line no-await-in-loop
      await store.updateEntries(tx, author, type, writes, at, store.CAUSE.calculation);
      recordEntries(
        record,
        { type, kind: 'updated', action: 'entry.calculate' },
        writes.map(({ entryId }) => entryId),
      );
    }
    return queued.length;
  });
}

/** Computes what waits, until nothing does or somebody else has it in hand. */
async function recalculate(db: Db): Promise<void> {
  for (const siteId of await sitesInQueue(db)) {
    let taken = AT_ONCE;
    // oxlint-disable-next-line no-await-in-loop -- one piece after the other
    while (taken === AT_ONCE) taken = await recalculateSome(db, siteId);
  }
}

/** Calculated fields follow in the background: whoever writes does not wait for what depends on it. */
export const recalculation = (db: Db): Chore => ({
  name: RECALCULATE,
  everyMs: EVERY_MS,
  run: () => recalculate(db),
});

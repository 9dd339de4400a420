import { change, createHostActor } from '../../../kernel/audit/change.ts';
import type { Db } from '../../../kernel/db/database.ts';
import type { ScheduledTask } from '../../../kernel/jobs/scheduled-tasks.ts';
import {
  getCalculations,
  type EntryType,
  lockSchemaShared,
  type StoredValue,
  type StoredValues,
} from '../../schema/index.ts';
import { findChangedFields } from './entry-drafts.ts';
import { recordEntryChanges } from './write-entries.ts';
import * as store from './write.store.ts';

/** Number of entries recalculated in one transaction. */
const BATCH_SIZE = 500;
const INTERVAL_MS = 5_000;
export const RECALCULATE_TASK = 'recalculate';

/** Normalizes a value as jsonb stores it: no -0 and no lone surrogates. */
function toStoredValue(value: StoredValue): StoredValue {
  if (typeof value === 'number') return value + 0;
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** The values of an entry with its calculated fields recalculated. */
function calculateFields(type: EntryType, before: StoredValues): Record<string, StoredValue | undefined> {
  const after: Record<string, StoredValue | undefined> = { ...before };
  for (const { field, formula } of getCalculations(type)) {
    const value = formula.run(after);
    if (value === undefined) delete after[field.id];
    else after[field.id] = toStoredValue(value);
  }
  return after;
}

/** Recalculates a batch of queued entries of a site; returns the number of entries taken from the queue. */
function recalculateBatch(db: Db, siteId: number): Promise<number> {
  return change(db, createHostActor(siteId), async (tx, record) => {
    const schema = await lockSchemaShared(tx, siteId);
    const queued = await store.takeQueuedEntries(tx, siteId, BATCH_SIZE);
    const author = { siteId, userId: null, proxyId: null };
    for (const [typeId, entries] of Map.groupBy(queued, (entry) => entry.typeId)) {
      const type = schema.typesById.get(typeId);
      if (!type) continue;
      const writes = entries
        .map(({ entryId, vals: before }) => {
          const after = calculateFields(type, before);
          return { entryId, before, after, changed: findChangedFields({ before, after }, type.fields) };
        })
        .filter(({ changed }) => changed.length > 0);
      if (writes.length === 0) continue;
      const at = await store.getChangeTime(tx);
      await store.updateEntries(tx, author, type, writes, at, store.CAUSE.calculation);
      recordEntryChanges(
        record,
        {
          type,
          kind: 'updated',
          action: 'entry.calculate',
          changedFields: writes.flatMap(({ changed }) => changed),
        },
        writes.map(({ entryId }) => entryId),
      );
    }
    return queued.length;
  });
}

/** Recalculates all queued entries except those that another process has locked. */
async function recalculate(db: Db): Promise<void> {
  for (const siteId of await store.listQueuedSites(db)) {
    let taken = BATCH_SIZE;
    while (taken === BATCH_SIZE) taken = await recalculateBatch(db, siteId);
  }
}

/** Scheduled task that updates calculated fields, so that writes need not wait for them. */
export const recalculateTask = (db: Db): ScheduledTask => ({
  name: RECALCULATE_TASK,
  intervalMs: INTERVAL_MS,
  run: () => recalculate(db),
});

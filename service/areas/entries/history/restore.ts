import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { forbidden, notFound } from '../../../kernel/api-error.ts';
import {
  type Actor,
  getActor,
  change,
  createHostActor,
  type Recorder,
} from '../../../kernel/audit/change.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { defineJobKind, type ItemOutcome, type JobBatch } from '../../../kernel/jobs/job-kind.ts';
import {
  type EntryType,
  findEntryType,
  loadSchema,
  lockSchemaShared,
  type StoredValue,
} from '../../schema/index.ts';
import { ENTRY_LABELS } from '../write/bulk.store.ts';
import { replaceReferences } from '../write/delete-entries.ts';
import { planReferences, type ReferenceItem } from '../write/deleted-references.ts';
import { findChangedFields } from '../write/entry-drafts.ts';
import { formatEntries, updateEntriesJob } from '../write/job-kinds.ts';
import { lockReferencedEntries } from '../write/locks.store.ts';
import { getAuthor, RECALCULATE_TASK, recordEntryChanges } from '../write/write-entries.ts';
import * as store from '../write/write.store.ts';
import { type DeletedEntry, lockDeletedEntries } from './lineage.store.ts';
import { RESTORE_ACTION } from './timeline.store.ts';

/** Ids of the restored entries, and requested ids that are not deleted entries of the type. */
interface RestoreResult {
  restored: number[];
  absent: number[];
}

/** Builds the rows of the restored entries without references to deleted entries; those references are in `changed`. */
async function prepareRestoredEntries(
  tx: Tx,
  siteId: number,
  type: EntryType,
  deleted: ReadonlyMap<number, DeletedEntry>,
): Promise<store.EntryWrite[]> {
  const references = type.fields.filter((field) => field.fieldType === FIELD.reference);
  const referencedIds = [...deleted.values()].flatMap(({ vals }) =>
    references.flatMap((field) => [vals[field.id] ?? []].flat().filter((id) => typeof id === 'number')),
  );
  const existing = await lockReferencedEntries(tx, siteId, [...new Set(referencedIds)]);
  // Entries that are restored together keep their references to each other.
  const missingIds = new Set(referencedIds.filter((id) => !existing.has(id) && !deleted.has(id)));
  return [...deleted].map(([entryId, { vals, name }]) => {
    const before: Record<string, StoredValue | undefined> = {};
    for (const { id } of type.fields) if (vals[id] !== undefined) before[id] = vals[id];
    // The key field of the type may have changed since the deletion.
    before[type.keyField.id] ??= name;
    const after = replaceReferences(before, references, missingIds, null);
    return { entryId, before, after, changed: findChangedFields({ before, after }, references) };
  });
}

/**
 * Restores deleted entries with their ids and history; the public API treats a deletion as final (spec 4.4). References
 * of other entries to them are not restored. `entry_change` loses the facts of the deletion, so an audit row for each
 * entry stores them.
 * @param deleted the result of `lockDeletedEntries`
 */
async function restoreLockedEntries(
  tx: Tx,
  author: store.Author,
  record: Recorder,
  type: EntryType,
  deleted: ReadonlyMap<number, DeletedEntry>,
): Promise<void> {
  const { siteId } = author;
  const restored = [...deleted.keys()];
  if (restored.length === 0) return;
  const writes = await prepareRestoredEntries(tx, siteId, type, deleted);
  const at = await store.getChangeTime(tx);
  store.insertEntries(tx, author, type, writes, { at, areRestored: true });
  // Lists as of a time before the deletion read the removed references from the log.
  store.writeLog(tx, author, type.id, writes, at, store.CAUSE.indirect);
  if (type.fields.some((field) => field.isCalculated)) store.queueCalculations(tx, siteId, restored);
  await recordEntryChanges(tx, record, { siteId, type, kind: 'created', action: 'entry.restore' }, writes);
  for (const [entryId, { vals: _vals, name: _name, ...deletion }] of deleted)
    record({ action: RESTORE_ACTION, subject: ['entry', entryId], changes: deletion });
}

/** Restores deleted entries in a transaction of its own; returns undefined when the site has no such type. */
function restoreDeletedEntries(
  db: Db,
  actor: Actor,
  typeName: string,
  ids: readonly number[],
): Promise<RestoreResult | undefined> {
  const { siteId } = actor;
  const author = { siteId, userId: actor.userId, proxyId: actor.proxy?.userId ?? null };
  return change(db, actor, async (tx, record) => {
    const type = findEntryType(await lockSchemaShared(tx, siteId), typeName);
    if (!type) return undefined;
    const deleted = await lockDeletedEntries(tx, siteId, type.id, ids);
    await restoreLockedEntries(tx, author, record, type, deleted);
    return { restored: [...deleted.keys()], absent: ids.filter((id) => !deleted.has(id)) };
  });
}

/** An entry to restore, or one whose references are set again when all entries are restored. */
type RestoreItem = { entryId: number; deletedBy: number | null } | ReferenceItem;

const isReferenceItem = (item: RestoreItem): item is ReferenceItem => 'references' in item;

/**
 * Job that restores what a job deleted, except entries that were restored and deleted again since. It has no operation that starts it:
 * it undoes a job, in the console only (spec 4.4).
 */
export const restoreEntriesJob = defineJobKind<
  { typeId: number },
  RestoreItem & { deletedBy?: number | null }
>({
  kind: 'entries.restore',
  operation: 'restoreEntries',
  capabilities: ['Read Data', 'Write Data'],
  labels: ENTRY_LABELS,
  wakes: [RECALCULATE_TASK],
  locksSite: () => false,
  describe: async ({ db, siteId }, { typeId }, items) => {
    const type = (await loadSchema(db, siteId)).typesById.get(typeId);
    return `Restore ${formatEntries(type, await items.countWith('deletedBy'))}`;
  },
  async run(batch) {
    const { tx, caller, record, parameters, items } = batch;
    const author = getAuthor({ caller });
    const { siteId } = author;
    const type = (await lockSchemaShared(tx, siteId)).typesById.get(parameters.typeId);
    if (!type) return items.map(() => ({ state: 'failed', reason: 'The entry type was deleted' }));
    const restored = items.flatMap((item) => (isReferenceItem(item) ? [] : item));
    const locked = await lockDeletedEntries(
      tx,
      siteId,
      type.id,
      restored.map(({ entryId }) => entryId),
    );
    const deletedBy = new Map(restored.map((item) => [item.entryId, item.deletedBy]));
    const deleted = new Map(
      [...locked].filter(([id, entry]) => entry.mergedInto === null && entry.deletedBy === deletedBy.get(id)),
    );
    await restoreLockedEntries(tx, author, record, type, deleted);
    const references = await setReferences(batch, type, items.filter(isReferenceItem));
    return items.map((item): ItemOutcome => {
      const id = item.entryId;
      if (isReferenceItem(item)) return references.get(id) ?? { state: 'unchanged' };
      if (deleted.has(id)) return { state: 'done' };
      return locked.has(id)
        ? { state: 'conflict', reason: 'Was restored and deleted again in the meantime' }
        : { state: 'unchanged' };
    });
  },
});

/** Sets the references of restored entries to each other, as a job that changes entries does. Returns the outcomes by entry id. */
async function setReferences(
  batch: JobBatch<{ typeId: number }, object>,
  type: EntryType,
  items: readonly ReferenceItem[],
): Promise<Map<number, ItemOutcome>> {
  const { siteId } = batch.caller;
  const plans = await planReferences(batch.tx, { siteId, type }, items);
  const updates = plans.flatMap((plan) => ('state' in plan ? [] : plan));
  const outcomes =
    updates.length > 0
      ? await updateEntriesJob.run({
          ...batch,
          parameters: { typeId: type.id, values: [], ignoreNearDups: true },
          items: updates,
        })
      : [];
  const written = new Map(updates.map(({ entryId }, index) => [entryId, outcomes[index]]));
  return new Map(
    items.map(({ entryId }, index) => {
      const plan = plans[index];
      const outcome = plan && 'state' in plan ? plan : written.get(entryId);
      return [entryId, outcome ?? { state: 'unchanged' }] as const;
    }),
  );
}

/** Restores deleted entries on behalf of the host administrator (`steward entry restore`). */
export const restoreEntries = (
  db: Db,
  siteId: number,
  typeName: string,
  ids: readonly number[],
): Promise<RestoreResult | undefined> => restoreDeletedEntries(db, createHostActor(siteId), typeName, ids);

/**
 * Restores deleted entries for an administrator.
 * @throws ApiError 403 without Write Data, 404 for an unknown type
 */
export async function restoreForAdministrator(call: Call<'restoreEntries'>): Promise<RestoreResult> {
  const { db, caller, params, body } = call;
  if (!caller.capabilities.has('Write Data'))
    throw forbidden('User capabilities are required: Manage Backups and Write Data');
  const result = await restoreDeletedEntries(db, getActor(call), params.entryTypeId, [...new Set(body)]);
  if (!result) throw notFound(`Entry type "${params.entryTypeId}"`);
  return result;
}

import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import { forbidden, badRequest, notFound } from '../../../kernel/api-error.ts';
import { getActor, change, type Recorder } from '../../../kernel/audit/change.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import {
  lockSchemaShared,
  type SchemaField,
  type SiteSchema,
  type StoredValue,
  type EntryType,
} from '../../schema/index.ts';
import { requireType } from '../query/resolve-query.ts';
import { findChangedFields } from './entry-drafts.ts';
import { type LockedRemoval, lockEntries, lockEntriesAndReferrers } from './locks.store.ts';
import { getAuthor, recordEntryChanges } from './write-entries.ts';
import * as store from './write.store.ts';

/** Limits of a deletion; tests lower them. */
export const deletionLimits = {
  /** Referrers of which the values are read and changed at once: an entry may have more than fit into memory. */
  referrersAtOnce: 10_000,
};

const notFoundResult = (entryId: number): DataRequestResultVm => ({
  entryId,
  error: { code: 404, description: `Entry ${entryId} does not exist` },
});

/** The locked entries of the type among `ids`, as rows for `removeEntries`. */
const toDeletions = (
  { entries }: LockedRemoval,
  ids: readonly number[],
  type: EntryType,
): store.EntryWrite[] =>
  ids.flatMap((entryId) => {
    const entry = entries.get(entryId);
    return entry?.typeId === type.id ? [{ entryId, before: entry.vals, after: {}, changed: [] }] : [];
  });

/** All reference fields of the site: a field limited to some types may have accepted others earlier. */
export const listReferenceFields = (schema: SiteSchema): SchemaField[] =>
  [...schema.fieldsById.values()].filter((field) => field.fieldType === FIELD.reference);

/** A value without references to removed entries, or with `replacement` instead; undefined if nothing is left. */
function replaceInValue(
  value: StoredValue,
  removed: ReadonlySet<number>,
  replacement: number | null,
): StoredValue | undefined {
  if (typeof value === 'number') return removed.has(value) ? (replacement ?? undefined) : value;
  if (!Array.isArray(value)) return value;
  const ids = value.flatMap((id) =>
    typeof id === 'number' ? (removed.has(id) ? (replacement ?? []) : [id]) : [],
  );
  return ids.length > 0 ? [...new Set(ids)] : undefined;
}

type Vals = Readonly<Record<string, StoredValue | undefined>>;

/** Values of an entry without references to removed entries, or with references to `replacement` instead. */
export function replaceReferences(
  before: Vals,
  references: readonly SchemaField[],
  removed: ReadonlySet<number>,
  replacement: number | null,
): Record<string, StoredValue | undefined> {
  const after = { ...before };
  for (const { id } of references) {
    const value = before[id];
    const replaced = value === undefined ? undefined : replaceInValue(value, removed, replacement);
    if (replaced === undefined) delete after[id];
    else after[id] = replaced;
  }
  return after;
}

/**
 * Removes references to deleted entries from the entries that have them, or replaces them by the merge target: an indirect
 * change of those entries (spec 4.4, allHistory).
 */
async function updateReferrers(
  tx: Tx,
  schema: SiteSchema,
  record: Recorder,
  {
    author,
    locked,
    removedIds,
    replacement,
    at,
  }: {
    author: store.Author;
    locked: LockedRemoval;
    removedIds: readonly number[];
    replacement: number | null;
    at: Date;
  },
): Promise<void> {
  const removed = new Set(removedIds);
  const { siteId } = schema;
  const referrers = [...locked.typeIds]
    .filter(([entryId]) => !removed.has(entryId))
    .toSorted(([one], [other]) => one - other);
  for (const [typeId, referrersOfType] of Map.groupBy(referrers, ([, ownTypeId]) => ownTypeId)) {
    const type = schema.typesById.get(typeId);
    const references = type?.fields.filter(({ fieldType }) => fieldType === FIELD.reference) ?? [];
    if (!type || references.length === 0) continue;
    const fieldIds = new Set(references.map(({ id }) => id));
    const ids = referrersOfType.map(([entryId]) => entryId);
    const { referrersAtOnce } = deletionLimits;
    for (let from = 0; from < ids.length; from += referrersAtOnce) {
      // The values of one batch are in memory at a time.
      const held = await lockEntries(tx, siteId, type, ids.slice(from, from + referrersAtOnce), fieldIds);
      const writes = [...held]
        .map(([entryId, before]) => {
          const after = replaceReferences(before, references, removed, replacement);
          return { entryId, before, after, changed: findChangedFields({ before, after }, references) };
        })
        .filter(({ changed }) => changed.length > 0);
      const updatedIds = writes.map(({ entryId }) => entryId);
      store.updateEntries(tx, author, type, writes, at, store.CAUSE.indirect);
      if (type.fields.some((field) => field.isCalculated)) store.queueCalculations(tx, siteId, updatedIds);
      const changedFields = [...new Set(writes.flatMap(({ changed }) => changed))];
      await recordEntryChanges(tx, record, { siteId, type, kind: 'updated', changedFields }, writes, {
        instead: { of: removedIds, is: replacement },
      });
    }
  }
}

/** Locks entries that are to be deleted, and those that refer to them. */
export const lockForDeletion = (tx: Tx, schema: SiteSchema, ids: readonly number[]): Promise<LockedRemoval> =>
  lockEntriesAndReferrers(tx, schema.siteId, listReferenceFields(schema), ids);

/**
 * Deletes the entries of the type among `ids` and the references to them.
 * @param locked the result of `lockForDeletion` for these ids
 * @returns the ids of the deleted entries
 */
export async function deleteLockedEntries(
  tx: Tx,
  schema: SiteSchema,
  record: Recorder,
  {
    author,
    type,
    locked,
    ids,
  }: {
    author: store.Author;
    type: EntryType;
    locked: LockedRemoval;
    ids: readonly number[];
  },
): Promise<number[]> {
  const writes = toDeletions(locked, ids, type);
  const removedIds = writes.map(({ entryId }) => entryId);
  if (removedIds.length === 0) return [];
  const at = await store.getChangeTime(tx);
  await updateReferrers(tx, schema, record, { author, locked, removedIds, replacement: null, at });
  await store.removeEntries(tx, author, type, writes, at, null);
  await recordEntryChanges(tx, record, { siteId: schema.siteId, type, kind: 'deleted' }, writes);
  return removedIds;
}

/**
 * Deletes entries, which is final for the public API; their history is kept. An entry that does not exist gets a 404
 * result, the others are deleted.
 */
export function deleteEntries(call: Call<'deleteEntries'>): Promise<DataRequestResultVm[]> {
  const author = getAuthor(call);
  return change(call.db, getActor(call), async (tx, record) => {
    const schema = await lockSchemaShared(tx, author.siteId);
    const type = requireType(schema, call.params.entryTypeId);
    const ids = [...new Set(call.body)].toSorted((one, other) => one - other);
    const locked = await lockForDeletion(tx, schema, ids);
    const deletedIds = new Set(await deleteLockedEntries(tx, schema, record, { author, type, locked, ids }));
    return call.body.map((entryId) =>
      deletedIds.has(entryId) ? { entryId, rowId: entryId } : notFoundResult(entryId),
    );
  });
}

/**
 * Merges entries into one (shapes 4): they are deleted, and references to them become references to the target.
 * @throws ApiError 400, 403 or 404; nothing is changed then
 */
export function mergeEntries(call: Call<'mergeEntries'>): Promise<DataRequestResultVm[]> {
  const { caller, body } = call;
  if (!caller.capabilities.has('Delete Data'))
    throw forbidden('User capabilities are required: Write Data and Delete Data');
  const author = getAuthor(call);
  const mergedIds = [...new Set(body.mergeEntries)].toSorted((one, other) => one - other);
  if (mergedIds.includes(body.entryId))
    throw badRequest([{ path: 'mergeEntries', message: 'must not contain the target entry' }]);
  return change(call.db, getActor(call), async (tx, record) => {
    const schema = await lockSchemaShared(tx, author.siteId);
    const type = requireType(schema, call.params.entryTypeId);
    const ids = [...mergedIds, body.entryId];
    const locked = await lockForDeletion(tx, schema, ids);
    const isOfType = (id: number): boolean => locked.entries.get(id)?.typeId === type.id;
    if (!isOfType(body.entryId)) throw notFound(`Entry ${body.entryId}`);
    const errors = body.mergeEntries.flatMap((id, index) =>
      isOfType(id) ? [] : [{ path: `mergeEntries.${index}`, message: `Entry ${id} does not exist` }],
    );
    if (errors.length > 0) throw badRequest(errors);
    const at = await store.getChangeTime(tx);
    await updateReferrers(tx, schema, record, {
      author,
      locked,
      removedIds: mergedIds,
      replacement: body.entryId,
      at,
    });
    const deletions = toDeletions(locked, mergedIds, type);
    await store.removeEntries(tx, author, type, deletions, at, body.entryId);
    await recordEntryChanges(tx, record, { siteId: author.siteId, type, kind: 'deleted' }, deletions, {
      mergedInto: body.entryId,
    });
    return body.mergeEntries.map((entryId) => ({ entryId, rowId: body.entryId }));
  });
}

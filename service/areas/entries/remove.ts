import type { DataRequestResultVm } from '../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../contract/rules/fields.ts';
import { actorOf, change, type Recorder } from '../../kernel/change.ts';
import type { Tx } from '../../kernel/db/database.ts';
import { forbidden, invalid, notFound } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import {
  holdSchema,
  type SchemaField,
  type SiteSchema,
  type StoredValue,
  type Vals,
} from '../schema/index.ts';
import { typeCalled } from './asking.ts';
import { changedFields } from './drafts.ts';
import { queueCalculations } from './queue.store.ts';
import { authorIn, recordEntries } from './write.ts';
import * as store from './write.store.ts';

const absent = (entryId: number): DataRequestResultVm => ({
  entryId,
  error: { code: 404, description: `Entry ${entryId} does not exist` },
});

const asWrites = (existing: ReadonlyMap<number, Vals>, ids: readonly number[]): store.EntryWrite[] =>
  ids.flatMap((entryId) => {
    const before = existing.get(entryId);
    return before ? [{ entryId, before, after: {}, changed: [] }] : [];
  });

/** Fields that may refer to an entry of any type: one that takes some types only may have taken more before. */
const referencesIn = (schema: SiteSchema): SchemaField[] =>
  [...schema.fieldsById.values()].filter((field) => field.fieldType === FIELD.reference);

/** A value without the entries that go away, or with the one that takes their place. */
function redirected(
  value: StoredValue,
  gone: ReadonlySet<number>,
  to: number | null,
): StoredValue | undefined {
  if (typeof value === 'number') return gone.has(value) ? (to ?? undefined) : value;
  if (!Array.isArray(value)) return value;
  const ids = value.flatMap((id) => (typeof id === 'number' ? (gone.has(id) ? (to ?? []) : [id]) : []));
  return ids.length > 0 ? [...new Set(ids)] : undefined;
}

/**
 * Values that refer to entries that go away lose them, or refer to the one they were merged into: an indirect change of
 * the entries that hold them (spec 4.4, allHistory).
 */
async function redirect(
  tx: Tx,
  schema: SiteSchema,
  record: Recorder,
  { author, gone, to, at }: { author: store.Author; gone: readonly number[]; to: number | null; at: Date },
): Promise<void> {
  const fields = referencesIn(schema);
  const holders = fields.length > 0 ? await store.referring(tx, schema.siteId, fields, gone) : [];
  const away = new Set(gone);
  for (const [typeId, ofType] of Map.groupBy(
    holders.filter(({ entryId }) => !away.has(entryId)),
    (holder) => holder.typeId,
  )) {
    const holderType = schema.typesById.get(typeId);
    if (!holderType) continue;
    const ids = ofType.map(({ entryId }) => entryId);
    // oxlint-disable-next-line no-await-in-loop -- one connection; the types in the order of their holders
    const existing = await store.lockEntries(tx, schema.siteId, typeId, ids);
    const redirections = [...existing].map(([entryId, before]) => {
      const after: Record<string, StoredValue | undefined> = { ...before };
      for (const field of fields.filter((each) => each.typeId === typeId)) {
        const held = before[field.id];
        const left = held === undefined ? undefined : redirected(held, away, to);
        if (left === undefined) delete after[field.id];
        else after[field.id] = left;
      }
      return { entryId, before, after, changed: changedFields({ before, after }, holderType) };
    });
    const writes = redirections.filter(({ changed }) => changed.length > 0);
    const written = writes.map(({ entryId }) => entryId);
    // oxlint-disable-next-line no-await-in-loop
    await store.updateEntries(tx, author, holderType, writes, at, store.CAUSE.indirect);
    if (holderType.fields.some((field) => field.isCalculated))
      // oxlint-disable-next-line no-await-in-loop
      await queueCalculations(tx, schema.siteId, written);
    recordEntries(record, { type: holderType, kind: 'updated' }, written, { instead: { of: gone, is: to } });
  }
}

/** Deletes entries: final for the interface, their history stays. One that does not exist is told, the others go. */
export function deleteEntries(call: Call<'deleteEntries'>): Promise<DataRequestResultVm[]> {
  const author = authorIn(call);
  return change(call.db, actorOf(call), async (tx, record) => {
    const schema = await holdSchema(tx, author.siteId);
    const type = typeCalled(schema, call.params.entryTypeId);
    const ids = [...new Set(call.body)].toSorted((one, other) => one - other);
    const existing = await store.lockEntries(tx, author.siteId, type.id, ids, { toRemove: true });
    const gone = [...existing.keys()];
    if (gone.length > 0) {
      const at = await store.momentOfChange(tx);
      await redirect(tx, schema, record, { author, gone, to: null, at });
      await store.removeEntries(tx, author, type, asWrites(existing, gone), at, null);
      recordEntries(record, { type, kind: 'deleted' }, gone);
    }
    return call.body.map((entryId) =>
      existing.has(entryId) ? { entryId, rowId: entryId } : absent(entryId),
    );
  });
}

/** Merges entries into one (shapes 4): they go away, and what referred to them refers to the one that stays. */
export function mergeEntries(call: Call<'mergeEntries'>): Promise<DataRequestResultVm[]> {
  const { caller, body } = call;
  if (!caller.capabilities.has('Delete Data'))
    throw forbidden('User capabilities are required: Write Data and Delete Data');
  const author = authorIn(call);
  const merged = [...new Set(body.mergeEntries)].toSorted((one, other) => one - other);
  if (merged.includes(body.entryId))
    throw invalid([{ path: 'mergeEntries', message: 'must not hold the entry that stays' }]);
  return change(call.db, actorOf(call), async (tx, record) => {
    const schema = await holdSchema(tx, author.siteId);
    const type = typeCalled(schema, call.params.entryTypeId);
    const named = [...merged, body.entryId];
    const existing = await store.lockEntries(tx, author.siteId, type.id, named, { toRemove: true });
    if (!existing.has(body.entryId)) throw notFound(`Entry ${body.entryId}`);
    const unknown = body.mergeEntries.flatMap((id, index) =>
      existing.has(id) ? [] : [{ path: `mergeEntries.${index}`, message: `Entry ${id} does not exist` }],
    );
    if (unknown.length > 0) throw invalid(unknown);
    const at = await store.momentOfChange(tx);
    await redirect(tx, schema, record, { author, gone: merged, to: body.entryId, at });
    // Read again: the one that stays may have referred to one that goes.
    await store.removeEntries(tx, author, type, asWrites(existing, merged), at, body.entryId);
    recordEntries(record, { type, kind: 'deleted' }, merged, { mergedInto: body.entryId });
    return body.mergeEntries.map((entryId) => ({ entryId, rowId: body.entryId }));
  });
}

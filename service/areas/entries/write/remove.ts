import type { DataRequestResultVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { actorOf, change, type Recorder } from '../../../kernel/change.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import { forbidden, invalid, notFound } from '../../../kernel/http/errors.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import {
  holdSchema,
  type SchemaField,
  type SiteSchema,
  type StoredValue,
  type EntryType,
} from '../../schema/index.ts';
import { typeCalled } from '../query/asking.ts';
import { changedFields } from './drafts.ts';
import { type Held, lockWithHolders } from './locks.store.ts';
import { queueCalculations } from './queue.store.ts';
import { authorIn, recordEntries } from './write.ts';
import * as store from './write.store.ts';

const absent = (entryId: number): DataRequestResultVm => ({
  entryId,
  error: { code: 404, description: `Entry ${entryId} does not exist` },
});

/** Those of the entries that are of the type, to be removed. */
const asWrites = (
  locked: ReadonlyMap<number, Held>,
  ids: readonly number[],
  type: EntryType,
): store.EntryWrite[] =>
  ids.flatMap((entryId) => {
    const held = locked.get(entryId);
    return held?.typeId === type.id ? [{ entryId, before: held.vals, after: {}, changed: [] }] : [];
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

type Vals = Readonly<Record<string, StoredValue | undefined>>;

/** What an entry holds when these entries have gone away, or one (`to`) has taken their place. */
export function valsWithout(
  before: Vals,
  references: readonly SchemaField[],
  gone: ReadonlySet<number>,
  to: number | null,
): Record<string, StoredValue | undefined> {
  const after = { ...before };
  for (const { id } of references) {
    const held = before[id];
    const left = held === undefined ? undefined : redirected(held, gone, to);
    if (left === undefined) delete after[id];
    else after[id] = left;
  }
  return after;
}

/**
 * Values that refer to entries that go away lose them, or refer to the one they were merged into: an indirect change of
 * the entries that hold them (spec 4.4, allHistory).
 */
async function redirect(
  tx: Tx,
  schema: SiteSchema,
  record: Recorder,
  {
    author,
    locked,
    gone,
    to,
    at,
  }: {
    author: store.Author;
    locked: ReadonlyMap<number, Held>;
    gone: readonly number[];
    to: number | null;
    at: Date;
  },
): Promise<void> {
  const away = new Set(gone);
  const holders = [...locked.values()].filter(({ entryId }) => !away.has(entryId));
  for (const [typeId, ofType] of Map.groupBy(holders, (holder) => holder.typeId)) {
    const type = schema.typesById.get(typeId);
    if (!type) continue;
    const references = type.fields.filter(({ fieldType }) => fieldType === FIELD.reference);
    const writes = ofType
      .map(({ entryId, vals: before }) => {
        const after = valsWithout(before, references, away, to);
        return { entryId, before, after, changed: changedFields({ before, after }, references) };
      })
      .filter(({ changed }) => changed.length > 0);
    const written = writes.map(({ entryId }) => entryId);
    // oxlint-disable-next-line no-await-in-loop -- one connection, in order
    await store.updateEntries(tx, author, type, writes, at, store.CAUSE.indirect);
    if (type.fields.some((field) => field.isCalculated))
      // oxlint-disable-next-line no-await-in-loop
      await queueCalculations(tx, schema.siteId, written);
    recordEntries(record, { type, kind: 'updated' }, written, { instead: { of: gone, is: to } });
  }
}

/** Deletes entries: final for the interface, their history stays. One that does not exist is told, the others go. */
export function deleteEntries(call: Call<'deleteEntries'>): Promise<DataRequestResultVm[]> {
  const author = authorIn(call);
  return change(call.db, actorOf(call), async (tx, record) => {
    const schema = await holdSchema(tx, author.siteId);
    const type = typeCalled(schema, call.params.entryTypeId);
    const ids = [...new Set(call.body)].toSorted((one, other) => one - other);
    const locked = await lockWithHolders(tx, author.siteId, referencesIn(schema), ids);
    const writes = asWrites(locked, ids, type);
    const gone = writes.map(({ entryId }) => entryId);
    if (gone.length > 0) {
      const at = await store.momentOfChange(tx);
      await redirect(tx, schema, record, { author, locked, gone, to: null, at });
      await store.removeEntries(tx, author, type, writes, at, null);
      recordEntries(record, { type, kind: 'deleted' }, gone);
    }
    const isGone = new Set(gone);
    return call.body.map((entryId) => (isGone.has(entryId) ? { entryId, rowId: entryId } : absent(entryId)));
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
    const locked = await lockWithHolders(tx, author.siteId, referencesIn(schema), named);
    const isHere = (id: number): boolean => locked.get(id)?.typeId === type.id;
    if (!isHere(body.entryId)) throw notFound(`Entry ${body.entryId}`);
    const unknown = body.mergeEntries.flatMap((id, index) =>
      isHere(id) ? [] : [{ path: `mergeEntries.${index}`, message: `Entry ${id} does not exist` }],
    );
    if (unknown.length > 0) throw invalid(unknown);
    const at = await store.momentOfChange(tx);
    await redirect(tx, schema, record, { author, locked, gone: merged, to: body.entryId, at });
    await store.removeEntries(tx, author, type, asWrites(locked, merged, type), at, body.entryId);
    recordEntries(record, { type, kind: 'deleted' }, merged, { mergedInto: body.entryId });
    return body.mergeEntries.map((entryId) => ({ entryId, rowId: body.entryId }));
  });
}

import type { DataRequestResultVm, StoreRequestsVm } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/fields.ts';
import { actorOf, change, type Recorder } from '../../../kernel/change.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import { invalid, type FieldError } from '../../../kernel/http/errors.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { holdSchema, type EntryType } from '../../schema/index.ts';
import { typeCalled, zonesFor } from '../query/asking.ts';
import { attachAll, attachmentsOf } from '../files/attachments.ts';
import { changedFields, draftsOf, fieldsLookedAt, missing, type Draft } from './drafts.ts';
import { holdReferred, lockEntries } from './locks.store.ts';
import { queueCalculations } from './queue.store.ts';
import * as store from './write.store.ts';
import { idsIn, type StoreItem } from './written.ts';
import { nearKey } from '../../../../contract/rules/near-names.ts';

const MOST_ITEMS = 10_000;

type WriteCall = Pick<Call, 'db' | 'caller' | 'origin' | 'services' | 'files'> & {
  params: { entryTypeId: string };
  body: StoreRequestsVm;
  query: { dateTimeBehavior?: number };
};

export const authorIn = (call: Pick<Call, 'caller' | 'origin'>): store.Author => {
  const { siteId, userId, proxy } = actorOf(call);
  return { siteId, userId, proxyId: proxy?.userId ?? null };
};

/** The entries that the items refer to. */
function referredIn(items: readonly StoreItem[], type: EntryType): number[] {
  const references = new Set(
    type.fields.filter(({ fieldType }) => fieldType === FIELD.reference).map(({ id }) => id),
  );
  return [...new Set(items.flatMap(({ fieldId, value }) => (references.has(fieldId) ? idsIn(value) : [])))];
}

/** New entries get the next number of each counter, in the order in which the request names them. */
async function count(tx: Tx, siteId: number, type: EntryType, drafts: readonly Draft[]): Promise<void> {
  const fresh = drafts.filter((draft) => draft.isNew);
  if (fresh.length === 0) return;
  for (const field of type.fields.filter(({ fieldType }) => fieldType === FIELD.counter)) {
    // oxlint-disable-next-line no-await-in-loop -- locks in one order in every transaction
    const first = await store.takeNumbers(tx, siteId, field.id, fresh.length);
    for (const [index, draft] of fresh.entries()) draft.after[field.id] = first + index;
  }
}

/** Gives new entries their ids and stores them; answers the ids by those of the request. */
async function storeDrafts(tx: Tx, author: store.Author, type: EntryType, drafts: readonly Draft[]) {
  const fresh = drafts.filter((draft) => draft.isNew);
  const ids = fresh.length > 0 ? await store.newEntryIds(tx, fresh.length) : [];
  const idOf = new Map(fresh.map((draft, index) => [draft.entryId, ids[index] ?? 0]));
  const writes = drafts.map((draft) => ({
    entryId: idOf.get(draft.entryId) ?? draft.entryId,
    before: draft.before,
    after: draft.after,
    changed: draft.isNew
      ? []
      : changedFields(
          draft,
          [...draft.touched.values()].map(({ field }) => field),
        ),
    isNew: draft.isNew,
  }));
  const inserts = writes.filter(({ isNew }) => isNew);
  const updates = writes.filter(({ isNew, changed }) => !isNew && changed.length > 0);
  const at = await store.momentOfChange(tx);
  if (inserts.length > 0) await store.insertEntries(tx, author, type, inserts, at);
  if (updates.length > 0)
    await store.updateEntries(
      tx,
      author,
      type,
      updates.toSorted((a, b) => a.entryId - b.entryId),
      at,
      store.CAUSE.somebody,
    );
  const written = [...inserts, ...updates].map(({ entryId }) => entryId);
  if (type.fields.some((field) => field.isCalculated) && written.length > 0)
    await queueCalculations(tx, author.siteId, written);
  return {
    idOf,
    created: inserts.map(({ entryId }) => entryId),
    updated: updates.map(({ entryId }) => entryId),
    at,
  };
}

const ACTIONS = { created: 'entry.create', updated: 'entry.update', deleted: 'entry.delete' } as const;
type Action = (typeof ACTIONS)[keyof typeof ACTIONS] | 'entry.calculate' | 'entry.restore';

/** One audit row for the request (the log has every value), and the events of what it did. */
export function recordEntries(
  record: Recorder,
  what: { type: EntryType; kind: keyof typeof ACTIONS; action?: Action },
  ids: readonly number[],
  more: Readonly<Record<string, unknown>> = {},
): void {
  if (ids.length === 0) return;
  const { type, kind, action = ACTIONS[kind] } = what;
  record({
    action,
    subject: ['entry-type', type.id],
    changes: { entries: ids, ...more },
    event: {
      topic: 'default-data',
      entityType: 'Data',
      kind,
      isCalculated: action === 'entry.calculate',
      entities: ids.map((EntryId) => ({ EntryId, EntryListId: type.id })),
    },
  });
}

/**
 * Creates and changes entries (spec 4.4; shapes 4): one invalid item fails the whole request, with every error told and
 * nothing stored. Negative ids are new entries, the same id the same entry.
 */
export async function writeEntries(
  call: WriteCall,
  options: { onlyNew: boolean },
): Promise<DataRequestResultVm[]> {
  const { db, caller, params, body } = call;
  const items = body.storeRequests ?? [];
  const files = body.binaryStoreRequests ?? [];
  if (items.length + files.length > MOST_ITEMS)
    throw invalid([
      { path: 'storeRequests', message: `has too many items: ${MOST_ITEMS} at most, files included` },
    ]);
  const behavior = call.query.dateTimeBehavior === 1 ? 1 : 0;
  const zones = await zonesFor(db, caller, behavior);
  const author = authorIn(call);
  const attachments = await attachmentsOf(files, call.files, call.services.dataDir);
  const all = [...items, ...attachments.map(({ request }) => request)];
  const absent = (id: number): string =>
    options.onlyNew ? 'must be negative: only new entries are created here' : `Entry ${id} does not exist`;
  return change(db, actorOf(call), async (tx, record) => {
    const schema = await holdSchema(tx, author.siteId);
    const type = typeCalled(schema, params.entryTypeId);
    const existingIds = options.onlyNew
      ? []
      : [...new Set(all.map(({ entryId }) => entryId))].filter((id) => id > 0);
    const looked = fieldsLookedAt(
      type,
      all.map(({ fieldId }) => fieldId),
    );
    const referred = referredIn(items, type);
    const types =
      referred.length > 0
        ? await holdReferred(tx, author.siteId, [...existingIds, ...referred])
        : new Map<number, number>();
    const existing =
      existingIds.length > 0
        ? await lockEntries(tx, author.siteId, type, existingIds, looked)
        : new Map<number, never>();
    const { drafts: byId, faults } = draftsOf(items, type, existing, { behavior, zones }, absent);
    faults.push(
      ...(await attachAll(tx, { siteId: author.siteId, type, existing, absent }, attachments, byId)),
    );
    const drafts = [...byId.values()];
    const refused = [
      ...faults,
      ...missing(drafts, type),
      ...(await unknownIds(tx, author.siteId, drafts, types)),
      ...(await nearFaults(tx, author.siteId, type, drafts)),
    ];
    if (refused.length > 0) throw invalid(refused);
    await count(tx, author.siteId, type, drafts);
    const { idOf, created, updated, at } = await storeDrafts(tx, author, type, drafts);
    recordEntries(record, { type, kind: 'created' }, created);
    recordEntries(record, { type, kind: 'updated' }, updated);
    const modified = at.toISOString();
    return all.map((item): DataRequestResultVm => {
      const entryId = idOf.get(item.entryId) ?? item.entryId;
      const isNoData = byId.get(item.entryId)?.after[item.fieldId] === undefined;
      return {
        entryId,
        rowId: entryId,
        fieldId: item.fieldId,
        isNoData,
        modified,
        modifiedBy: author.userId,
      };
    });
  });
}

/** Ids that values name and that must exist: `types` has those of the entries that are referred to. */
async function unknownIds(
  tx: Tx,
  siteId: number,
  drafts: readonly Draft[],
  types: ReadonlyMap<number, number>,
): Promise<FieldError[]> {
  const named = drafts.flatMap((draft) =>
    [...draft.touched.values()].flatMap(({ field, path }) => {
      const value = draft.after[field.id];
      const ids = typeof value === 'number' ? [value] : Array.isArray(value) ? value : [];
      return ids.filter((id) => typeof id === 'number').map((id) => ({ field, path: `${path}.value`, id }));
    }),
  );
  const references = named.filter(({ field }) => field.fieldType === FIELD.reference);
  const users = named.filter(({ field }) => field.fieldType === FIELD.user);
  const members =
    users.length > 0
      ? await store.usersAmong(tx, siteId, [...new Set(users.map(({ id }) => id))])
      : new Set<number>();
  return [
    ...references.flatMap(({ field, path, id }) => {
      const type = types.get(id);
      if (type === undefined) return [{ path, message: `Entry ${id} does not exist` }];
      return field.entryLists.length === 0 || field.entryLists.includes(type)
        ? []
        : [{ path, message: `Entry ${id} is of a type that ${field.apiName} does not refer to` }];
    }),
    ...users
      .filter(({ id }) => !members.has(id))
      .map(({ path, id }) => ({ path, message: `User ${id} is not on this site` })),
  ];
}

/** Names that are nearly those of other entries, stored or in the same request, where the request does not allow it. */
async function nearFaults(
  tx: Tx,
  siteId: number,
  type: EntryType,
  drafts: readonly Draft[],
): Promise<FieldError[]> {
  const named = drafts.flatMap((draft) => {
    const name = draft.after[type.key.id];
    const touched = draft.touched.get(type.key.id);
    if (!touched || typeof name !== 'string' || name === draft.before[type.key.id]) return [];
    const key = nearKey(name);
    return key === undefined ? [] : [{ draft, key, name, path: `${touched.path}.value` }];
  });
  const checked = named.filter(({ draft }) => !draft.ignoreNearDups);
  if (checked.length === 0) return [];
  const renamed = named.filter(({ draft }) => !draft.isNew).map(({ draft }) => draft.entryId);
  const stored = await store.nearEntries(
    tx,
    siteId,
    type.id,
    [...new Set(checked.map(({ key }) => key))],
    renamed,
  );
  const sameKey = Map.groupBy(named, ({ key }) => key);
  return checked.flatMap(({ draft, key, path }) => {
    const near = stored.get(key);
    const words = 'ignoreNearDups stores it all the same';
    if (near)
      return [{ path, message: `"${near.name}" (entry ${near.entryId}) has nearly this name; ${words}` }];
    const twin = sameKey.get(key)?.find((each) => each.draft !== draft);
    return twin
      ? [{ path, message: `"${twin.name}" in this request is nearly the same name; ${words}` }]
      : [];
  });
}

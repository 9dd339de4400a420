import { FIELD } from '../../../../contract/rules/fields.ts';
import { type Actor, actorOf, change, hostActor } from '../../../kernel/change.ts';
import type { Db, Tx } from '../../../kernel/db/database.ts';
import { forbidden, notFound } from '../../../kernel/http/errors.ts';
import type { Call } from '../../../kernel/http/handler.ts';
import { type EntryType, findType, holdSchema, type StoredValue } from '../../schema/index.ts';
import { changedFields } from '../write/drafts.ts';
import { holdReferred } from '../write/locks.store.ts';
import { queueCalculations } from '../write/queue.store.ts';
import { valsWithout } from '../write/remove.ts';
import { type Deleted, lockDeleted } from './restore.store.ts';
import { RETURN } from './timeline.store.ts';
import { recordEntries } from '../write/write.ts';
import * as store from '../write/write.store.ts';

/** Which of the entries came back, and which could not: they are not deleted entries of the type. */
interface Restored {
  restored: number[];
  absent: number[];
}

/** Entries that come back, with what they hold: `changed` are the references to what is gone. */
async function comingBack(
  tx: Tx,
  siteId: number,
  type: EntryType,
  deleted: ReadonlyMap<number, Deleted>,
): Promise<store.EntryWrite[]> {
  const references = type.fields.filter((field) => field.fieldType === FIELD.reference);
  const named = [...deleted.values()].flatMap(({ vals }) =>
    references.flatMap((field) => [vals[field.id] ?? []].flat().filter((id) => typeof id === 'number')),
  );
  const there = await holdReferred(tx, siteId, [...new Set(named)]);
  // What comes back together refers to one another as before.
  const gone = new Set(named.filter((id) => !there.has(id) && !deleted.has(id)));
  return [...deleted].map(([entryId, { vals, name }]) => {
    const before: Record<string, StoredValue | undefined> = {};
    for (const { id } of type.fields) if (vals[id] !== undefined) before[id] = vals[id];
    // Another field may be the key since.
    before[type.key.id] ??= name;
    const after = valsWithout(before, references, gone, null);
    return { entryId, before, after, changed: changedFields({ before, after }, references) };
  });
}

/**
 * Brings deleted entries back: for the programs' interface a delete is final (spec 4.4). They keep their ids and their
 * history; what referred to them before does not do so again. What is told of how they went would be lost with it, so
 * the audit row of each keeps it.
 * Undefined: the site has no such type.
 */
function bringBack(
  db: Db,
  actor: Actor,
  typeName: string,
  ids: readonly number[],
): Promise<Restored | undefined> {
  const { siteId } = actor;
  const author = { siteId, userId: actor.userId, proxyId: actor.proxy?.userId ?? null };
  return change(db, actor, async (tx, record) => {
    const type = findType(await holdSchema(tx, siteId), typeName);
    if (!type) return undefined;
    const deleted = await lockDeleted(tx, siteId, type.id, ids);
    const restored = [...deleted.keys()];
    if (restored.length > 0) {
      const writes = await comingBack(tx, siteId, type, deleted);
      const at = await store.momentOfChange(tx);
      await store.insertEntries(tx, author, type, writes, at);
      // Lists as of a moment before read from the log what the entry referred to.
      await store.writeLog(tx, author, type.id, writes, at, store.CAUSE.indirect);
      if (type.fields.some((field) => field.isCalculated)) await queueCalculations(tx, siteId, restored);
      recordEntries(record, { type, kind: 'created', action: 'entry.restore' }, restored);
      for (const [entryId, { vals: _vals, name: _name, ...went }] of deleted)
        record({ action: RETURN, subject: ['entry', entryId], changes: went });
    }
    return { restored, absent: ids.filter((id) => !deleted.has(id)) };
  });
}

/** The same by the host of the service. */
export const restoreEntries = (
  db: Db,
  siteId: number,
  typeName: string,
  ids: readonly number[],
): Promise<Restored | undefined> => bringBack(db, hostActor(siteId), typeName, ids);

/** The same by an administrator, who brings back what a person may write as well. */
export async function restoreForAdministrator(call: Call<'restoreEntries'>): Promise<Restored> {
  const { db, caller, params, body } = call;
  if (!caller.capabilities.has('Write Data'))
    throw forbidden('User capabilities are required: Manage Backups and Write Data');
  const result = await bringBack(db, actorOf(call), params.entryTypeId, [...new Set(body)]);
  if (!result) throw notFound(`Entry type "${params.entryTypeId}"`);
  return result;
}

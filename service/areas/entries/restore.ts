import { FIELD } from '../../../contract/rules/fields.ts';
import { type Actor, actorOf, change, hostActor } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { forbidden, notFound } from '../../kernel/http/errors.ts';
import type { Call } from '../../kernel/http/handler.ts';
import { type EntryType, findType, holdSchema, type StoredValue, type Vals } from '../schema/index.ts';
import { holdReferred } from './locks.store.ts';
import { queueCalculations } from './queue.store.ts';
import { redirected } from './remove.ts';
import { lockDeleted } from './restore.store.ts';
import { RETURN } from './timeline.store.ts';
import { recordEntries } from './write.ts';
import * as store from './write.store.ts';

/** Which of the entries came back, and which could not: they are not deleted entries of the type. */
interface Restored {
  restored: number[];
  absent: number[];
}

/** What they held, without fields that are gone since and without references to what is gone. */
async function heldStill(tx: Tx, siteId: number, type: EntryType, held: readonly Vals[]): Promise<Vals[]> {
  const references = type.fields.filter((field) => field.fieldType === FIELD.reference);
  const named = held.flatMap((vals) =>
    references.flatMap((field) => [vals[field.id] ?? []].flat().filter((id) => typeof id === 'number')),
  );
  const there = await holdReferred(tx, siteId, [...new Set(named)]);
  const gone = new Set(named.filter((id) => !there.has(id)));
  return held.map((vals) => {
    const after: Record<string, StoredValue | undefined> = {};
    for (const field of type.fields) {
      const value = vals[field.id];
      const left =
        value !== undefined && field.fieldType === FIELD.reference ? redirected(value, gone, null) : value;
      if (left !== undefined) after[field.id] = left;
    }
    return after;
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
      const vals = [...deleted.values()].map((each) => each.vals);
      const held = await heldStill(tx, siteId, type, vals);
      const writes = restored.map((entryId, index) => ({
        entryId,
        before: {},
        after: held[index] ?? {},
        changed: [],
      }));
      await store.insertEntries(tx, author, type, writes, await store.momentOfChange(tx));
      if (type.fields.some((field) => field.isCalculated)) await queueCalculations(tx, siteId, restored);
      recordEntries(record, { type, kind: 'created', action: 'entry.restore' }, restored);
      for (const [entryId, { vals: _vals, ...went }] of deleted)
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

import { FIELD } from '../../../contract/rules/fields.ts';
import { change, hostActor } from '../../kernel/change.ts';
import type { Db, Tx } from '../../kernel/db/database.ts';
import { type EntryType, findType, holdSchema, type StoredValue, type Vals } from '../schema/index.ts';
import { holdReferred } from './locks.store.ts';
import { queueCalculations } from './queue.store.ts';
import { redirected } from './remove.ts';
import { lockDeleted } from './restore.store.ts';
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
 * Brings deleted entries back, by the host of the service: for the interface a delete is final (spec 4.4). They keep
 * their ids and their history; what referred to them before does not do so again.
 * Undefined: the site has no such type.
 */
export function restoreEntries(
  db: Db,
  siteId: number,
  typeName: string,
  ids: readonly number[],
): Promise<Restored | undefined> {
  const author = { siteId, userId: null, proxyId: null };
  return change(db, hostActor(siteId), async (tx, record) => {
    const type = findType(await holdSchema(tx, siteId), typeName);
    if (!type) return undefined;
    const deleted = await lockDeleted(tx, siteId, type.id, ids);
    const restored = [...deleted.keys()];
    if (restored.length > 0) {
      const held = await heldStill(tx, siteId, type, [...deleted.values()]);
      const writes = restored.map((entryId, index) => ({
        entryId,
        before: {},
        after: held[index] ?? {},
        changed: [],
      }));
      await store.insertEntries(tx, author, type, writes, await store.momentOfChange(tx));
      if (type.fields.some((field) => field.isCalculated)) await queueCalculations(tx, siteId, restored);
      recordEntries(record, { type, kind: 'created', action: 'entry.restore' }, restored);
    }
    return { restored, absent: ids.filter((id) => !deleted.has(id)) };
  });
}

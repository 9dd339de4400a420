/**
 * References between the entries of a large deletion. A job deletes in batches: the deletion of an entry removes the references to it from
 * entries of later batches, and its undo restores entries before those to which they refer. So the deletion keeps the references of each
 * entry as they were before the job, and the undo sets them again when all entries are restored.
 */
import type { JobCellValue } from '../../../../contract/generated/types.gen.ts';
import { FIELD } from '../../../../contract/rules/schema/fields.ts';
import type { Tx } from '../../../kernel/db/database.ts';
import type { ItemOutcome } from '../../../kernel/jobs/job-kind.ts';
import type { EntryType, StoredValue } from '../../schema/index.ts';
import * as store from './deleted-references.store.ts';
import type { LockedEntry } from './locks.store.ts';

type References = Readonly<Record<string, StoredValue>>;

const listIds = (value: StoredValue | undefined): number[] =>
  [value ?? []].flat().filter((id) => typeof id === 'number');

/** Fields of the type that may refer to other entries of it. */
const listReferenceFields = (type: EntryType) =>
  type.fields.filter(({ fieldType }) => fieldType === FIELD.reference);

/** The references of entries to others of their type, as they were before the job; by entry id, without entries that have none. */
export async function findReferences(
  tx: Tx,
  { siteId, type, startedAt }: { siteId: number; type: EntryType; startedAt: Date },
  entries: readonly LockedEntry[],
): Promise<Map<number, References>> {
  const fields = listReferenceFields(type);
  if (fields.length === 0) return new Map();
  const removed = await store.listRemovedReferences(tx, siteId, {
    entryIds: entries.map(({ entryId }) => entryId),
    fieldIds: fields.map(({ id }) => id),
    since: startedAt,
  });
  const held = entries.map(({ entryId, vals }) => {
    const values = fields.flatMap(({ id }): [string, StoredValue][] => {
      const value = removed.get(`${entryId} ${id}`) ?? vals[id];
      return value === undefined ? [] : [[String(id), value]];
    });
    return { entryId, values };
  });
  const ids = held.flatMap(({ values }) => values.flatMap(([, value]) => listIds(value)));
  const ofType = new Set(await store.listIdsOfType(tx, siteId, type.id, [...new Set(ids)]));
  return new Map(
    held.flatMap(({ entryId, values }) => {
      const own = values.filter(([, value]) => listIds(value).some((id) => ofType.has(id)));
      return own.length > 0 ? [[entryId, Object.fromEntries(own)] as const] : [];
    }),
  );
}

/** An entry with the references that it had before a deletion. */
export interface ReferenceItem {
  entryId: number;
  references: References;
}

/** Item of a job `entries.update` (`EntryUpdate` in job-kinds.ts). */
interface ReferenceUpdate {
  entryId: number;
  values: JobCellValue[];
  expected: JobCellValue[];
}

/**
 * Plans the updates that set the references of restored entries again. A field is left unchanged if it already has all of its former
 * references, or if it now refers to an entry that was not among them. References to entries that do not exist are not set.
 * @returns for each item, in order, its update or its outcome
 */
export async function planReferences(
  tx: Tx,
  { siteId, type }: { siteId: number; type: EntryType },
  items: readonly ReferenceItem[],
): Promise<(ReferenceUpdate | ItemOutcome)[]> {
  const fieldIds = new Set(listReferenceFields(type).map(({ id }) => String(id)));
  const wantedIds = items.flatMap(({ references }) => Object.values(references).flatMap(listIds));
  const current = await store.readEntries(tx, siteId, [
    ...new Set([...wantedIds, ...items.map(({ entryId }) => entryId)]),
  ]);
  return items.map(({ entryId, references }) => {
    const vals = current.get(entryId);
    if (!vals) return { state: 'conflict', reason: 'Was deleted' };
    const changes = Object.entries(references).flatMap(([fieldId, value]) => {
      const wanted = listIds(value).filter((id) => current.has(id));
      const present = listIds(vals[fieldId]);
      const isComplete = wanted.every((id) => present.includes(id));
      if (!fieldIds.has(fieldId) || isComplete || !present.every((id) => wanted.includes(id))) return [];
      const toValue = (ids: number[]) => (Array.isArray(value) ? ids : (ids[0] ?? null));
      return {
        fieldId: Number(fieldId),
        wanted: toValue(wanted),
        present: present.length > 0 ? toValue(present) : null,
      };
    });
    if (changes.length === 0) return { state: 'unchanged' };
    return {
      entryId,
      values: changes.map(({ fieldId, wanted }) => ({ fieldId, value: wanted })),
      expected: changes.map(({ fieldId, present }) => ({ fieldId, value: present })),
    };
  });
}

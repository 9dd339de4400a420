/** Undo of an import: created entries are deleted, changed ones get their values back. */
import type { EntryImportRow, JobCellValue } from '../../../../contract/generated/types.gen.ts';
import { defineJobKind, type ItemOutcome, type JobPlan } from '../../../kernel/jobs/job-kind.ts';
import { loadSchema, lockSchemaShared, type SchemaField } from '../../schema/index.ts';
import { UTC } from '../query/resolve-query.ts';
import { listDeletions } from '../write/bulk.store.ts';
import { deleteLockedEntries, listReferenceFields, lockForDeletion } from '../write/delete-entries.ts';
import {
  conflict,
  describeMissing,
  failed,
  formatEntries,
  TYPE_DELETED,
  updateEntriesJob,
} from '../write/job-kinds.ts';
import { groupReferrers, type LockedEntry } from '../write/locks.store.ts';
import { matchesExpected } from '../write/parse-value.ts';
import { getAuthor, RECALCULATE_TASK } from '../write/write-entries.ts';
import { formatFile } from './import-file.ts';
import type { EntryImportParameters, ImportedRow } from './import-file.ts';
import { IMPORT_LABELS } from './import.store.ts';

type UndoParameters = Pick<EntryImportParameters, 'typeId' | 'fileName' | 'sheet'>;

/** An entry to delete with all values that the import gave it, or to restore with those that it replaced. */
interface UndoItem {
  row: number;
  entryId: number;
  isRemoved?: true;
  values?: readonly JobCellValue[];
  expected: readonly JobCellValue[];
  /** A further item of its row. */
  isFurther?: true;
}

/**
 * The job that undoes an import. It is called with the items in reverse order: entries are restored and deleted before those that they
 * refer to. An import that only changed entries needs no right to delete.
 */
export function invertImport(
  { typeId, fileName, sheet }: EntryImportParameters,
  done: readonly { input: EntryImportRow; before: object | null }[],
): JobPlan {
  const items = done.map(({ input, before }): UndoItem => {
    const { entryId, isNew, values: replaced = [], references = [] } = before as ImportedRow;
    const written = input.values.map(
      (cell) => references.find(({ fieldId }) => fieldId === cell.fieldId) ?? cell,
    );
    const item = { row: input.row, entryId, ...(input.ofItem !== undefined && { isFurther: true as const }) };
    if (isNew) return { ...item, isRemoved: true, expected: written };
    const replacedIds = new Set(replaced.map(({ fieldId }) => fieldId));
    return { ...item, values: replaced, expected: written.filter(({ fieldId }) => replacedIds.has(fieldId)) };
  });
  if (items.some(({ isRemoved }) => isRemoved)) {
    const parameters: UndoParameters = { typeId, fileName, sheet };
    return { kind: 'entries.import-undo', parameters, items };
  }
  const fieldIds = [...new Set(items.flatMap(({ values = [] }) => values.map(({ fieldId }) => fieldId)))];
  return {
    kind: 'entries.update',
    parameters: { typeId, values: [], fieldIds, ignoreNearDups: true, isUndo: true },
    items,
  };
}

/** Joins the undo of two pages of rows: both are deletions as soon as one is. */
export function joinUndos(one: JobPlan, other: JobPlan): Omit<JobPlan, 'items'> {
  if (one.kind === 'entries.import-undo' || other.kind !== one.kind)
    return one.kind === 'entries.import-undo' ? one : other;
  return updateEntriesJob.joinInverses?.(one, other) ?? one;
}

/** Job that undoes an import which created entries: it needs what deleting entries needs. */
export const undoEntryImportJob = defineJobKind<UndoParameters, UndoItem>({
  kind: 'entries.import-undo',
  operation: 'startEntryDeletions',
  capabilities: ['Read Data', 'Write Data'],
  labels: IMPORT_LABELS,
  wakes: [RECALCULATE_TASK],
  locksSite: () => false,
  async describe({ db, siteId }, { typeId, ...file }, items) {
    const type = (await loadSchema(db, siteId)).typesById.get(typeId);
    const rowCount = items.length - (await items.countWith('isFurther'));
    return `Undo the import of ${formatEntries(type, rowCount)} from ${formatFile(file)}`;
  },
  async run(batch) {
    const { tx, caller, record, items, parameters } = batch;
    const { typeId } = parameters;
    const schema = await lockSchemaShared(tx, caller.siteId);
    const type = schema.typesById.get(typeId);
    if (!type) return items.map(() => failed(TYPE_DELETED));
    const outcomes = new Map<UndoItem, ItemOutcome>();
    const restored = items.filter(({ isRemoved }) => !isRemoved);
    if (restored.length > 0) {
      const request = { ...batch, parameters: { typeId, values: [], ignoreNearDups: true }, items: restored };
      const results = await updateEntriesJob.run(request);
      for (const [index, item] of restored.entries())
        outcomes.set(item, results[index] ?? failed('This entry has no values to set'));
    }
    const removed = items.filter(({ isRemoved }) => isRemoved);
    const ids = removed.map(({ entryId }) => entryId);
    const locked = await lockForDeletion(tx, schema, ids);
    const missingIds = ids.filter((id) => !locked.entries.has(id));
    const deletions = await listDeletions(tx, caller.siteId, missingIds);
    const referrers = await groupReferrers(tx, caller.siteId, listReferenceFields(schema), ids);
    const deletedIds = new Set<number>();
    for (const item of removed) {
      const { entryId } = item;
      const entry = locked.entries.get(entryId);
      if (entry?.typeId !== type.id) {
        const deletion = deletions.get(entryId);
        const isDeleted = deletion !== undefined && !deletion.isMerged;
        outcomes.set(item, isDeleted ? { state: 'unchanged' } : conflict(describeMissing(deletion)));
        continue;
      }
      const changed = findChangedFields(type.fields, entry, item);
      if (changed.length > 0)
        outcomes.set(
          item,
          conflict(`${changed.map(({ name }) => name).join(', ')} changed since the import`),
        );
      else if (referrers.get(entryId)?.some((id) => id !== entryId && !deletedIds.has(id)))
        outcomes.set(item, conflict('Other entries refer to it'));
      else {
        deletedIds.add(entryId);
        outcomes.set(item, { state: 'done' });
      }
    }
    const author = getAuthor({ caller });
    await deleteLockedEntries(tx, schema, record, { author, type, locked, ids: [...deletedIds] });
    return items.map((item) => outcomes.get(item) ?? failed('This entry has no values to set'));
  },
});

/** Fields whose values are not those that the import gave the entry, files included. */
const findChangedFields = (
  fields: readonly SchemaField[],
  { entryId, vals }: LockedEntry,
  { expected }: UndoItem,
): SchemaField[] =>
  fields.filter((field) => {
    if (!field.isStoreRequestSupported) return false;
    const { fieldId, ...written } = expected.find((cell) => cell.fieldId === field.id) ?? {
      fieldId: field.id,
      value: null,
    };
    const dateOptions = { behavior: 0, zones: UTC } as const;
    return !matchesExpected({ entryId, fieldId, expected: written }, field, vals, dateOptions);
  });

import { z } from 'zod/mini';
import type { FieldValue } from '../../../api/generated/types.gen.ts';
import { readUndo, undoHead, undoText, zId } from '../../bulk/undo-head.ts';
import type { EntryJob } from './keep.ts';
import { inverse } from './plan.ts';
import type { EntryChange } from './plan.ts';
import type { BulkRequest } from './read.ts';

/** Tells such a file from that of a change of people. */
export const ENTRY_UNDO = 'steward-undo-entries';
// As the service tells values; it looks at them again when they are written.
const value = z.optional(z.custom<FieldValue>());
const zUndo = z.object({
  ...undoHead(ENTRY_UNDO),
  type: z.object({ id: zId, name: z.string() }),
  entries: z
    .array(
      z.object({
        entryId: zId,
        name: z.string(),
        cells: z.array(z.object({ fieldId: zId, before: value, after: value })),
      }),
    )
    .check(z.minLength(1)),
});

/** What entries held before a job, as a file. */
export const undoFile = (job: EntryJob, done: readonly EntryChange[]): string =>
  undoText(ENTRY_UNDO, job, { type: { id: job.typeId, name: job.typeName }, entries: done });

/**
 * Reads such a file again.
 * @throws Error with a sentence for whoever opened it
 */
export function readEntryUndo(said: unknown, siteId: number): BulkRequest {
  const { type, entries } = readUndo(zUndo, said, siteId);
  const changes = entries.map((one) => ({
    ...one,
    cells: one.cells.map((cell) => ({ fieldId: cell.fieldId, before: cell.before, after: cell.after })),
  }));
  return {
    typeId: type.id,
    scope: { ids: changes.map(({ entryId }) => entryId) },
    edit: inverse(changes),
  };
}

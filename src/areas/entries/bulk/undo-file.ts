import { z } from 'zod/mini';
import type { FieldValue } from '../../../../contract/generated/types.gen.ts';
import { parseUndoContent, undoFileHeader, formatUndoContent, zId } from '../../../app/jobs/undo-format.ts';
import type { BulkRequest } from './dry-run.ts';
import type { EntryJob } from './execute-changes.ts';
import { buildInverse } from './plan.ts';
import type { EntryChange } from './plan.ts';

/** Format name that tells it from an undo file of users. */
const ENTRY_UNDO_FORMAT = 'steward-undo-entries';
// Values as returned by the service, which validates them when they are written.
const value = z.optional(z.custom<FieldValue>());
const zUndo = z.object({
  ...undoFileHeader(ENTRY_UNDO_FORMAT),
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

/** Undo file with the values before a job. */
export const formatUndoFile = (job: EntryJob, done: readonly EntryChange[]): string =>
  formatUndoContent(ENTRY_UNDO_FORMAT, job, { type: { id: job.typeId, name: job.typeName }, entries: done });

/** Parses an undo file. @throws Error with a message for the user */
export function parseEntryUndoFile(content: unknown, siteId: number): BulkRequest {
  const { type, entries } = parseUndoContent(zUndo, content, siteId);
  const changes = entries.map((one) => ({
    ...one,
    cells: one.cells.map((cell) => ({ fieldId: cell.fieldId, before: cell.before, after: cell.after })),
  }));
  return {
    typeId: type.id,
    scope: { ids: changes.map(({ entryId }) => entryId) },
    edit: buildInverse(changes),
  };
}

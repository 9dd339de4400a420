import { z } from 'zod/mini';
import type { FieldValue } from '../../api/generated/types.gen.ts';
import type { EntryJob } from './keep.ts';
import { inverse } from './plan.ts';
import type { EntryChange } from './plan.ts';
import type { BulkRequest } from './read.ts';

/** Tells such a file from that of a change of people. */
export const ENTRY_UNDO = 'steward-undo-entries';
const VERSION = 1;

const id = z.int().check(z.positive());
// As the service tells values; it looks at them again when they are written.
const value = z.optional(z.custom<FieldValue>());
const zUndo = z.object({
  format: z.literal(ENTRY_UNDO),
  version: z.literal(VERSION),
  /** What was done, by whom, when and where. */
  done: z.string(),
  by: z.object({ id, name: z.string() }),
  at: z.iso.datetime(),
  site: z.object({ id, name: z.string() }),
  type: z.object({ id, name: z.string() }),
  entries: z
    .array(
      z.object({
        entryId: id,
        name: z.string(),
        cells: z.array(z.object({ fieldId: id, before: value, after: value })),
      }),
    )
    .check(z.minLength(1)),
});

/** What entries held before a job, as a file. */
export const undoFile = (job: EntryJob, done: readonly EntryChange[]): string =>
  JSON.stringify(
    {
      format: ENTRY_UNDO,
      version: VERSION,
      done: job.title,
      by: { id: job.holder.userId, name: job.userName },
      at: job.at,
      site: { id: job.holder.siteId, name: job.siteName },
      type: { id: job.typeId, name: job.typeName },
      entries: done,
    },
    null,
    1,
  );

/**
 * Reads such a file again.
 * @throws Error with a sentence for whoever opened it
 */
export function readEntryUndo(said: unknown, siteId: number): BulkRequest {
  const { success, data } = zUndo.safeParse(said);
  if (!success) throw new Error('This is no undo file of this console, or not one of this version.');
  if (data.site.id !== siteId)
    throw new Error(`This file undoes a change on ${data.site.name}. Switch to that site first.`);
  const changes = data.entries.map((one) => ({
    ...one,
    cells: one.cells.map((cell) => ({ fieldId: cell.fieldId, before: cell.before, after: cell.after })),
  }));
  return {
    typeId: data.type.id,
    scope: { ids: changes.map(({ entryId }) => entryId) },
    edit: inverse(changes),
  };
}

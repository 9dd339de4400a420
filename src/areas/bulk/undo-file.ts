import { z } from 'zod/mini';
import type { BulkAction, BulkRequest } from './actions.ts';
import { inverse } from './inverse.ts';
import type { BulkJob } from './keep.ts';
import type { Outcome } from './outcome.ts';
import { readUndo, undoHead, undoText, zId } from './undo-head.ts';

const FORMAT = 'steward-undo';
const pairs = z.array(z.object({ userId: zId, groupId: zId }));
const zUndo = z.object({
  ...undoHead(FORMAT),
  /** What brings the people back. */
  undo: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('activate') }),
    z.object({ kind: z.literal('deactivate') }),
    z.object({
      kind: z.literal('licenses'),
      each: z.array(z.object({ userId: zId, licenseTypeId: z.int().check(z.minimum(1), z.maximum(4)) })),
    }),
    z.object({ kind: z.literal('pairs'), add: pairs, remove: pairs }),
  ]),
  userIds: z.array(zId).check(z.minLength(1)),
});

/** The way back of what a job has done so far, to those it was done to; undefined where there is none. */
export function undoOf(job: BulkJob, outcomes: ReadonlyMap<number, Outcome>): BulkRequest | undefined {
  const done = job.changes.filter(({ person }) => outcomes.get(person.id)?.result === 'done');
  const back = inverse(done);
  return back && { ...back, lastBy: job.holder.userId };
}

/** The way back as a file. */
export const undoFile = (job: BulkJob, { action, userIds }: BulkRequest): string =>
  undoText(FORMAT, job, { undo: action, userIds });

/**
 * Reads such a file again.
 * @throws Error with a sentence for whoever opened it
 */
export function readUndoFile(said: unknown, siteId: number): BulkRequest {
  const { undo, userIds, by } = readUndo(zUndo, said, siteId);
  const action: BulkAction = undo;
  return { action, userIds, lastBy: by.id };
}

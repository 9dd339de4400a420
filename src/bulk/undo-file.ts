import { z } from 'zod/mini';
import type { BulkAction, BulkRequest } from './actions.ts';
import { inverse } from './inverse.ts';
import type { BulkJob } from './keep.ts';
import type { Outcome } from './outcome.ts';

const FORMAT = 'steward-undo';
const VERSION = 1;

const id = z.int().check(z.positive());
const pairs = z.array(z.object({ userId: id, groupId: id }));
const zUndo = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  /** What was done, by whom, when and where. */
  done: z.string(),
  by: z.object({ id, name: z.string() }),
  at: z.iso.datetime(),
  site: z.object({ id, name: z.string() }),
  /** What brings the people back. */
  undo: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('activate') }),
    z.object({ kind: z.literal('deactivate') }),
    z.object({
      kind: z.literal('licenses'),
      each: z.array(z.object({ userId: id, licenseTypeId: z.int().check(z.minimum(1), z.maximum(4)) })),
    }),
    z.object({ kind: z.literal('pairs'), add: pairs, remove: pairs }),
  ]),
  userIds: z.array(id).check(z.minLength(1)),
});

/** The way back of what a job has done so far, to those it was done to; undefined where there is none. */
export function undoOf(job: BulkJob, outcomes: ReadonlyMap<number, Outcome>): BulkRequest | undefined {
  const done = job.changes.filter(({ person }) => outcomes.get(person.id)?.result === 'done');
  const back = inverse(done);
  return back && { ...back, lastBy: job.holder.userId };
}

/** The way back as a file: what was done, by whom, when and where, and what undoes it. */
export const undoFile = (job: BulkJob, { action, userIds }: BulkRequest): string =>
  JSON.stringify(
    {
      format: FORMAT,
      version: VERSION,
      done: job.title,
      by: { id: job.holder.userId, name: job.userName },
      at: job.at,
      site: { id: job.holder.siteId, name: job.siteName },
      undo: action,
      userIds,
    },
    null,
    1,
  );

/**
 * Reads such a file again.
 * @throws Error with a sentence for whoever opened it
 */
export function readUndoFile(text: string, siteId: number): BulkRequest {
  const { site, undo, userIds, by } = parse(text);
  if (site.id !== siteId)
    throw new Error(`This file undoes a change on ${site.name}. Switch to that site first.`);
  const action: BulkAction = undo;
  return { action, userIds, lastBy: by.id };
}

function parse(text: string): z.infer<typeof zUndo> {
  try {
    return zUndo.parse(JSON.parse(text));
  } catch {
    throw new Error('This is no undo file of this console, or not one of this version.');
  }
}

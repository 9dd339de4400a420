import { z } from 'zod/mini';
import { parseUndoContent, undoFileHeader, formatUndoContent, zId } from '../../app/jobs/undo-format.ts';
import type { BulkAction, BulkRequest } from './bulk-request.ts';
import type { BulkJob } from './job-store.ts';
import type { Outcome } from './outcome.ts';
import { buildInverse } from './plan.ts';

const FORMAT = 'steward-undo';
const pairs = z.array(z.object({ userId: zId, groupId: zId }));
const zUndo = z.object({
  ...undoFileHeader(FORMAT),
  /** Action that restores the previous state. */
  undo: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('activate') }),
    z.object({ kind: z.literal('deactivate') }),
    z.object({
      kind: z.literal('licenses'),
      each: z.array(z.object({ userId: zId, licenseTypeId: z.int().check(z.minimum(1), z.maximum(4)) })),
    }),
    z.object({
      kind: z.literal('timeZones'),
      each: z.array(
        z.object({ userId: zId, timeZone: z.nullable(z.string().check(z.minLength(1), z.maxLength(64))) }),
      ),
    }),
    z.object({ kind: z.literal('pairs'), add: pairs, remove: pairs }),
  ]),
  userIds: z.array(zId).check(z.minLength(1)),
});

/** Request that undoes the completed part of a job; undefined if it cannot be undone. */
export function buildUndoRequest(
  job: BulkJob,
  outcomes: ReadonlyMap<number, Outcome>,
): BulkRequest | undefined {
  const done = job.changes.filter(({ person }) => outcomes.get(person.id)?.result === 'done');
  const request = buildInverse(done);
  return request && { ...request, lastModifiedBy: job.identity.userId };
}

export const formatUndoFile = (job: BulkJob, { action, userIds }: BulkRequest): string =>
  formatUndoContent(FORMAT, job, { undo: action, userIds });

/** Parses an undo file. @throws Error with a message for the user */
export function parseUndoFile(content: unknown, siteId: number): BulkRequest {
  const { undo, userIds, by } = parseUndoContent(zUndo, content, siteId);
  const action: BulkAction = undo;
  return { action, userIds, lastModifiedBy: by.id };
}

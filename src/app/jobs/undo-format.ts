import { z } from 'zod/mini';
import type { ConfirmedJob } from './confirmed-job.ts';

const VERSION = 1;
export const zId = z.int().check(z.positive());

/** Header of every undo file. */
export const undoFileHeader = <const Format extends string>(format: Format) => ({
  format: z.literal(format),
  version: z.literal(VERSION),
  /** Title of the change; who made it, when and where follows. */
  done: z.string(),
  by: z.object({ id: zId, name: z.string() }),
  at: z.iso.datetime(),
  site: z.object({ id: zId, name: z.string() }),
});

/** Content of an undo file: header and payload as JSON. */
export const formatUndoContent = (
  format: string,
  { title, identity, userName, confirmedAt, siteName }: ConfirmedJob,
  payload: object,
) =>
  JSON.stringify(
    {
      format,
      version: VERSION,
      done: title,
      by: { id: identity.userId, name: userName },
      at: confirmedAt,
      site: { id: identity.siteId, name: siteName },
      ...payload,
    },
    null,
    1,
  );

/** Validates the content of an undo file of this site. @throws Error with a message for the user */
export function parseUndoContent<Content extends { site: { id: number; name: string } }>(
  schema: z.ZodMiniType<Content>,
  content: unknown,
  siteId: number,
): Content {
  const { success, data } = schema.safeParse(content);
  if (!success) throw new Error('This is not an undo file of this console version.');
  if (data.site.id !== siteId)
    throw new Error(`This file undoes a change on ${data.site.name}. Switch to that site first.`);
  return data;
}

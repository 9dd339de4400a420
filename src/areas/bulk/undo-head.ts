import { z } from 'zod/mini';
import type { Agreed } from './agreed.ts';

const VERSION = 1;
export const zId = z.int().check(z.positive());

/** What every undo file says before the way back. */
export const undoHead = <const Format extends string>(format: Format) => ({
  format: z.literal(format),
  version: z.literal(VERSION),
  /** What was done, by whom, when and where. */
  done: z.string(),
  by: z.object({ id: zId, name: z.string() }),
  at: z.iso.datetime(),
  site: z.object({ id: zId, name: z.string() }),
});

/** The text of an undo file: what was done, by whom, when and where, and what undoes it. */
export const undoText = (format: string, { title, holder, userName, at, siteName }: Agreed, back: object) =>
  JSON.stringify(
    {
      format,
      version: VERSION,
      done: title,
      by: { id: holder.userId, name: userName },
      at,
      site: { id: holder.siteId, name: siteName },
      ...back,
    },
    null,
    1,
  );

/**
 * What a file says, where it is an undo file of this site.
 * @throws Error with a sentence for whoever opened it
 */
export function readUndo<Said extends { site: { id: number; name: string } }>(
  said: z.ZodMiniType<Said>,
  file: unknown,
  siteId: number,
): Said {
  const { success, data } = said.safeParse(file);
  if (!success) throw new Error('This is no undo file of this console, or not one of this version.');
  if (data.site.id !== siteId)
    throw new Error(`This file undoes a change on ${data.site.name}. Switch to that site first.`);
  return data;
}

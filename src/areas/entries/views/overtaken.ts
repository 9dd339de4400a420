import { toServiceError } from '../../../api/errors.ts';
import type { SavedView } from '../../../api/generated/types.gen.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';

interface Words {
  /** What becomes of the other change. */
  body: string;
  action: string;
}

/**
 * Writes a view as it was read; where somebody else has changed it since, that is told first, and the write is done all
 * the same only if it is wanted. Undefined: it is not.
 */
export async function unlessOvertaken<Made>(
  saved: SavedView,
  words: Words,
  write: (headers?: { 'If-Match': string }) => Promise<Made>,
): Promise<{ made: Made } | undefined> {
  try {
    return { made: await write({ 'If-Match': saved.etag }) };
  } catch (thrown) {
    if (toServiceError(thrown).status !== 412) throw thrown;
  }
  let done: { made: Made } | undefined;
  await confirm({
    title: `Somebody else has changed ${saved.name}`,
    ...words,
    danger: true,
    run: async () => {
      done = { made: await write() };
    },
  });
  return done;
}

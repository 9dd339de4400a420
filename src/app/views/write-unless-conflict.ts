import { toServiceError } from '../../api/errors.ts';
import { confirm } from '../../ui/dialog/confirm.ts';
import { toast } from '../../ui/toast.ts';
import { toastFailedWrite } from '../state/failed-write.ts';

interface ConflictTexts {
  /** Explains what happens to the other person's change. */
  body: string;
  action: string;
}

/**
 * Writes a saved view with its entity tag. If someone else changed it since (412), asks whether to overwrite that
 * change; undefined if the user declines. @throws ServiceError for other failures
 */
export async function writeUnlessConflict<Result>(
  saved: { name: string; etag: string },
  texts: ConflictTexts,
  write: (headers?: { 'If-Match': string }) => Promise<Result>,
): Promise<{ result: Result } | undefined> {
  try {
    return { result: await write({ 'If-Match': saved.etag }) };
  } catch (thrown) {
    if (toServiceError(thrown).status !== 412) throw thrown;
  }
  let done: { result: Result } | undefined;
  await confirm({
    title: `${saved.name} was changed by someone else`,
    ...texts,
    danger: true,
    run: async () => {
      done = { result: await write() };
    },
  });
  return done;
}

/**
 * Runs a write of a view and shows its outcome in a message. @returns whether it was done; not if it failed, or resolved to
 * undefined because the user declined
 */
export async function reportWrite(
  title: string,
  /** Subject and participle of `toastFailedWrite` after a failure. */
  [subject, done]: readonly [subject: string, done: string],
  write: () => Promise<unknown>,
): Promise<boolean> {
  try {
    if ((await write()) === undefined) return false;
    toast({ title });
    return true;
  } catch (thrown) {
    toastFailedWrite(subject, done, thrown);
    return false;
  }
}

export const SAVE_CONFLICT = {
  body: 'The view was changed after you opened it. Saving replaces that change. To keep both, save yours as a new view.',
  action: 'Overwrite',
};
export const RENAME_CONFLICT = {
  body: 'The view was changed after you opened it. Renaming keeps those changes and replaces the name.',
  action: 'Rename',
};
export const DELETE_CONFLICT = { body: 'Deleting the view also deletes that change.', action: 'Delete view' };

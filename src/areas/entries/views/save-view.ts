import type { SavedView, SavedViewChange } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { updateViewMutation } from '../../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/toast.ts';

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
  saved: SavedView,
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

const CONFLICT_TEXTS = {
  body: 'The view was changed after you opened it. Saving replaces that change. To keep both, save yours as a new view.',
  action: 'Overwrite',
};

/** Saves changes of a saved view and reports the outcome; asks before overwriting someone else's change. */
export function useSaveView(typeId: number) {
  const update = useWrite('updateView', updateViewMutation());
  const save = async (saved: SavedView, body: SavedViewChange): Promise<boolean> => {
    try {
      const done = await writeUnlessConflict(saved, CONFLICT_TEXTS, (headers) =>
        update.mutateAsync({
          path: { entryTypeId: String(typeId), viewId: saved.id },
          body,
          ...(headers && { headers }),
        }),
      );
      if (done) toast({ title: `${body.name ?? saved.name} was saved` });
      return done !== undefined;
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: `${saved.name} was not saved`, description, tone: 'bad' });
      return false;
    }
  };
  return { save, pending: update.isPending };
}

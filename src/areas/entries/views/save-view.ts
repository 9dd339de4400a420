import type { SavedView, SavedViewChange } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { updateViewMutation } from '../../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { SAVE_CONFLICT, writeUnlessConflict } from '../../../app/views/write-unless-conflict.ts';
import { toast } from '../../../ui/toast.ts';

/** Saves changes of a saved view and reports the outcome; asks before overwriting someone else's change. */
export function useSaveView(typeId: number) {
  const update = useWrite('updateView', updateViewMutation());
  const save = async (saved: SavedView, body: SavedViewChange): Promise<boolean> => {
    try {
      const done = await writeUnlessConflict(saved, SAVE_CONFLICT, (headers) =>
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

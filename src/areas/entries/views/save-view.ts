import type { SavedView, SavedViewChange } from '../../../../contract/generated/types.gen.ts';
import { updateViewMutation } from '../../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { reportWrite, SAVE_CONFLICT, writeUnlessConflict } from '../../../app/views/write-unless-conflict.ts';

/** Saves changes of a saved view and reports the outcome; asks before overwriting someone else's change. */
export function useSaveView(typeId: number) {
  const update = useWrite('updateView', updateViewMutation());
  const save = (saved: SavedView, body: SavedViewChange): Promise<boolean> =>
    reportWrite(`${body.name ?? saved.name} was saved`, [saved.name, 'saved'], () =>
      writeUnlessConflict(saved, SAVE_CONFLICT, (headers) =>
        update.mutateAsync({
          path: { entryTypeId: String(typeId), viewId: saved.id },
          body,
          ...(headers && { headers }),
        }),
      ),
    );
  return { save, pending: update.isPending };
}

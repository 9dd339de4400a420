import { updateViewMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { SavedView, SavedViewChange } from '../../../api/generated/types.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { toServiceError } from '../../../api/errors.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { unlessOvertaken } from './overtaken.ts';

const OVER = {
  body: 'It was changed since you opened it. What you save now takes the place of their change; to keep both, save yours as a new view.',
  action: 'Save over it',
};

/** Changes a saved view; where somebody else has changed it since, that is told before anything is lost. */
export function useSaveView(typeId: number) {
  const update = useWrite('updateView', updateViewMutation());
  const save = async (saved: SavedView, body: SavedViewChange): Promise<boolean> => {
    try {
      const done = await unlessOvertaken(saved, OVER, (headers) =>
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

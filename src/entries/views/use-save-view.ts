import { updateViewMutation } from '../../api/generated/@tanstack/react-query.gen.ts';
import type { SavedView, SavedViewChange } from '../../api/generated/types.gen.ts';
import { useWrite } from '../../api/write.ts';
import { toServiceError } from '../../api/errors.ts';
import { confirm } from '../../ui/dialog/confirm.ts';
import { toast } from '../../ui/feedback/toast.ts';

/** Changes a saved view; where somebody else has changed it since, that is told before anything is lost. */
export function useSaveView(typeId: number) {
  const update = useWrite('updateView', updateViewMutation());
  const send = ({ id }: SavedView, body: SavedViewChange, etag?: string) =>
    update.mutateAsync({
      path: { entryTypeId: String(typeId), viewId: id },
      body,
      ...(etag !== undefined && { headers: { 'If-Match': etag } }),
    });
  const save = async (saved: SavedView, body: SavedViewChange): Promise<boolean> => {
    try {
      await send(saved, body, saved.etag);
    } catch (thrown) {
      const { status, message } = toServiceError(thrown);
      if (status !== 412) {
        toast({ title: `${saved.name} was not saved`, description: message, tone: 'bad' });
        return false;
      }
      const over = await confirm({
        title: `Somebody else has changed ${saved.name}`,
        body: 'It was changed since you opened it. What you save now takes the place of their change; to keep both, save yours as a new view.',
        action: 'Save over it',
        danger: true,
        run: () => send(saved, body),
      });
      if (!over) return false;
    }
    toast({ title: `${body.name ?? saved.name} was saved` });
    return true;
  };
  return { save, pending: update.isPending };
}

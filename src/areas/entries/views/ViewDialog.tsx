import type { SavedView } from '../../../../contract/generated/types.gen.ts';
import { createViewMutation, updateViewMutation } from '../../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../../api/write.ts';
import { ViewNameDialog } from '../../../app/views/ViewNameDialog.tsx';
import { RENAME_CONFLICT, writeUnlessConflict } from '../../../app/views/write-unless-conflict.ts';
import type { ViewContent } from './saved-view.ts';
import { useEntryViewRights } from './use-views.ts';

interface ViewDialogProps {
  typeId: number;
  /** The view to rename; undefined for a new one. */
  saved: SavedView | undefined;
  content: ViewContent;
  onSaved: (view: SavedView) => void;
  onClose: () => void;
}

/** Dialog for the name of a new or existing saved view of entries. */
export default function ViewDialog({ typeId, saved, content, onSaved, onClose }: ViewDialogProps) {
  const { shareRefusal } = useEntryViewRights();
  const create = useWrite('createView', createViewMutation());
  const update = useWrite('updateView', updateViewMutation());
  const path = { entryTypeId: String(typeId) };
  const rename = async (view: SavedView, name: string) => {
    const done = await writeUnlessConflict(view, RENAME_CONFLICT, (headers) =>
      update.mutateAsync({ path: { ...path, viewId: view.id }, body: { name }, ...(headers && { headers }) }),
    );
    return done?.result;
  };
  return (
    <ViewNameDialog
      saved={saved}
      shareLabel="Share with everyone who can read entries"
      shareRefusal={shareRefusal}
      error={create.error ?? update.error}
      onSave={({ name, isShared }) =>
        saved ? rename(saved, name) : create.mutateAsync({ path, body: { ...content, name, isShared } })
      }
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

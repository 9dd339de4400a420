import { Link } from '@tanstack/react-router';
import type { EntryTypeVm, SavedView } from '../../../../contract/generated/types.gen.ts';
import { deleteViewMutation } from '../../../api/generated/queries/views.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { ViewListCard } from '../../../app/views/ViewListCard.tsx';
import {
  DELETE_CONFLICT,
  reportWrite,
  writeUnlessConflict,
} from '../../../app/views/write-unless-conflict.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import type { Field } from '../model/schema.ts';
import { useSaveView } from './save-view.ts';
import { toEntriesView } from './saved-view.ts';
import { useEntryViewRights } from './use-views.ts';
import { formatView } from './view.ts';

interface ViewListProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  saved: SavedView | undefined;
  views: readonly SavedView[];
  onNew: () => void;
  onRename: () => void;
  /** The open view was deleted. */
  onDeleted: () => void;
  onClose: () => void;
}

/** Links to the saved views and the actions of the open one. */
export default function ViewList({ type, fields, saved, views, ...actions }: ViewListProps) {
  const { isMine } = useEntryViewRights();
  return (
    <ViewListCard
      views={views}
      currentId={saved?.id}
      isMine={isMine}
      emptyText="A view saves filter, order and columns under a name, for you or for everyone."
      renderLink={(view, props) => (
        <Link
          {...props}
          to="/entries/$type"
          params={{ type: type.apiName }}
          search={formatView(toEntriesView(view, fields))}
          onClick={actions.onClose}
        />
      )}
    >
      <ViewActions {...{ type, saved }} {...actions} />
    </ViewListCard>
  );
}

type ViewActionsProps = Pick<
  ViewListProps,
  'type' | 'saved' | 'onNew' | 'onRename' | 'onDeleted' | 'onClose'
>;

function ViewActions({ type, saved, onNew, onRename, onDeleted, onClose }: ViewActionsProps) {
  const create = usePermission('createView');
  const { getChangeRefusal, shareRefusal } = useEntryViewRights();
  const { save, pending } = useSaveView(type.id);
  const removal = useWrite('deleteView', deleteViewMutation());
  const closeAnd = (act: () => void) => () => {
    onClose();
    act();
  };
  const remove = async (view: SavedView) => {
    const confirmed = await confirm({
      title: `Delete the view ${view.name}?`,
      body: view.isShared
        ? 'It is deleted for everyone. Links to it still show the same entries.'
        : 'Links to it still show the same entries.',
      action: 'Delete view',
      danger: true,
    });
    if (!confirmed) return;
    const isDeleted = await reportWrite(`${view.name} was deleted`, [view.name, 'deleted'], () =>
      writeUnlessConflict(view, DELETE_CONFLICT, (headers) =>
        removal.mutateAsync({
          path: { entryTypeId: String(type.id), viewId: view.id },
          ...(headers && { headers }),
        }),
      ),
    );
    if (isDeleted) onDeleted();
  };
  const changeReason = saved && getChangeRefusal(saved);
  const shareReason = saved && (changeReason ?? (saved.isShared ? undefined : shareRefusal));
  return (
    <footer>
      <Button size="small" variant="quiet" disabledReason={create.reason} onClick={closeAnd(onNew)}>
        Save as new view
      </Button>
      {saved && (
        <>
          <Button size="small" variant="quiet" disabledReason={changeReason} onClick={closeAnd(onRename)}>
            Rename
          </Button>
          <Button
            size="small"
            variant="quiet"
            pending={pending}
            disabledReason={shareReason}
            onClick={() => void save(saved, { isShared: !saved.isShared })}
          >
            {saved.isShared ? 'Stop sharing' : 'Share'}
          </Button>
          <Button
            size="small"
            variant="quiet"
            disabledReason={changeReason}
            onClick={closeAnd(() => void remove(saved))}
          >
            Delete
          </Button>
          <Link
            to="/entries/$type"
            params={{ type: type.apiName }}
            search={{}}
            className="views-close"
            onClick={onClose}
          >
            Close the view
          </Link>
        </>
      )}
    </footer>
  );
}

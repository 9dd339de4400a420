import type { TableName, TableView } from '../../../contract/generated/types.gen.ts';
import {
  deleteTableViewMutation,
  setDefaultTableViewMutation,
  updateTableViewMutation,
} from '../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../api/write.ts';
import { Button } from '../../ui/button/Button.tsx';
import { confirm } from '../../ui/dialog/confirm.ts';
import { useTableViewRights } from './view-rights.ts';
import { ViewListCard } from './ViewListCard.tsx';
import { DELETE_CONFLICT, reportWrite, SAVE_CONFLICT, writeUnlessConflict } from './write-unless-conflict.ts';

interface TableViewListProps {
  table: TableName;
  views: readonly TableView[];
  /** The open view. */
  saved: TableView | undefined;
  onShow: (view: TableView) => void;
  onNew: () => void;
  onRename: () => void;
  onCloseView: () => void;
  /** The open view was deleted. */
  onDeleted: () => void;
  onClose: () => void;
}

/** The saved views of a table and the actions of the open one. */
export default function TableViewList(props: TableViewListProps) {
  const { table, views, saved, onShow, onNew, onClose } = props;
  const { isMine } = useTableViewRights(table);
  return (
    <ViewListCard
      views={views}
      currentId={saved?.id}
      isMine={isMine}
      emptyText="A view saves filters, order, columns and row height under a name, for you or for everyone."
      renderLink={(view, link) => (
        <button
          {...link}
          type="button"
          onClick={() => {
            onClose();
            onShow(view);
          }}
        />
      )}
    >
      <footer>
        <Button
          size="small"
          variant="quiet"
          onClick={() => {
            onClose();
            onNew();
          }}
        >
          Save as new view
        </Button>
        {saved && <ViewActions {...props} saved={saved} />}
      </footer>
    </ViewListCard>
  );
}

function ViewActions(props: TableViewListProps & { saved: TableView }) {
  const { table, saved, onRename, onCloseView, onDeleted, onClose } = props;
  const { getChangeRefusal, shareRefusal } = useTableViewRights(table);
  const update = useWrite('updateTableView', updateTableViewMutation());
  const removal = useWrite('deleteTableView', deleteTableViewMutation());
  const choice = useWrite('setDefaultTableView', setDefaultTableViewMutation());
  const path = { table, viewId: saved.id };
  const share = () =>
    reportWrite(
      saved.isShared ? `${saved.name} is private` : `${saved.name} is shared`,
      [saved.name, 'changed'],
      () =>
        writeUnlessConflict(saved, SAVE_CONFLICT, (headers) =>
          update.mutateAsync({ path, body: { isShared: !saved.isShared }, ...(headers && { headers }) }),
        ),
    );
  const setDefault = () =>
    reportWrite(
      saved.isDefault ? `${saved.name} is no longer the default` : `This page opens with ${saved.name}`,
      ['The default', 'changed'],
      async () => {
        await choice.mutateAsync({ path: { table }, body: { viewId: saved.isDefault ? null : saved.id } });
        return true;
      },
    );
  const remove = async () => {
    onClose();
    const confirmed = await confirm({
      title: `Delete the view ${saved.name}?`,
      body: saved.isShared ? 'It is deleted for everyone.' : 'Only the view is deleted; the rows stay.',
      action: 'Delete view',
      danger: true,
    });
    if (!confirmed) return;
    const isDeleted = await reportWrite(`${saved.name} was deleted`, [saved.name, 'deleted'], () =>
      writeUnlessConflict(saved, DELETE_CONFLICT, (headers) =>
        removal.mutateAsync({ path, ...(headers && { headers }) }),
      ),
    );
    if (isDeleted) onDeleted();
  };
  const changeReason = getChangeRefusal(saved);
  return (
    <>
      <Button
        size="small"
        variant="quiet"
        disabledReason={changeReason}
        onClick={() => {
          onClose();
          onRename();
        }}
      >
        Rename
      </Button>
      <Button
        size="small"
        variant="quiet"
        pending={update.isPending}
        disabledReason={changeReason ?? (saved.isShared ? undefined : shareRefusal)}
        onClick={() => void share()}
      >
        {saved.isShared ? 'Stop sharing' : 'Share'}
      </Button>
      <Button size="small" variant="quiet" pending={choice.isPending} onClick={() => void setDefault()}>
        {saved.isDefault ? 'No default' : 'Make default'}
      </Button>
      <Button size="small" variant="quiet" disabledReason={changeReason} onClick={() => void remove()}>
        Delete
      </Button>
      <Button
        size="small"
        variant="quiet"
        onClick={() => {
          onClose();
          onCloseView();
        }}
      >
        Close the view
      </Button>
    </>
  );
}

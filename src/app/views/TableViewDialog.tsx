import type { NewTableView, TableName, TableView } from '../../../contract/generated/types.gen.ts';
import { createTableViewMutation, updateTableViewMutation } from '../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../api/write.ts';
import { useTableViewRights } from './view-rights.ts';
import { ViewNameDialog } from './ViewNameDialog.tsx';
import { RENAME_CONFLICT, writeUnlessConflict } from './write-unless-conflict.ts';

interface TableViewDialogProps {
  table: TableName;
  /** The view to rename; undefined for a new one. */
  saved: TableView | undefined;
  content: Omit<NewTableView, 'name' | 'isShared'>;
  onSaved: (view: TableView) => void;
  onClose: () => void;
}

/** Dialog for the name of a new or existing saved view of a table. */
export default function TableViewDialog({ table, saved, content, onSaved, onClose }: TableViewDialogProps) {
  const { shareRefusal } = useTableViewRights(table);
  const create = useWrite('createTableView', createTableViewMutation());
  const update = useWrite('updateTableView', updateTableViewMutation());
  const rename = async (view: TableView, name: string) => {
    const done = await writeUnlessConflict(view, RENAME_CONFLICT, (headers) =>
      update.mutateAsync({ path: { table, viewId: view.id }, body: { name }, ...(headers && { headers }) }),
    );
    return done?.result;
  };
  return (
    <ViewNameDialog
      saved={saved}
      shareLabel="Share with everyone who can open this page"
      shareRefusal={shareRefusal}
      error={create.error ?? update.error}
      onSave={({ name, isShared }) =>
        saved
          ? rename(saved, name)
          : create.mutateAsync({ path: { table }, body: { ...content, name, isShared } })
      }
      onSaved={onSaved}
      onClose={onClose}
    />
  );
}

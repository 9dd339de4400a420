import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useState } from 'react';
import type { EntryTypeVm, SavedView } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { deleteViewMutation } from '../../../api/generated/queries/views.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { foldText } from '../../../lib/fold-text.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/toast.ts';
import type { Field } from '../model/schema.ts';
import { writeUnlessConflict, useSaveView } from './save-view.ts';
import { toEntriesView } from './saved-view.ts';
import { useViewRights } from './use-views.ts';
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

const MIN_VIEWS_FOR_SEARCH = 8;

/** Links to the saved views and the actions of the open one. */
export default function ViewList({ type, fields, saved, views, ...actions }: ViewListProps) {
  const [q, setQ] = useState('');
  const { isMine } = useViewRights();
  const found = views.filter(({ name }) => foldText(name).includes(foldText(q.trim())));
  const sections = [
    { title: 'My views', items: found.filter(isMine) },
    { title: 'Shared by others', items: found.filter((view) => !isMine(view)) },
  ].filter(({ items }) => items.length > 0);
  return (
    <div className="views-card">
      {views.length > MIN_VIEWS_FOR_SEARCH && (
        <input
          type="search"
          className="input"
          aria-label="Find a view"
          placeholder="Find a view"
          value={q}
          onChange={({ target }) => setQ(target.value)}
        />
      )}
      <div className="views-lists">
        {sections.map(({ title, items }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {items.map((view) => (
                <li key={view.id}>
                  <Link
                    to="/entries/$type"
                    params={{ type: type.apiName }}
                    search={formatView(toEntriesView(view, fields))}
                    aria-current={view.id === saved?.id ? 'true' : undefined}
                    onClick={actions.onClose}
                  >
                    <bdi>{view.name}</bdi>
                    <span className="views-owner">{formatOwner(view, isMine(view))}</span>
                    {view.id === saved?.id && <Check />}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {sections.length === 0 && (
          <p className="views-none">
            {views.length === 0
              ? 'A view saves filter, order and columns under a name, for you or for everyone.'
              : 'No view matches.'}
          </p>
        )}
      </div>
      <ViewActions {...{ type, saved }} {...actions} />
    </div>
  );
}

const formatOwner = ({ isShared, ownerName }: SavedView, isMine: boolean): string => {
  if (isMine) return isShared ? 'Shared' : '';
  return ownerName ?? 'Former user';
};

const CONFLICT_TEXTS = { body: 'Deleting the view also deletes that change.', action: 'Delete view' };

type ViewActionsProps = Pick<
  ViewListProps,
  'type' | 'saved' | 'onNew' | 'onRename' | 'onDeleted' | 'onClose'
>;

function ViewActions({ type, saved, onNew, onRename, onDeleted, onClose }: ViewActionsProps) {
  const create = usePermission('createView');
  const { getChangeRefusal, shareRefusal } = useViewRights();
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
    try {
      const done = await writeUnlessConflict(view, CONFLICT_TEXTS, (headers) =>
        removal.mutateAsync({
          path: { entryTypeId: String(type.id), viewId: view.id },
          ...(headers && { headers }),
        }),
      );
      if (!done) return;
      toast({ title: `${view.name} was deleted` });
      onDeleted();
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: `${view.name} was not deleted`, description, tone: 'bad' });
    }
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

import { Link } from '@tanstack/react-router';
import { Check } from 'lucide-react';
import { useState } from 'react';
import { deleteViewMutation } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { EntryTypeVm, SavedView } from '../../../api/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { useAllowed } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { fold } from '../../../lib/fold.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import type { Field } from '../model/schema.ts';
import { writeEntriesView } from '../model/view.ts';
import { unlessOvertaken } from './overtaken.ts';
import { viewOf } from './saved.ts';
import { useSaveView } from './use-save-view.ts';
import { useViewRights } from './use-views.ts';

interface ViewListProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  saved: SavedView | undefined;
  views: readonly SavedView[];
  onNew: () => void;
  onRename: () => void;
  /** The open view is there no more. */
  onDeleted: () => void;
  onClose: () => void;
}

const MANY = 8;

/** The views to open, each at its address, and what can be done with the one that is open. */
export default function ViewList({ type, fields, saved, views, ...acts }: ViewListProps) {
  const [q, setQ] = useState('');
  const { isMine } = useViewRights();
  const found = views.filter(({ name }) => fold(name).includes(fold(q.trim())));
  const parts = [
    { title: 'My views', of: found.filter(isMine) },
    { title: 'Shared by others', of: found.filter((one) => !isMine(one)) },
  ].filter(({ of }) => of.length > 0);
  return (
    <div className="views-card">
      {views.length > MANY && (
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
        {parts.map(({ title, of }) => (
          <section key={title} aria-label={title}>
            <h3>{title}</h3>
            <ul>
              {of.map((one) => (
                <li key={one.id}>
                  <Link
                    to="/entries/$type"
                    params={{ type: type.apiName }}
                    search={writeEntriesView(viewOf(one, fields))}
                    aria-current={one.id === saved?.id ? 'true' : undefined}
                    onClick={acts.onClose}
                  >
                    <bdi>{one.name}</bdi>
                    <span className="views-of">{ownerWords(one, isMine(one))}</span>
                    {one.id === saved?.id && <Check />}
                  </Link>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {parts.length === 0 && (
          <p className="views-none">
            {views.length === 0
              ? 'A view keeps filter, order and columns under a name, for you or for everybody.'
              : 'No view is called so.'}
          </p>
        )}
      </div>
      <Acts {...{ type, saved }} {...acts} />
    </div>
  );
}

const ownerWords = ({ isShared, ownerName }: SavedView, mine: boolean): string => {
  if (mine) return isShared ? 'Shared' : '';
  return ownerName ?? 'Owner has left';
};

const OVER = { body: 'What they have changed of it would be gone with it.', action: 'Delete view' };

type ActsProps = Pick<ViewListProps, 'type' | 'saved' | 'onNew' | 'onRename' | 'onDeleted' | 'onClose'>;

function Acts({ type, saved, onNew, onRename, onDeleted, onClose }: ActsProps) {
  const create = useAllowed('createView');
  const { whyNotChange, whyNotShare } = useViewRights();
  const { save, pending } = useSaveView(type.id);
  const removal = useWrite('deleteView', deleteViewMutation());
  const leave = (act: () => void) => () => {
    onClose();
    act();
  };
  const remove = async (one: SavedView) => {
    const agreed = await confirm({
      title: `Delete the view ${one.name}?`,
      body: one.isShared
        ? 'It goes for everybody it is shared with. Addresses of it still show what it asked for.'
        : 'Addresses of it still show what it asked for.',
      action: 'Delete view',
      danger: true,
    });
    if (!agreed) return;
    try {
      const done = await unlessOvertaken(one, OVER, (headers) =>
        removal.mutateAsync({
          path: { entryTypeId: String(type.id), viewId: one.id },
          ...(headers && { headers }),
        }),
      );
      if (!done) return;
      toast({ title: `${one.name} was deleted` });
      onDeleted();
    } catch (thrown) {
      const { message: description } = toServiceError(thrown);
      toast({ title: `${one.name} was not deleted`, description, tone: 'bad' });
    }
  };
  const why = saved && whyNotChange(saved);
  const shareWhy = saved && (why ?? (saved.isShared ? undefined : whyNotShare));
  return (
    <footer>
      <Button size="small" variant="quiet" disabledReason={create.reason} onClick={leave(onNew)}>
        Save as new view
      </Button>
      {saved && (
        <>
          <Button size="small" variant="quiet" disabledReason={why} onClick={leave(onRename)}>
            Rename
          </Button>
          <Button
            size="small"
            variant="quiet"
            pending={pending}
            disabledReason={shareWhy}
            onClick={() => void save(saved, { isShared: !saved.isShared })}
          >
            {saved.isShared ? 'Stop sharing' : 'Share'}
          </Button>
          <Button size="small" variant="quiet" disabledReason={why} onClick={leave(() => void remove(saved))}>
            Delete
          </Button>
          <Link
            to="/entries/$type"
            params={{ type: type.apiName }}
            search={{}}
            className="views-leave"
            onClick={onClose}
          >
            Close the view
          </Link>
        </>
      )}
    </footer>
  );
}

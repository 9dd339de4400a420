import { useRouter } from '@tanstack/react-router';
import { Bookmark, BookmarkPlus, ChevronDown } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { EntryTypeVm, SavedView } from '../../../../contract/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import type { ColumnLayout } from '../model/columns.ts';
import { saveColumnLayout } from '../model/columns.ts';
import type { Field } from '../model/schema.ts';
import { useSaveView } from './save-view.ts';
import { getColumnLayoutKey, toViewContent, isViewChanged, toEntriesView } from './saved-view.ts';
import { useViewRights } from './use-views.ts';
import { formatView } from './view.ts';
import type { EntriesView } from './view.ts';
import '../../../app/views/views.css';

const PopoverCard = lazyWithPreload(() => import('../../../ui/menu/PopoverCard.tsx'));
const ViewList = lazyWithPreload(() => import('./ViewList.tsx'));
const ViewDialog = lazyWithPreload(() => import('./ViewDialog.tsx'));

interface ViewsBarProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  view: EntriesView;
  layout: ColumnLayout;
  /** The saved view named in the URL, if it exists. */
  saved: SavedView | undefined;
  views: readonly SavedView[];
}

/** The open saved view with its unsaved changes, the menu of views and the button for a new one. */
export function ViewsBar(props: ViewsBarProps) {
  const { type, fields, view, layout, saved } = props;
  const router = useRouter();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [dialog, setDialog] = useState<'new' | 'rename'>();
  const rights = useViewRights();
  const { save, pending } = useSaveView(type.id);
  const isChanged = saved !== undefined && isViewChanged(saved, view, layout, fields);
  const isWorthSaving = !saved && (view.query !== undefined || view.q !== '' || view.sort !== '');
  const discardLayout = (viewToReset: SavedView) =>
    saveColumnLayout(getColumnLayoutKey(type.id, viewToReset.id), undefined);
  const show = (next: EntriesView) =>
    router.navigate({
      to: '/entries/$type',
      params: { type: type.apiName },
      search: formatView(next),
    });
  const revert = (viewToReset: SavedView) => {
    discardLayout(viewToReset);
    void show(toEntriesView(viewToReset, fields));
  };
  return (
    <div className="views">
      <Button
        ref={button}
        icon={Bookmark}
        aria-haspopup="dialog"
        aria-expanded={open}
        onClick={() => setOpen(true)}
      >
        <bdi className="views-name">{saved?.name ?? 'Views'}</bdi>
        <ChevronDown />
      </Button>
      {saved && isChanged && (
        <>
          <Badge tone="warn">Changed</Badge>
          <Button
            size="small"
            pending={pending}
            disabledReason={rights.getChangeRefusal(saved)}
            onClick={() =>
              void save(saved, toViewContent(view, layout)).then((done) => done && discardLayout(saved))
            }
          >
            Save
          </Button>
          <Button size="small" variant="quiet" onClick={() => revert(saved)}>
            Revert
          </Button>
        </>
      )}
      {isWorthSaving && (
        <Button variant="quiet" icon={BookmarkPlus} onClick={() => setDialog('new')}>
          Save view
        </Button>
      )}
      <Suspense>
        {open && (
          <PopoverCard label="Views" anchor={button} align="start" onClose={() => setOpen(false)}>
            <ViewList
              {...props}
              onNew={() => setDialog('new')}
              onRename={() => setDialog('rename')}
              onDeleted={() => void show({ ...view, savedViewId: undefined })}
              onClose={() => setOpen(false)}
            />
          </PopoverCard>
        )}
        {dialog && (
          <ViewDialog
            typeId={type.id}
            saved={dialog === 'rename' ? saved : undefined}
            content={toViewContent(view, layout)}
            onSaved={({ id }) => void (dialog === 'new' && show({ ...view, savedViewId: id }))}
            onClose={() => setDialog(undefined)}
          />
        )}
      </Suspense>
    </div>
  );
}

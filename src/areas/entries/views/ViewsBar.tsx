import { useRouter } from '@tanstack/react-router';
import { Bookmark, BookmarkPlus, ChevronDown } from 'lucide-react';
import { Suspense, useRef, useState } from 'react';
import type { EntryTypeVm, SavedView } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { later } from '../../../ui/later.ts';
import type { ColumnChoice } from '../model/columns-store.ts';
import { keepColumnChoice } from '../model/columns-store.ts';
import type { Field } from '../model/schema.ts';
import { writeEntriesView } from '../model/view.ts';
import type { EntriesView } from '../model/view.ts';
import { columnsPlace, contentOf, isChanged, viewOf } from './saved.ts';
import { useSaveView } from './use-save-view.ts';
import { useViewRights } from './use-views.ts';
import './views.css';

const PopoverCard = later(() => import('../../../ui/menu/PopoverCard.tsx'));
const ViewList = later(() => import('./ViewList.tsx'));
const ViewDialog = later(() => import('./ViewDialog.tsx'));

interface ViewsBarProps {
  type: EntryTypeVm;
  fields: readonly Field[];
  view: EntriesView;
  choice: ColumnChoice;
  /** The view that the address names, where it is known. */
  saved: SavedView | undefined;
  views: readonly SavedView[];
}

/** Which saved view is open and whether it was changed; the way to the others, and to a new one. */
export function ViewsBar(props: ViewsBarProps) {
  const { type, fields, view, choice, saved } = props;
  const router = useRouter();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [dialog, setDialog] = useState<'new' | 'rename'>();
  const rights = useViewRights();
  const { save, pending } = useSaveView(type.id);
  const changed = saved !== undefined && isChanged(saved, view, choice, fields);
  const isWorthKeeping = !saved && (view.query !== undefined || view.q !== '' || view.sort !== '');
  const forget = (one: SavedView) => keepColumnChoice(columnsPlace(type.id, one.id), undefined);
  const show = (next: EntriesView) =>
    router.navigate({
      to: '/entries/$type',
      params: { type: type.apiName },
      search: writeEntriesView(next),
    });
  const revert = (one: SavedView) => {
    forget(one);
    void show(viewOf(one, fields));
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
      {saved && changed && (
        <>
          <Badge tone="warn">Changed</Badge>
          <Button
            size="small"
            pending={pending}
            disabledReason={rights.whyNotChange(saved)}
            onClick={() => void save(saved, contentOf(view, choice)).then((done) => done && forget(saved))}
          >
            Save
          </Button>
          <Button size="small" variant="quiet" onClick={() => revert(saved)}>
            Revert
          </Button>
        </>
      )}
      {isWorthKeeping && (
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
              onDeleted={() => void show({ ...view, saved: undefined })}
              onClose={() => setOpen(false)}
            />
          </PopoverCard>
        )}
        {dialog && (
          <ViewDialog
            typeId={type.id}
            saved={dialog === 'rename' ? saved : undefined}
            content={contentOf(view, choice)}
            onSaved={(made) => void (dialog === 'new' && show({ ...view, saved: made.id }))}
            onClose={() => setDialog(undefined)}
          />
        )}
      </Suspense>
    </div>
  );
}

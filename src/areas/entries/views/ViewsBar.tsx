import { useRouter } from '@tanstack/react-router';
import { BookmarkPlus } from 'lucide-react';
import { useState } from 'react';
import type { EntryTypeVm, SavedView } from '../../../../contract/generated/types.gen.ts';
import { ViewsFrame } from '../../../app/views/ViewsFrame.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import type { ColumnLayout } from '../model/columns.ts';
import { saveColumnLayout } from '../model/columns.ts';
import type { Field } from '../model/schema.ts';
import { useSaveView } from './save-view.ts';
import { getColumnLayoutKey, toViewContent, isViewChanged, toEntriesView } from './saved-view.ts';
import { useEntryViewRights } from './use-views.ts';
import { formatView } from './view.ts';
import type { EntriesView } from './view.ts';

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
  const [dialog, setDialog] = useState<'new' | 'rename'>();
  const rights = useEntryViewRights();
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
    <ViewsFrame
      name={saved?.name}
      changes={
        isChanged
          ? {
              isSaving: pending,
              saveRefusal: rights.getChangeRefusal(saved),
              onSave: () =>
                void save(saved, toViewContent(view, layout)).then((done) => done && discardLayout(saved)),
              onRevert: () => revert(saved),
            }
          : undefined
      }
      renderList={(onClose) => (
        <ViewList
          {...props}
          onNew={() => setDialog('new')}
          onRename={() => setDialog('rename')}
          onDeleted={() => void show({ ...view, savedViewId: undefined })}
          onClose={onClose}
        />
      )}
      dialog={
        dialog && (
          <ViewDialog
            typeId={type.id}
            saved={dialog === 'rename' ? saved : undefined}
            content={{ ...toViewContent(view, layout), ...(saved && { pinned: saved.pinned }) }}
            onSaved={({ id }) => void (dialog === 'new' && show({ ...view, savedViewId: id }))}
            onClose={() => setDialog(undefined)}
          />
        )
      }
    >
      {isWorthSaving && (
        <Button variant="quiet" icon={BookmarkPlus} onClick={() => setDialog('new')}>
          Save view
        </Button>
      )}
    </ViewsFrame>
  );
}

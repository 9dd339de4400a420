import { useQuery } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import type { TableName, TableView } from '../../../contract/generated/types.gen.ts';
import { listTableViewsOptions, updateTableViewMutation } from '../../api/generated/queries/views.gen.ts';
import { useWrite } from '../../api/write.ts';
import { lazyWithPreload } from '../../ui/lazy.tsx';
import { createStore, useStore } from '../../ui/store.ts';
import { saveTableLayout, useTableLayout } from '../../ui/table/use-table-layout.ts';
import { findOpenView, isTableChanged, toViewContent } from './table-view-state.ts';
import { useTableViewRights } from './view-rights.ts';
import type { TableViewsProps } from './view-rights.ts';
import { ViewsFrame } from './ViewsFrame.tsx';
import { reportWrite, SAVE_CONFLICT, writeUnlessConflict } from './write-unless-conflict.ts';

const TableViewList = lazyWithPreload(() => import('./TableViewList.tsx'));
const TableViewDialog = lazyWithPreload(() => import('./TableViewDialog.tsx'));

const NO_VIEWS: readonly TableView[] = [];

/** Ids of the views that were chosen in this tab, by table. */
const chosenViews = createStore<Readonly<Partial<Record<TableName, number>>>>({});

/** The menu of saved views of a table, the open view with its unsaved changes, and the buttons for them. */
export default function TableViewsMenu({ table, hidden, onHide }: TableViewsProps) {
  const router = useRouter();
  const { pathname, searchStr: address } = useRouterState({ select: ({ location }) => location });
  const layout = useTableLayout(table);
  const { data: views = NO_VIEWS } = useQuery(listTableViewsOptions({ path: { table } }));
  const chosenId = useStore(chosenViews)[table];
  const [dialog, setDialog] = useState<'new' | 'rename'>();
  const rights = useTableViewRights(table);
  const update = useWrite('updateTableView', updateTableViewMutation());
  const state = { address, layout, hidden };
  const saved = findOpenView(views, chosenId, state);
  const isChanged = saved !== undefined && isTableChanged(saved, state);
  const choose = (id: number | undefined) => chosenViews.set({ ...chosenViews.get(), [table]: id });
  const show = (view: TableView, replace = false) => {
    const { hidden: hiddenIds, ...arrangement } = view.layout;
    choose(view.id);
    onHide(hiddenIds);
    saveTableLayout(table, arrangement);
    void router.navigate({ href: `${pathname}?${view.address}`, replace });
  };
  useDefaultView(views, address === '' && chosenId === undefined, (view) => show(view, true));
  const save = (view: TableView) =>
    reportWrite(`${view.name} was saved`, [view.name, 'saved'], () =>
      writeUnlessConflict(view, SAVE_CONFLICT, (headers) =>
        update.mutateAsync({
          path: { table, viewId: view.id },
          body: toViewContent(state),
          ...(headers && { headers }),
        }),
      ),
    );
  return (
    <ViewsFrame
      name={saved?.name}
      changes={
        isChanged
          ? {
              isSaving: update.isPending,
              saveRefusal: rights.getChangeRefusal(saved),
              onSave: () => void save(saved),
              onRevert: () => show(saved),
            }
          : undefined
      }
      renderList={(onClose) => (
        <TableViewList
          {...{ table, views, saved, onClose }}
          onShow={show}
          onNew={() => setDialog('new')}
          onRename={() => setDialog('rename')}
          onCloseView={() => {
            choose(undefined);
            void router.navigate({ href: pathname });
          }}
          onDeleted={() => choose(undefined)}
        />
      )}
      dialog={
        dialog && (
          <TableViewDialog
            table={table}
            saved={dialog === 'rename' ? saved : undefined}
            content={toViewContent(state)}
            onSaved={({ id }) => choose(id)}
            onClose={() => setDialog(undefined)}
          />
        )
      }
    />
  );
}

/** Opens the default view once, when the page is opened without filters. */
function useDefaultView(views: readonly TableView[], isPlain: boolean, show: (view: TableView) => void) {
  const [wasPlain] = useState(isPlain);
  const done = useRef(false);
  useEffect(() => {
    if (done.current || views === NO_VIEWS) return;
    done.current = true;
    const view = views.find(({ isDefault }) => isDefault);
    // Filters that were set while the views were loading stay.
    if (view && wasPlain && isPlain) show(view);
  });
}

import { Outlet, useRouter } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useSession } from '../../../api/session.ts';
import { among, useDirectory, useFound } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../shell/nav-counts.ts';
import { useShortcut } from '../../../shell/shortcuts.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { later } from '../../../ui/later.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { fromSort, toSort } from '../-sort.ts';
import { COLUMNS, GroupNames } from './-columns.tsx';
import { useHiddenColumns } from './-hidden-columns.ts';
import { NewUserLink } from './-NewUserLink.tsx';
import { useRowMenu } from './-row-menu.ts';
import { useAnnounced } from './-use-announced.ts';
import { useView } from './-use-view.ts';
import { UsersActions } from './-UsersActions.tsx';
import { UsersBar } from './-UsersBar.tsx';
import { UsersBulk } from './-UsersBulk.tsx';
import { DEFAULT_VIEW, isNarrowed } from './-view.ts';

const PastePanel = later(() => import('./-PastePanel.tsx'));
const NOBODY: ReadonlySet<RowId> = new Set();

const SHORTCUTS = [{ keys: 'n', label: 'New user', group: 'Users' }];
const idOf = ({ id }: DirectoryRow) => id;
const nameOf = ({ name }: DirectoryRow) => name;

/** Everybody of the site: found, filtered, sorted, chosen. The address holds what is asked for. */
export function UsersPage() {
  const { site } = useSession();
  const directory = useDirectory();
  const { size, billable, groups, complete, error, refreshing, refresh } = directory;
  const { view, show, type, settle } = useView();
  const remembered = useHiddenColumns();
  const hidden = view.hidden ?? remembered;
  const [selection, setSelection] = useState(NOBODY);
  const [onlySelected, setOnlySelected] = useState(false);
  const [pasted, setPasted] = useState<string>();
  const rowMenu = useRowMenu();
  const router = useRouter();
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/users/new', search: (now) => now }));

  const asked = useFound(view);
  const only = onlySelected && selection.size > 0;
  const found = useMemo(() => (asked && only ? among(asked, selection) : asked), [asked, only, selection]);
  useAnnounced(found?.ids.length, isNarrowed(view));
  const total = complete ? size : undefined;
  useEffect(() => {
    if (total !== undefined) setNavCount('/users', total);
  }, [total]);

  // Nothing to try again and nothing to show: the page says what is missing, as every other does.
  if (error?.status === 403 && size === undefined) throw error;
  const clear = () => show({ ...view, q: '', filters: DEFAULT_VIEW.filters });
  const choose = (ids: ReadonlySet<number>) => {
    setPasted(undefined);
    setSelection(ids);
    setOnlySelected(true);
    if (isNarrowed(view)) clear();
  };
  return (
    <Page
      fill
      title="Users"
      meta={
        size !== undefined &&
        (complete
          ? `${counted(size, 'person', 'people')} · ${count(billable)} billable`
          : `${count(size)} people so far`)
      }
      actions={<UsersActions found={found} view={view} />}
    >
      <UsersBar
        {...{ view, hidden, show, type, settle, directory }}
        counts={found?.counts}
        onPaste={setPasted}
        selected={selection.size}
        onlySelected={only}
        onOnlySelected={setOnlySelected}
      />
      <GroupNames groups={groups}>
        <DataTable
          label="Users"
          columns={COLUMNS}
          rows={found?.rows}
          rowId={idOf}
          rowLabel={nameOf}
          rowMenu={rowMenu}
          hidden={hidden}
          sort={toSort(view.sort)}
          onSort={(sort) => show({ ...view, sort: fromSort(sort, SORT_KEYS) })}
          selection={selection}
          onSelect={setSelection}
          // What is being brought up to date in the background is not out of date.
          refetching={refreshing && error !== undefined}
          error={error}
          onRetry={refresh}
          empty={
            <EmptyState icon={Users} title={`Nobody is on ${site.name} yet`} actions={<NewUserLink />}>
              Users are the people who may sign in here. Create the first one.
            </EmptyState>
          }
          onClearFilters={isNarrowed(view) ? clear : undefined}
        />
      </GroupNames>
      {found && size !== undefined && (
        <UsersBulk found={found} selection={selection} onSelect={setSelection} />
      )}
      <Suspense>
        {pasted !== undefined && (
          <PastePanel text={pasted} onClose={() => setPasted(undefined)} onChoose={choose} />
        )}
      </Suspense>
      <Outlet />
    </Page>
  );
}

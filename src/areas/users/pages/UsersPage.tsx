import { Outlet, useRouter, getRouteApi, Link } from '@tanstack/react-router';
import { Users, Download, Upload, Plus } from 'lucide-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useSession, usePermission } from '../../../api/session.ts';
import { setNavigationCount } from '../../../app/state/navigation.ts';
import { restrictToIds, useDirectory, useDirectorySearch } from '../../../directory/directory.ts';
import type { DirectorySearchResult } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { SORT_KEYS } from '../../../directory/engine/search.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { announce } from '../../../ui/LiveRegion.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { useShortcut } from '../../../ui/shortcuts.ts';
import type { RowId } from '../../../ui/table/columns.ts';
import { fromSort, toSort } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { openExport } from '../../export/index.ts';
import { useRowMenu } from '../model/actions.ts';
import { createUserExportSource } from '../model/export-source.ts';
import { useHiddenColumns } from '../model/hidden-columns.ts';
import {
  DEFAULT_VIEW,
  isFiltered,
  parseUsersView,
  serializeUsersView,
  formatUsersFilter,
} from '../model/view.ts';
import type { UsersView } from '../model/view.ts';
import { COLUMNS, GroupNamesProvider } from './columns.tsx';
import { UsersBar } from './UsersBar.tsx';
import { UsersBulk } from './UsersBulk.tsx';

const PastePanel = lazyWithPreload(() => import('../panels/PastePanel.tsx'));
const NO_SELECTION: ReadonlySet<RowId> = new Set();

const SHORTCUTS = [{ keys: 'n', label: 'New user', group: 'Users' }];
const getId = ({ id }: DirectoryRow) => id;
const getName = ({ name }: DirectoryRow) => name;

/** List of all users with search, filters, sort and selection. The view is kept in the URL. */
export function UsersPage() {
  const { site } = useSession();
  const directory = useDirectory();
  const { size, billable, groups, complete, error, refreshing, refresh } = directory;
  const { view, show, type, settle } = useUsersView();
  const storedHidden = useHiddenColumns();
  const hidden = view.hidden ?? storedHidden;
  const [selection, setSelection] = useState(NO_SELECTION);
  const [onlySelected, setOnlySelected] = useState(false);
  const [pastedText, setPastedText] = useState<string>();
  const rowMenu = useRowMenu();
  const router = useRouter();
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/users/new', search: (now) => now }));

  const searchResult = useDirectorySearch(view);
  const showsOnlySelected = onlySelected && selection.size > 0;
  const shownResult = useMemo(
    () => (searchResult && showsOnlySelected ? restrictToIds(searchResult, selection) : searchResult),
    [searchResult, showsOnlySelected, selection],
  );
  useAnnouncedCount(shownResult?.ids.length, isFiltered(view));
  const total = complete ? size : undefined;
  useEffect(() => {
    if (total !== undefined) setNavigationCount('/users', total);
  }, [total]);

  // Without permission and data the page shows what is missing.
  if (error?.status === 403 && size === undefined) throw error;
  const clearFilters = () => show({ ...view, q: '', filters: DEFAULT_VIEW.filters });
  const selectPasted = (ids: ReadonlySet<number>) => {
    setPastedText(undefined);
    setSelection(ids);
    setOnlySelected(true);
    if (isFiltered(view)) clearFilters();
  };
  return (
    <Page
      fill
      title="Users"
      meta={
        size !== undefined &&
        (complete
          ? `${pluralize(size, 'person', 'people')} · ${formatNumber(billable)} billable`
          : `${formatNumber(size)} people so far`)
      }
      actions={<UsersActions result={shownResult} view={view} />}
    >
      <UsersBar
        {...{ view, hidden, show, type, settle, directory }}
        counts={shownResult?.counts}
        onPaste={setPastedText}
        selectedCount={selection.size}
        showsOnlySelected={showsOnlySelected}
        onShowOnlySelected={setOnlySelected}
      />
      <GroupNamesProvider groups={groups}>
        <DataTable
          label="Users"
          columns={COLUMNS}
          rows={shownResult?.rows}
          rowId={getId}
          rowLabel={getName}
          rowMenu={rowMenu}
          hidden={hidden}
          sort={toSort(view.sort)}
          onSort={(sort) => show({ ...view, sort: fromSort(sort, SORT_KEYS) })}
          selection={selection}
          onSelect={setSelection}
          // A background refresh is only marked if the last one failed.
          refetching={refreshing && error !== undefined}
          error={error}
          onRetry={refresh}
          empty={
            <EmptyState icon={Users} title={`Nobody is on ${site.name} yet`} actions={<NewUserLink />}>
              Users are the people who can sign in here. Create the first one.
            </EmptyState>
          }
          onClearFilters={isFiltered(view) ? clearFilters : undefined}
        />
      </GroupNamesProvider>
      {shownResult && size !== undefined && (
        <UsersBulk result={shownResult} selection={selection} onSelect={setSelection} />
      )}
      <Suspense>
        {pastedText !== undefined && (
          <PastePanel text={pastedText} onClose={() => setPastedText(undefined)} onChoose={selectPasted} />
        )}
      </Suspense>
      <Outlet />
    </Page>
  );
}

// Announced after a pause in typing.
const ANNOUNCE_DELAY_MS = 700;

/** Announces the number of results to screen readers. */
function useAnnouncedCount(count: number | undefined, isEnabled: boolean): void {
  useEffect(() => {
    if (count === undefined || !isEnabled) return undefined;
    const timer = setTimeout(
      () => announce(`${pluralize(count, 'person', 'people')} found`),
      ANNOUNCE_DELAY_MS,
    );
    return () => clearTimeout(timer);
  }, [count, isEnabled]);
}

const route = getRouteApi('/_app/users/_list');

/** View of the list from the URL, debounced while typing. */
function useUsersView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const urlView = useMemo(() => parseUsersView(search), [search]);
  return useDebouncedView({
    view: urlView,
    write: (view, replace) => navigate({ to: '.', search: serializeUsersView(view), replace }),
  });
}

interface UsersActionsProps {
  result: DirectorySearchResult | undefined;
  view: UsersView;
}

/** Header actions: new user, import, export. */
function UsersActions({ result, view }: UsersActionsProps) {
  const router = useRouter();
  const { groups, complete } = useDirectory();
  const creating = usePermission('createUser');
  const { reason: exportReason } = usePermission('recordExport');
  // Any of these permissions is enough; rows that need another one are refused individually.
  const mayImport = [
    creating,
    usePermission('updateUser'),
    usePermission('updateUserLicense'),
    usePermission('assignGroups'),
  ].some(({ allowed }) => allowed);
  const matching = result?.ids ?? [];
  // The file would be incomplete until all users are loaded.
  const loadingReason = complete ? undefined : 'People are still loading';
  const emptyReason = matching.length === 0 ? 'Nobody matches' : undefined;
  return (
    <>
      <MenuButton
        label="Import and export"
        items={[
          {
            label: 'Import users',
            hint: 'Create and change users from a file',
            icon: Upload,
            disabledReason: mayImport ? undefined : creating.reason,
            onSelect: () => void router.navigate({ to: '/users/import' }),
          },
          {
            label: 'Export',
            hint: `${pluralize(matching.length, 'person', 'people')} as CSV or XLSX`,
            icon: Download,
            disabledReason: exportReason ?? loadingReason ?? emptyReason,
            onSelect: () =>
              openExport(
                createUserExportSource({
                  userIds: [...matching],
                  filter: formatUsersFilter(view, groups),
                  search: serializeUsersView(view),
                }),
              ),
          },
        ]}
      />
      <NewUserLink />
    </>
  );
}

/** Link to the panel for a new user; the list keeps its filters. */
function NewUserLink() {
  const { reason } = usePermission('createUser');
  if (reason !== undefined) {
    return (
      <Button variant="primary" icon={Plus} disabledReason={reason}>
        New user
      </Button>
    );
  }
  return (
    <Link to="/users/new" search={(now) => now} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      New user
    </Link>
  );
}

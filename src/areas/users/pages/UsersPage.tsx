import { useQueryClient } from '@tanstack/react-query';
import { Outlet, useRouter, getRouteApi, Link } from '@tanstack/react-router';
import { Users, Download, Upload, Plus } from 'lucide-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { licenseTypes } from '../../../../contract/rules/people/licenses.ts';
import { useSession, usePermission } from '../../../api/session.ts';
import { PagedListAge } from '../../../app/freshness/DataAge.tsx';
import { TableViews } from '../../../app/views/TableViews.tsx';
import { restrictToIds, useDirectory, useDirectorySearch } from '../../../directory/directory.ts';
import type { DirectorySearchResult, Directory } from '../../../directory/directory.ts';
import type { FacetCounts, FilterKey } from '../../../directory/engine/directory-query.ts';
import { SORT_KEYS } from '../../../directory/engine/directory-query.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { announce } from '../../../ui/layout/LiveRegion.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { useShortcut } from '../../../ui/shortcuts/shortcuts.ts';
import type { RowId } from '../../../ui/table/columns.ts';
import { getSortProps } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { FilterChip } from '../../../ui/table/filter/FilterChips.tsx';
import { FilterSentence } from '../../../ui/table/filter/FilterSentence.tsx';
import { TableBar, TableTools } from '../../../ui/table/TableBar.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import {
  saveHiddenColumns,
  saveTableLayout,
  useArrangedColumns,
  useHiddenColumns,
  useTableLayout,
} from '../../../ui/table/use-table-layout.ts';
import { openExport } from '../../export/index.ts';
import { useRowMenu } from '../model/actions.ts';
import { createUserExportSource } from '../model/export-source.ts';
import { pendingSelection } from '../model/pending-selection.ts';
import {
  DEFAULT_VIEW,
  isFiltered,
  parseUsersView,
  serializeUsersView,
  formatUsersFilter,
} from '../model/view.ts';
import type { UsersView } from '../model/view.ts';
import { COLUMNS, GroupNamesProvider } from './columns.tsx';
import { SearchHelp } from './SearchHelp.tsx';
import { UsersBulk } from './UsersBulk.tsx';

const PastePanel = lazyWithPreload(() => import('../panels/PastePanel.tsx'));
const NO_SELECTION: ReadonlySet<RowId> = new Set();

/** Columns hidden until someone chooses others. */
const INITIALLY_HIDDEN = ['id', 'timeZone', 'created', 'modified'];

const SHORTCUTS = [{ keys: 'n', label: 'New user', group: 'Users' }];
const getId = ({ id }: DirectoryRow) => id;
const getName = ({ name }: DirectoryRow) => name;

/** List of all users with search, filters, sort and selection. The view is kept in the URL. */
export function UsersPage() {
  const { site } = useSession();
  const directory = useDirectory();
  const { size, billable, groups, complete, error, refreshing, refresh } = directory;
  const { view, show, type, settle } = useUsersView();
  const storedHidden = useHiddenColumns('users', INITIALLY_HIDDEN);
  const layout = useTableLayout('users');
  const columns = useArrangedColumns(COLUMNS, layout);
  const hidden = view.hidden ?? storedHidden;
  const [selection, setSelection] = useState(NO_SELECTION);
  const [onlySelected, setOnlySelected] = useState(false);
  const [pastedText, setPastedText] = useState<string>();
  const rowMenu = useRowMenu();
  const router = useRouter();
  // The palette selects people in this list, which may be shown already.
  useEffect(() => {
    const selectPending = () => {
      const ids = pendingSelection.get();
      if (!ids) return;
      pendingSelection.set(undefined);
      setSelection(ids);
      setOnlySelected(true);
    };
    selectPending();
    return pendingSelection.subscribe(selectPending);
  }, []);
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/users/new', search: (now) => now }));

  const searchResult = useDirectorySearch(view);
  const showsOnlySelected = onlySelected && selection.size > 0;
  const shownResult = useMemo(
    () => (searchResult && showsOnlySelected ? restrictToIds(searchResult, selection) : searchResult),
    [searchResult, showsOnlySelected, selection],
  );
  useAnnouncedCount(shownResult?.ids.length, isFiltered(view));

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
        matchCount={shownResult?.ids.length}
        onPaste={setPastedText}
      />
      <GroupNamesProvider groups={groups}>
        <DataTable
          label="Users"
          columns={columns}
          rows={shownResult?.rows}
          rowId={getId}
          rowLabel={getName}
          rowMenu={rowMenu}
          hidden={hidden}
          {...getSortProps(view, show, SORT_KEYS)}
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
        <UsersBulk
          result={shownResult}
          selection={selection}
          onSelect={setSelection}
          showsOnlySelected={showsOnlySelected}
          onShowOnlySelected={setOnlySelected}
        />
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
  const client = useQueryClient();
  const { groups, complete } = useDirectory();
  const creating = usePermission('createUser');
  const { reason: exportReason } = usePermission('startUserExport');
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
              openExport(client, () =>
                createUserExportSource({ userIds: [...matching], filter: formatUsersFilter(view, groups) }),
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

const ON_OFF_OPTIONS = [
  { value: 'on', label: 'On' },
  { value: 'off', label: 'Off' },
];
const STATUS_OPTIONS = [
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
  { value: 'locked', label: 'Locked' },
];
const LICENSE_OPTIONS = licenseTypes.map(({ licenseTypeId, description }) => ({
  value: String(licenseTypeId),
  label: description,
}));
const AGE_OPTIONS = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
  { value: '90', label: 'Last 90 days' },
];

interface FilterDefinition {
  key: FilterKey;
  label: string;
  options: readonly { value: string; label: string }[];
  /** Only one value can be selected. */
  isSingleValue?: boolean;
  operator?: string;
}

interface UsersBarProps {
  view: UsersView;
  hidden: readonly string[];
  show: (view: UsersView, replace?: boolean) => void;
  type: (q: string) => void;
  settle: () => void;
  directory: Directory;
  counts: FacetCounts | undefined;
  matchCount: number | undefined;
  onPaste: (text: string) => void;
}

/** Search and filters with their counts, freshness of the list, columns and density. */
function UsersBar(props: UsersBarProps) {
  const { view, show, type, settle, directory, counts, matchCount, onPaste, hidden } = props;
  const groups = directory.groups
    .map(({ id, name }) => ({ value: String(id), label: name }))
    .toSorted((a, b) => a.label.localeCompare(b.label));
  const definitions: FilterDefinition[] = [
    { key: 'status', label: 'Status', options: STATUS_OPTIONS },
    { key: 'license', label: 'License', options: LICENSE_OPTIONS },
    { key: 'group', label: 'Group', options: groups },
    { key: 'twoFactor', label: 'Two-factor', options: ON_OFF_OPTIONS },
    { key: 'addresses', label: 'Approved addresses', options: ON_OFF_OPTIONS, operator: 'are' },
    { key: 'changed', label: 'Changed', options: AGE_OPTIONS, isSingleValue: true, operator: 'in the' },
  ];
  const clauses = definitions.map(({ key, label, options, isSingleValue, operator }) => ({
    label,
    isActive: view.filters[key].length > 0,
    chip: (
      <FilterChip
        {...{ label, operator }}
        options={options.map((option) => ({ ...option, count: counts?.[key][option.value] ?? 0 }))}
        value={view.filters[key]}
        onChange={(value) =>
          show({ ...view, filters: { ...view.filters, [key]: isSingleValue ? value.slice(-1) : value } })
        }
      />
    ),
  }));
  return (
    <TableBar tools={<Tools {...props} />}>
      <TableViews table="users" hidden={hidden} onHide={(next) => saveHiddenColumns('users', next)} />
      <SearchField
        label="Search users"
        placeholder="Name, e-mail, id: or paste a list"
        value={view.q}
        onChange={type}
        onBlur={settle}
        onPasteList={onPaste}
        help={SearchHelp}
      />
      <FilterSentence
        {...{ clauses, matchCount }}
        onClear={isFiltered(view) ? () => show({ ...view, q: '', filters: DEFAULT_VIEW.filters }) : undefined}
      />
    </TableBar>
  );
}

function Tools({ view, hidden, show, directory }: UsersBarProps) {
  const layout = useTableLayout('users');
  return (
    <>
      <PagedListAge list={directory} />
      <TableTools
        columns={COLUMNS}
        layout={layout}
        onLayout={(next) => saveTableLayout('users', next)}
        hidden={hidden}
        onHide={(next) => {
          saveHiddenColumns('users', next);
          // Replaces the history entry: hiding columns is not a step for Back.
          show({ ...view, hidden: next }, true);
        }}
        {...getSortProps(view, show, SORT_KEYS)}
      />
    </>
  );
}

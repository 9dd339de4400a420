import { Outlet, useRouter, getRouteApi, Link } from '@tanstack/react-router';
import { Users, Download, Upload, Plus } from 'lucide-react';
import { Suspense, useEffect, useMemo, useState } from 'react';
import { useSession, useAllowed } from '../../../api/session.ts';
import { among, useDirectory, useFound } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { SORT_KEYS } from '../../../directory/search.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../app/shell/nav-counts.ts';
import { useShortcut } from '../../../app/shell/shortcuts.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { later } from '../../../ui/later.ts';
import { Page } from '../../../ui/layout/Page.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { COLUMNS, GroupNames } from './columns.tsx';
import { useHiddenColumns } from '../model/hidden-columns.ts';
import { useRowMenu } from '../model/row-menu.ts';
import { UsersBar } from './UsersBar.tsx';
import { UsersBulk } from './UsersBulk.tsx';
import { DEFAULT_VIEW, isNarrowed, readView, writeView } from '../model/view.ts';
import { announce } from '../../../ui/feedback/live.ts';
import { useTypedView } from '../../../ui/table/use-typed-view.ts';
import type { FoundPeople } from '../../../directory/directory.ts';
import { filterWords } from '../../export/filter-words.ts';
import { openExport } from '../../export/index.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import type { UsersView } from '../model/view.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';

const PastePanel = later(() => import('../panels/PastePanel.tsx'));
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

// Whoever types is not interrupted at each letter.
const PAUSE = 700;

/** Says to a screen reader how many are found, once the question stands. */
function useAnnounced(found: number | undefined, isAsked: boolean): void {
  useEffect(() => {
    if (found === undefined || !isAsked) return undefined;
    const timer = setTimeout(() => announce(`${counted(found, 'person', 'people')} found`), PAUSE);
    return () => clearTimeout(timer);
  }, [found, isAsked]);
}

const route = getRouteApi('/_app/users/_list');

/** The view of the users list that the address says, with what is being typed. */
function useView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const said = useMemo(() => readView(search), [search]);
  return useTypedView({
    said,
    write: (view, replace) => navigate({ to: '.', search: writeView(view), replace }),
  });
}

interface UsersActionsProps {
  found: FoundPeople | undefined;
  view: UsersView;
}

/** What the list as a whole offers: one more user, many from a file, and those who are shown as a file. */
function UsersActions({ found, view }: UsersActionsProps) {
  const router = useRouter();
  const { groups, complete } = useDirectory();
  const creating = useAllowed('createUser');
  const { reason: notNow } = useAllowed('recordExport');
  // Whoever may do one of these has a use for a file; rows that need another are refused one by one.
  const mayImport = [
    creating,
    useAllowed('updateUser'),
    useAllowed('updateUserLicense'),
    useAllowed('assignGroups'),
  ].some(({ allowed }) => allowed);
  const matching = found?.ids ?? [];
  // Before everybody has been read, the file would lack people without a word.
  const early = complete ? undefined : 'Everybody is still being read';
  const nobody = matching.length === 0 ? 'Nobody matches' : undefined;
  return (
    <>
      <MenuButton
        label="Import and export"
        items={[
          {
            label: 'Import users',
            hint: 'From a CSV file: create and change many',
            icon: Upload,
            disabledReason: mayImport ? undefined : creating.reason,
            onSelect: () => void router.navigate({ to: '/users/import' }),
          },
          {
            label: 'Export',
            hint: `${counted(matching.length, 'person', 'people')} as CSV or XLSX`,
            icon: Download,
            disabledReason: notNow ?? early ?? nobody,
            onSelect: () =>
              openExport({
                userIds: [...matching],
                filter: filterWords(view, groups),
                search: writeView(view),
              }),
          },
        ]}
      />
      <NewUserLink />
    </>
  );
}

/** Opens the panel over the list, which keeps its filters. */
function NewUserLink() {
  const { reason } = useAllowed('createUser');
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

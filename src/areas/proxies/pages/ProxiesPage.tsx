import { Link, Outlet, getRouteApi, useRouter } from '@tanstack/react-router';
import {
  ScrollText,
  UserRoundCog,
  Waypoints,
  Plus,
  PanelRight,
  Trash2,
  UserRound,
  UserRoundPlus,
} from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { useSession, usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { useShortcut } from '../../../ui/shortcuts/shortcuts.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { getSortProps } from '../../../ui/table/columns.ts';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import type { Assignments } from '../model/assignments.ts';
import { formatNames } from '../model/assignments.ts';
import { filterRows, buildRows } from '../model/rows.ts';
import type { AssignmentRow } from '../model/rows.ts';
import { useAssignments } from '../model/use-assignments.ts';
import { useRemoveAssignments } from '../model/use-remove-assignments.ts';
import type { Direction } from '../model/view.ts';
import { SORT_KEYS, isFiltered, parseProxiesView, serializeProxiesView } from '../model/view.ts';
import { Warnings } from '../panels/Warnings.tsx';
import { ProxiesFilters } from './ProxiesFilters.tsx';
import '../panels/proxies.css';

const route = getRouteApi('/_app/proxies/_list');
const SHORTCUTS = [{ keys: 'n', label: 'Assign proxy', group: 'Proxies' }];
const getRowId = ({ id }: AssignmentRow) => id;
const getRowLabel = ({ person }: AssignmentRow) => person.fullName;

/** List of assignments, by proxy or by user. The URL holds the state of the list. */
export function ProxiesPage() {
  const { site } = useSession();
  const router = useRouter();
  const { assignments, states, error, isFetching, dataUpdatedAt, refetch } = useAssignments();
  const { view, show, type, settle } = useProxiesView();
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/proxies/assign', search: (now) => now }));
  const rowMenu = useRowMenu(view.direction);
  const deferredView = useDeferredValue(view);
  const rows = useMemo(
    () => assignments && buildRows(deferredView.direction, assignments, states),
    [deferredView.direction, assignments, states],
  );
  const filteredRows = useMemo(
    () => rows && assignments && filterRows(rows, deferredView, assignments),
    [rows, deferredView, assignments],
  );

  // The error boundary of the route shows which capability is missing.
  if (error?.status === 403 && !assignments) throw error;
  const sortProps = getSortProps(view, show, SORT_KEYS);
  const columns = COLUMNS[deferredView.direction];
  return (
    <Page fill title="Proxies" meta={assignments && formatMeta(assignments)} actions={<HeaderActions />}>
      <ListTable
        table="proxies"
        tools={<QueryAge query={{ dataUpdatedAt, error: error ?? null }} />}
        filters={<ProxiesFilters {...{ view, show, type, settle }} />}
        onHide={(hidden) => show({ ...view, hidden })}
        label="Assignments"
        columns={columns}
        rows={filteredRows}
        rowId={getRowId}
        rowLabel={getRowLabel}
        rowMenu={rowMenu}
        hidden={view.hidden}
        {...sortProps}
        refetching={isFetching && assignments !== undefined}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon={UserRoundCog}
            title={`No one on ${site.name} may act for anyone yet`}
            actions={<AssignLink />}
          >
            A proxy acts on behalf of a user with that user’s capabilities; both names are recorded. Assign
            the first proxy.
          </EmptyState>
        }
        onClearFilters={
          isFiltered(view) ? () => show({ ...view, q: '', warnings: [], moreThan: undefined }) : undefined
        }
      />
      <Outlet />
    </Page>
  );
}

function formatMeta({ pairs, usersByProxy }: Assignments): string {
  const proxies = pluralize(usersByProxy.size, 'proxy', 'proxies');
  return `${pluralize(pairs.length, 'assignment', 'assignments')} · ${proxies}`;
}

function useProxiesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const urlView = useMemo(() => parseProxiesView(search), [search]);
  return useDebouncedView({
    view: urlView,
    write: (view, replace) => navigate({ to: '.', search: serializeProxiesView(view), replace }),
  });
}

/** Links to the reports and the graph, and the button for a new assignment. */
function HeaderActions() {
  return (
    <>
      <Link to="/proxies/reports" className={buttonClass()}>
        <ScrollText />
        Reports
      </Link>
      <Link to="/proxies/graph" className={buttonClass()}>
        <Waypoints />
        Graph
      </Link>
      <AssignLink />
    </>
  );
}

/** Link that opens the panel over the list; the list keeps its state. */
function AssignLink() {
  const { reason } = usePermission('changeProxies');
  if (reason !== undefined) {
    return (
      <Button variant="primary" icon={Plus} disabledReason={reason}>
        Assign proxy
      </Button>
    );
  }
  return (
    <Link to="/proxies/assign" search={(now) => now} className={buttonClass({ variant: 'primary' })}>
      <Plus />
      Assign proxy
    </Link>
  );
}

/** Menu of a row. */
function useRowMenu(direction: Direction): (row: AssignmentRow) => MenuItems {
  const router = useRouter();
  const change = usePermission('changeProxies');
  const { removeAllOfProxy, removeAllOfUser } = useRemoveAssignments();
  return ({ id, person, others }) => [
    {
      label: 'Open',
      icon: PanelRight,
      onSelect: () =>
        void router.navigate({ to: '/proxies/$userId', params: { userId: id }, search: (now) => now }),
    },
    {
      label: 'Open user',
      icon: UserRound,
      onSelect: () => void router.navigate({ to: '/users/$userId/proxies', params: { userId: id } }),
    },
    {
      label: 'Show in graph',
      icon: Waypoints,
      onSelect: () => void router.navigate({ to: '/proxies/graph', search: { around: id } }),
    },
    {
      label: direction === 'proxy' ? 'Assign users' : 'Assign a proxy',
      icon: UserRoundPlus,
      disabledReason: change.reason,
      onSelect: () =>
        void router.navigate({
          to: '/proxies/assign',
          search: (now) => ({ ...now, ...(direction === 'proxy' ? { delegate: id } : { principal: id }) }),
        }),
    },
    'line',
    {
      label: `Remove all ${others.length}`,
      icon: Trash2,
      danger: true,
      disabledReason: change.reason,
      onSelect: () =>
        void (direction === 'proxy' ? removeAllOfProxy(person, others) : removeAllOfUser(person, others)),
    },
  ];
}

const HEADERS = {
  proxy: { name: 'Proxy', others: 'May act for', count: 'Users' },
  user: { name: 'User', others: 'May be acted for by', count: 'Proxies' },
};
const MAX_NAMES = 12;

const buildColumns = (direction: Direction): readonly Column<AssignmentRow>[] => [
  {
    id: 'name',
    header: HEADERS[direction].name,
    sortable: true,
    minWidth: 190,
    cell: ({ id, person: { fullName } }, { tabIndex }) => (
      <span className="person">
        <Avatar name={fullName} id={id} />
        <Link
          to="/proxies/$userId"
          params={{ userId: id }}
          search={(now) => now}
          tabIndex={tabIndex}
          title={fullName}
        >
          {fullName}
        </Link>
      </span>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    sortable: true,
    minWidth: 160,
    cell: ({ person: { email } }) => <span className="person-soft">{email}</span>,
  },
  {
    id: 'others',
    header: HEADERS[direction].others,
    minWidth: 200,
    small: 'line',
    cell: ({ others }) => (
      <span title={formatNames(others, MAX_NAMES)}>{formatNames(others, MAX_NAMES)}</span>
    ),
  },
  {
    id: 'count',
    header: HEADERS[direction].count,
    sortable: true,
    align: 'end',
    width: 90,
    cell: ({ others }) => formatNumber(others.length),
  },
  {
    id: 'marks',
    header: 'Risks',
    sortable: true,
    // Three risks of one person.
    width: 330,
    small: 'line',
    cell: (row) => <Warnings {...row} />,
  },
];

/** Columns of the list by direction; the ids are the sort keys. */
const COLUMNS: Record<Direction, readonly Column<AssignmentRow>[]> = {
  proxy: buildColumns('proxy'),
  user: buildColumns('user'),
};

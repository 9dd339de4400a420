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
import { useDeferredValue, useEffect, useMemo } from 'react';
import { useSession, useAllowed } from '../../../api/session.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../app/shell/nav-counts.ts';
import { useShortcut } from '../../../app/shell/shortcuts.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Sort, Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { useTypedView } from '../../../ui/table/use-typed-view.ts';
import type { Delegations, Direction } from '../model/delegations.ts';
import { useDelegations } from '../model/proxies-query.ts';
import { ProxiesBar } from './ProxiesBar.tsx';
import { findRows, rowsFrom } from '../model/rows.ts';
import type { DelegationRow } from '../model/rows.ts';
import { SORT_KEYS, isNarrowed, readProxiesView, writeProxiesView } from '../model/view.ts';
import { Button } from '../../../ui/button/Button.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { useRemovals } from '../model/actions.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Marks } from './Marks.tsx';
import { namesOf } from '../model/words.ts';
import './proxies.css';

const route = getRouteApi('/_app/proxies/_list');
const SHORTCUTS = [{ keys: 'n', label: 'Assign proxy', group: 'Proxies' }];
const idOf = ({ id }: DelegationRow) => id;
const nameOf = ({ person }: DelegationRow) => person.fullName;

/** Who may act for whom on this site, from either end. The address holds what is asked for. */
export function ProxiesPage() {
  const { site } = useSession();
  const router = useRouter();
  const { delegations, states, error, isFetching, refetch } = useDelegations();
  const { view, show, type, settle } = useProxiesView();
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/proxies/assign', search: (now) => now }));
  const rowMenu = useDelegationMenu(view.by);
  const asked = useDeferredValue(view);
  const all = useMemo(
    () => delegations && rowsFrom(asked.by, delegations, states),
    [asked.by, delegations, states],
  );
  const found = useMemo(
    () => all && delegations && findRows(all, asked, delegations),
    [all, asked, delegations],
  );
  const total = delegations?.pairs.length;
  useEffect(() => {
    if (total !== undefined) setNavCount('/proxies', total);
  }, [total]);

  // Nothing to try again and nothing to show: the page says what is missing, as every other does.
  if (error?.status === 403 && !delegations) throw error;
  const sort = toSort(view.sort);
  const onSort = (next: Sort) => show({ ...view, sort: fromSort(next, SORT_KEYS) });
  const columns = COLUMNS[asked.by];
  return (
    <Page fill title="Proxies" meta={delegations && metaOf(delegations)} actions={<Ways />}>
      <TableBar
        tools={
          <TableTools
            columns={columns}
            hidden={view.hidden}
            onHide={(hidden) => show({ ...view, hidden })}
            sort={sort}
            onSort={onSort}
          />
        }
      >
        <ProxiesBar {...{ view, show, type, settle }} />
      </TableBar>
      <DataTable
        label="Assignments"
        columns={columns}
        rows={found}
        rowId={idOf}
        rowLabel={nameOf}
        rowMenu={rowMenu}
        hidden={view.hidden}
        sort={sort}
        onSort={onSort}
        refetching={isFetching && delegations !== undefined}
        error={error}
        onRetry={refetch}
        empty={
          <EmptyState
            icon={UserRoundCog}
            title={`Nobody on ${site.name} may act for anybody`}
            actions={<AssignLink />}
          >
            A proxy works in somebody’s place, with what that person may do and under both names. Assign the
            first one.
          </EmptyState>
        }
        onClearFilters={
          isNarrowed(view) ? () => show({ ...view, q: '', marks: [], more: undefined }) : undefined
        }
      />
      <Outlet />
    </Page>
  );
}

function metaOf({ pairs, usersOf }: Delegations): string {
  const proxies = counted(usersOf.size, 'proxy', 'proxies');
  return `${counted(pairs.length, 'assignment', 'assignments')} · ${proxies}`;
}

function useProxiesView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const said = useMemo(() => readProxiesView(search), [search]);
  return useTypedView({
    said,
    write: (view, replace) => navigate({ to: '.', search: writeProxiesView(view), replace }),
  });
}

/** The other views, and a new assignment. */
function Ways() {
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

/** Opens the panel over the list, which keeps its search. */
function AssignLink() {
  const { reason } = useAllowed('changeProxies');
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

/** What can be done with one row of the list. */
function useDelegationMenu(direction: Direction): (row: DelegationRow) => MenuItems {
  const router = useRouter();
  const change = useAllowed('changeProxies');
  const { clearProxy, clearUser } = useRemovals();
  return ({ id, person, others }) => [
    {
      label: 'Open',
      icon: PanelRight,
      onSelect: () =>
        void router.navigate({ to: '/proxies/$userId', params: { userId: id }, search: (now) => now }),
    },
    {
      label: 'Go to the user',
      icon: UserRound,
      onSelect: () => void router.navigate({ to: '/users/$userId/proxies', params: { userId: id } }),
    },
    {
      label: 'Show in the graph',
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
      onSelect: () => void (direction === 'proxy' ? clearProxy(person, others) : clearUser(person, others)),
    },
  ];
}

const HEADERS = {
  proxy: { name: 'Proxy', others: 'May act for', count: 'Users' },
  user: { name: 'User', others: 'May be acted for by', count: 'Proxies' },
};
const NAMED = 12;

const columnsFrom = (direction: Direction): readonly Column<DelegationRow>[] => [
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
    cell: ({ others }) => <span title={namesOf(others, NAMED)}>{namesOf(others, NAMED)}</span>,
  },
  {
    id: 'count',
    header: HEADERS[direction].count,
    sortable: true,
    align: 'end',
    width: 90,
    cell: ({ others }) => count(others.length),
  },
  {
    id: 'marks',
    header: 'Look twice',
    sortable: true,
    width: 300,
    small: 'line',
    cell: (row) => <Marks {...row} />,
  },
];

/** The columns of the list from either end; ids are the keys of its order. */
const COLUMNS: Record<Direction, readonly Column<DelegationRow>[]> = {
  proxy: columnsFrom('proxy'),
  user: columnsFrom('user'),
};

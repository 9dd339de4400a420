import { Link, Outlet, getRouteApi, useRouter } from '@tanstack/react-router';
import { ScrollText, UserRoundCog, Waypoints } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo } from 'react';
import { useSession } from '../../../api/session.ts';
import { counted } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../shell/nav-counts.ts';
import { useShortcut } from '../../../shell/shortcuts.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Sort } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { fromSort, toSort } from '../-sort.ts';
import { useTypedView } from '../-typed-view.ts';
import { AssignLink } from './-AssignLink.tsx';
import { COLUMNS } from './-columns.tsx';
import type { Delegations } from './-delegations.ts';
import { useDelegations } from './-proxies-query.ts';
import { ProxiesBar } from './-ProxiesBar.tsx';
import { useDelegationMenu } from './-row-menu.ts';
import { findRows, rowsFrom } from './-rows.ts';
import type { DelegationRow } from './-rows.ts';
import { SORT_KEYS, isNarrowed, readProxiesView, writeProxiesView } from './-view.ts';
import './-proxies.css';

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

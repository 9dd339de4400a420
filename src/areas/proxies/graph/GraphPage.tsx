import { Link, Outlet, getRouteApi, useMatch } from '@tanstack/react-router';
import { Waypoints } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { DelegationsError } from '../pages/DelegationsError.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { ToggleChip } from '../../../ui/table/ToggleChip.tsx';
import { useTypedView } from '../../../ui/table/use-typed-view.ts';
import { marksOfPair } from '../model/delegations.ts';
import type { Delegations, States } from '../model/delegations.ts';
import { layOut } from './graph-layout.ts';
import { readGraphView, writeGraphView } from './graph-view.ts';
import type { GraphView } from './graph-view.ts';
import { GraphCanvas } from './GraphCanvas.tsx';
import { useDelegations } from '../model/proxies-query.ts';
import { MarkFilters } from '../pages/ProxiesBar.tsx';
import type { ProxyPair, ProxyPerson } from '../../../api/generated/types.gen.ts';
import { componentsOf } from './graph-layers.ts';
import { finder } from '../model/rows.ts';
import type { Column } from '../../../ui/table/columns.ts';
import type { Mark } from '../model/marks.ts';
import { shortMarks } from '../model/words.ts';
import './graph.css';

const route = getRouteApi('/_app/proxies/graph');
// More boxes than this nobody reads, and the browser draws them slowly.
const MOST = 400;
const idOf = ({ id }: PairRow) => id;
const nameOf = ({ proxy, user }: PairRow) => `${proxy.fullName} for ${user.fullName}`;

/** Who may act for whom as a drawing, and as a table that says the same. */
export function GraphPage() {
  const { delegations, states, error, isFetching, refetch } = useDelegations();
  const { view, show, type, settle } = useGraphView();
  const open = useMatch({ from: '/_app/proxies/graph/$userId', shouldThrow: false })?.params.userId;
  const asked = useDeferredValue(view);
  const shown = useShown(asked, delegations, states);
  if (error?.status === 403 && !delegations) throw error;
  const { around } = view;
  return (
    <Page
      fill
      title="Delegation graph"
      breadcrumbs={<Trail />}
      meta={shown && delegations && metaOf(shown)}
      actions={
        <Link to="/proxies" className={buttonClass()}>
          List
        </Link>
      }
    >
      <TableBar>
        <MarkFilters {...{ view, show, type, settle }} />
        {around !== undefined && (
          <ToggleChip
            label={`Around ${delegations?.people.get(around)?.fullName ?? `user ${around}`}`}
            on
            onChange={() => show({ ...view, around: undefined })}
          />
        )}
      </TableBar>
      <div className="graph-cols">
        {error && !delegations && <DelegationsError {...{ error, refetch, isFetching }} />}
        {!shown && !error && <SkeletonRows />}
        {shown && delegations && (
          <>
            {shown.rows.length > 0 && (
              <GraphCanvas
                // Another question begins at its beginning.
                key={JSON.stringify([asked.q, asked.marks, asked.around])}
                layout={shown.layout}
                {...{ delegations, states }}
                chosen={open ?? around}
              />
            )}
            <DataTable
              label="Assignments drawn"
              columns={PAIR_COLUMNS}
              rows={shown.rows}
              rowId={idOf}
              rowLabel={nameOf}
              refetching={isFetching}
              error={error}
              onRetry={refetch}
              empty={<Nothing around={around} />}
              onClearFilters={
                view.q !== '' || view.marks.length > 0 ? () => show({ ...view, q: '', marks: [] }) : undefined
              }
            />
          </>
        )}
      </div>
      <Outlet />
    </Page>
  );
}

interface Shown {
  rows: PairRow[];
  people: number;
  layout: ReturnType<typeof layOut>;
}

function useShown(view: GraphView, delegations: Delegations | undefined, states: States): Shown | undefined {
  return useMemo(() => {
    if (!delegations) return undefined;
    const pairs = pairsShown(view, delegations, states);
    const ids = peopleIn(pairs, delegations);
    const rows = pairs.flatMap((pair) => {
      const proxy = delegations.people.get(pair.proxyUserId);
      const user = delegations.people.get(pair.userId);
      if (!proxy || !user) return [];
      return { id: `${proxy.id}-${user.id}`, proxy, user, marks: marksOfPair(pair, delegations, states) };
    });
    return { rows, people: ids.length, layout: layOut(ids, pairs, { most: MOST, first: view.around }) };
  }, [view, delegations, states]);
}

function metaOf({ rows, people }: Shown): string {
  const cyclic = rows.filter(({ marks }) => marks.includes('cycle')).length;
  const parts = [
    counted(people, 'person', 'people'),
    counted(rows.length, 'assignment', 'assignments'),
    ...(cyclic > 0 ? [`${count(cyclic)} in cycles`] : []),
  ];
  return parts.join(' · ');
}

function useGraphView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const said = useMemo(() => readGraphView(search), [search]);
  return useTypedView({
    said,
    write: (view, replace) => navigate({ to: '.', search: writeGraphView(view), replace }),
  });
}

function Nothing({ around }: { around: number | undefined }) {
  return (
    <EmptyState
      icon={Waypoints}
      title="Nothing to draw"
      actions={
        <Link to="/proxies/assign" search={{}} className={buttonClass()}>
          Assign proxy
        </Link>
      }
    >
      {around === undefined
        ? 'Nobody on this site may act for anybody yet.'
        : 'This person may act for nobody, and nobody for them.'}
    </EmptyState>
  );
}

/** The assignments that have everything the view asks for. */
function pairsShown(view: GraphView, delegations: Delegations, states: States): readonly ProxyPair[] {
  const meant = finder(view.q, delegations);
  const found = delegations.pairs.filter((pair) => {
    const marks = marksOfPair(pair, delegations, states);
    return (
      view.marks.every((mark) => marks.includes(mark)) &&
      (meant.proxy(pair.proxyUserId) || meant.user(pair.userId))
    );
  });
  const { around } = view;
  if (around === undefined) return found;
  const part = componentsOf(peopleIn(found, delegations), found).find(({ ids }) => ids.includes(around));
  return part?.pairs ?? [];
}

/** Who stands in these assignments, by name. */
function peopleIn(pairs: readonly ProxyPair[], { people }: Delegations): number[] {
  const named = new Set(pairs.flatMap(({ proxyUserId, userId }) => [proxyUserId, userId]));
  return [...people.keys()].filter((id) => named.has(id));
}

/** One assignment as the table beside the graph tells it. */
interface PairRow {
  id: string;
  proxy: ProxyPerson;
  user: ProxyPerson;
  marks: readonly Mark[];
}

const name = ({ id, fullName }: ProxyPerson, tabIndex: 0 | -1) => (
  <Link
    to="/proxies/graph/$userId"
    params={{ userId: id }}
    search={(now) => now}
    tabIndex={tabIndex}
    title={fullName}
  >
    {fullName}
  </Link>
);

/** The columns of that table. */
const PAIR_COLUMNS: readonly Column<PairRow>[] = [
  { id: 'proxy', header: 'Proxy', minWidth: 105, cell: ({ proxy }, { tabIndex }) => name(proxy, tabIndex) },
  {
    id: 'user',
    header: 'May act for',
    minWidth: 105,
    small: 'line',
    cell: ({ user }, { tabIndex }) => name(user, tabIndex),
  },
  {
    id: 'marks',
    header: 'Look twice',
    width: 180,
    small: 'line',
    cell: ({ marks }) => shortMarks(marks),
  },
];

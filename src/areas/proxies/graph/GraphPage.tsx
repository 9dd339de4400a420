import { Link, Outlet, getRouteApi, useMatch } from '@tanstack/react-router';
import { Waypoints } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import type { ProxyPair, ProxyPerson } from '../../../../contract/generated/types.gen.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { ToggleChip } from '../../../ui/table/filter/FilterChips.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { useDebouncedView } from '../../../ui/table/use-debounced-search.ts';
import { getAssignmentWarnings, formatWarnings } from '../model/assignments.ts';
import type { Assignments, PersonStates } from '../model/assignments.ts';
import { createMatcher } from '../model/rows.ts';
import { useAssignments } from '../model/use-assignments.ts';
import type { Warning } from '../model/view.ts';
import { parseGraphView, serializeGraphView } from '../model/view.ts';
import type { GraphView } from '../model/view.ts';
import { WarningFilters } from '../pages/ProxiesFilters.tsx';
import { AssignmentsError } from '../panels/AssignmentLists.tsx';
import { findComponents } from './graph-layers.ts';
import { layOutGraph } from './graph-layout.ts';
import { GraphCanvas } from './GraphCanvas.tsx';
import './graph.css';

const route = getRouteApi('/_app/proxies/graph');
// A larger drawing is unreadable and slow to render.
const MAX_PEOPLE = 400;
const getRowId = ({ id }: PairRow) => id;
const getRowLabel = ({ proxy, user }: PairRow) => `${proxy.fullName} for ${user.fullName}`;

/** Assignments as a graph, and as a table with the same content. */
export function GraphPage() {
  const { assignments, states, error, isFetching, refetch } = useAssignments();
  const { view, show, type, settle } = useGraphView();
  const openUserId = useMatch({ from: '/_app/proxies/graph/$userId', shouldThrow: false })?.params.userId;
  const deferredView = useDeferredValue(view);
  const graph = useVisibleGraph(deferredView, assignments, states);
  if (error?.status === 403 && !assignments) throw error;
  const { aroundUserId } = view;
  return (
    <Page
      fill
      title="Assignment graph"
      breadcrumbs={<Breadcrumbs />}
      meta={graph && assignments && formatMeta(graph)}
      actions={
        <Link to="/proxies" className={buttonClass()}>
          List
        </Link>
      }
    >
      <TableBar>
        <WarningFilters {...{ view, show, type, settle }} />
        {aroundUserId !== undefined && (
          <ToggleChip
            label={`Around ${assignments?.people.get(aroundUserId)?.fullName ?? `user ${aroundUserId}`}`}
            on
            onChange={() => show({ ...view, aroundUserId: undefined })}
          />
        )}
      </TableBar>
      <div className="graph-cols">
        {error && !assignments && <AssignmentsError {...{ error, refetch, isFetching }} />}
        {!graph && !error && <SkeletonRows />}
        {graph && assignments && (
          <>
            {graph.rows.length > 0 && (
              <GraphCanvas
                // A changed filter resets the viewport and the focus.
                key={JSON.stringify([deferredView.q, deferredView.warnings, deferredView.aroundUserId])}
                layout={graph.layout}
                {...{ assignments, states }}
                selectedUserId={openUserId ?? aroundUserId}
              />
            )}
            <DataTable
              label="Assignments drawn"
              columns={PAIR_COLUMNS}
              rows={graph.rows}
              rowId={getRowId}
              rowLabel={getRowLabel}
              refetching={isFetching}
              error={error}
              onRetry={refetch}
              empty={<EmptyGraph aroundUserId={aroundUserId} />}
              onClearFilters={
                view.q !== '' || view.warnings.length > 0
                  ? () => show({ ...view, q: '', warnings: [] })
                  : undefined
              }
            />
          </>
        )}
      </div>
      <Outlet />
    </Page>
  );
}

interface VisibleGraph {
  rows: PairRow[];
  peopleCount: number;
  layout: ReturnType<typeof layOutGraph>;
}

function useVisibleGraph(
  view: GraphView,
  assignments: Assignments | undefined,
  states: PersonStates,
): VisibleGraph | undefined {
  return useMemo(() => {
    if (!assignments) return undefined;
    const pairs = filterPairs(view, assignments, states);
    const ids = listPeople(pairs, assignments);
    const rows = pairs.flatMap((pair) => {
      const proxy = assignments.people.get(pair.proxyUserId);
      const user = assignments.people.get(pair.userId);
      if (!proxy || !user) return [];
      return {
        id: `${proxy.id}-${user.id}`,
        proxy,
        user,
        warnings: getAssignmentWarnings(pair, assignments, states),
      };
    });
    return {
      rows,
      peopleCount: ids.length,
      layout: layOutGraph(ids, pairs, { maxPeople: MAX_PEOPLE, focusUserId: view.aroundUserId }),
    };
  }, [view, assignments, states]);
}

function formatMeta({ rows, peopleCount }: VisibleGraph): string {
  const cyclicCount = rows.filter(({ warnings }) => warnings.includes('cycle')).length;
  const parts = [
    pluralize(peopleCount, 'person', 'people'),
    pluralize(rows.length, 'assignment', 'assignments'),
    ...(cyclicCount > 0 ? [`${formatNumber(cyclicCount)} in cycles`] : []),
  ];
  return parts.join(' · ');
}

function useGraphView() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const urlView = useMemo(() => parseGraphView(search), [search]);
  return useDebouncedView({
    view: urlView,
    write: (view, replace) => navigate({ to: '.', search: serializeGraphView(view), replace }),
  });
}

function EmptyGraph({ aroundUserId }: { aroundUserId: number | undefined }) {
  return (
    <EmptyState
      icon={Waypoints}
      title="No assignments"
      actions={
        <Link to="/proxies/assign" search={{}} className={buttonClass()}>
          Assign proxy
        </Link>
      }
    >
      {aroundUserId === undefined
        ? 'No one on this site may act for anyone yet.'
        : 'This person may not act for anyone, and no one may act for them.'}
    </EmptyState>
  );
}

/** Assignments that match the view. */
function filterPairs(view: GraphView, assignments: Assignments, states: PersonStates): readonly ProxyPair[] {
  const matcher = createMatcher(view.q, assignments);
  const matchingPairs = assignments.pairs.filter((pair) => {
    const warnings = getAssignmentWarnings(pair, assignments, states);
    return (
      view.warnings.every((warning) => warnings.includes(warning)) &&
      (matcher.proxy(pair.proxyUserId) || matcher.user(pair.userId))
    );
  });
  const { aroundUserId } = view;
  if (aroundUserId === undefined) return matchingPairs;
  const component = findComponents(listPeople(matchingPairs, assignments), matchingPairs).find(({ ids }) =>
    ids.includes(aroundUserId),
  );
  return component?.pairs ?? [];
}

/** Ids of the people in the assignments, sorted by name. */
function listPeople(pairs: readonly ProxyPair[], { people }: Assignments): number[] {
  const ids = new Set(pairs.flatMap(({ proxyUserId, userId }) => [proxyUserId, userId]));
  return [...people.keys()].filter((id) => ids.has(id));
}

/** Row of the table beside the graph: one assignment. */
interface PairRow {
  id: string;
  proxy: ProxyPerson;
  user: ProxyPerson;
  warnings: readonly Warning[];
}

const renderPersonLink = ({ id, fullName }: ProxyPerson, tabIndex: 0 | -1) => (
  <Link
    to="/proxies/graph/$userId"
    params={{ userId: id }}
    search={(current) => current}
    tabIndex={tabIndex}
    title={fullName}
  >
    {fullName}
  </Link>
);

const PAIR_COLUMNS: readonly Column<PairRow>[] = [
  {
    id: 'proxy',
    header: 'Proxy',
    minWidth: 105,
    cell: ({ proxy }, { tabIndex }) => renderPersonLink(proxy, tabIndex),
  },
  {
    id: 'user',
    header: 'May act for',
    minWidth: 105,
    small: 'line',
    cell: ({ user }, { tabIndex }) => renderPersonLink(user, tabIndex),
  },
  {
    id: 'marks',
    header: 'Risks',
    width: 180,
    small: 'line',
    cell: ({ warnings }) => formatWarnings(warnings),
  },
];

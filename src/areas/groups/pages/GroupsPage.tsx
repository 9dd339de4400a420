import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, getRouteApi, useRouter } from '@tanstack/react-router';
import { Grid3x3, UsersRound, Users } from 'lucide-react';
import { useDeferredValue, useMemo } from 'react';
import type { GroupInfoResponse, Capability } from '../../../../contract/generated/types.gen.ts';
import { foldText } from '../../../../contract/rules/fold-text.ts';
import { capabilities } from '../../../../contract/rules/people/capabilities.ts';
import { toServiceError } from '../../../api/errors.ts';
import { useSession } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { groupsQuery, compareByName, getGroupCapabilities, groupQuery } from '../../../directory/groups.ts';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { useShortcut } from '../../../ui/shortcuts/shortcuts.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { getSortProps } from '../../../ui/table/columns.ts';
import { useDebouncedSearch } from '../../../ui/table/use-debounced-search.ts';
import { useGroupCapabilities } from '../model/group-capabilities.ts';
import { SORT_KEYS, parseGroupsView, serializeGroupsView } from '../model/view.ts';
import type { GroupsView } from '../model/view.ts';
import { useGroupMenu } from './group-actions.tsx';
import { NewGroupLink } from './page-parts.tsx';
import './groups.css';

/** Capabilities of a group, loaded when its row comes into view. */
function CapabilitiesCell({ groupId }: { groupId: number }) {
  const { data, isError } = useQuery(groupQuery(groupId));
  if (isError) return <span className="groups-none">Not loaded</span>;
  if (!data) return <Skeleton width="70%" />;
  const given = getGroupCapabilities(data.data);
  const all = given.length === capabilities.length;
  const names = given.join(', ') || 'Nothing';
  return (
    <span className="groups-gives" title={names}>
      <small className="num">{given.length}</small>
      <span>{all ? 'Everything' : names}</span>
    </span>
  );
}

/** Columns of the list; ids are the sort keys. */
const COLUMNS: readonly Column<GroupInfoResponse>[] = [
  {
    id: 'name',
    header: 'Name',
    sortable: true,
    minWidth: 200,
    cell: ({ id, name }, place) => (
      <Link
        to="/groups/$groupId"
        params={{ groupId: id }}
        tabIndex={place.tabIndex}
        title={name}
        className="groups-name"
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'description',
    header: 'Description',
    sortable: true,
    minWidth: 180,
    cell: ({ description }) => (
      <span className="groups-soft" title={description ?? undefined}>
        {description}
      </span>
    ),
  },
  {
    id: 'capabilities',
    header: 'Capabilities',
    sortable: true,
    minWidth: 240,
    small: 'line',
    cell: ({ id }) => <CapabilitiesCell groupId={id} />,
  },
  {
    id: 'members',
    header: 'Members',
    sortable: true,
    align: 'end',
    width: 110,
    small: 'aside',
    cell: ({ userCount }) => formatNumber(userCount),
  },
];

const route = getRouteApi('/_app/groups/_list');
const SHORTCUTS = [{ keys: 'n', label: 'New group', group: 'Groups' }];
// On larger sites capabilities are loaded only for visible rows and cannot be searched or sorted.
const MAX_PRELOADED_GROUPS = 200;
const COLUMNS_FOR_MANY_GROUPS = COLUMNS.map((column) =>
  column.id === 'capabilities' ? { ...column, sortable: false } : column,
);
const NO_IDS: readonly number[] = [];
const getId = ({ id }: GroupInfoResponse) => id;
const getName = ({ name }: GroupInfoResponse) => name;

/** List of all groups. The view is kept in the URL. */
export function GroupsPage() {
  const { site } = useSession();
  const router = useRouter();
  const query = useQuery(groupsQuery);
  const { data: groups, error, isFetching, refetch } = query;
  const { view, show, type, settle } = useGroupsView();
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/groups/new', search: (now) => now }));
  const hasMany = groups !== undefined && groups.length > MAX_PRELOADED_GROUPS;
  const columns = hasMany ? COLUMNS_FOR_MANY_GROUPS : COLUMNS;
  const preloadedIds = useMemo(
    () => (groups && !hasMany ? groups.map(({ id }) => id) : NO_IDS),
    [groups, hasMany],
  );
  const given = useGroupCapabilities(preloadedIds);
  const rowMenu = useGroupMenu(given);
  const deferredView = useDeferredValue(view);
  const foundGroups = useMemo(
    () => groups && findGroups(groups, given, deferredView),
    [groups, given, deferredView],
  );

  const failure = error === null ? undefined : toServiceError(error);
  // Without permission and data the page shows what is missing.
  if (failure?.status === 403 && groups === undefined) throw failure;
  const sortProps = getSortProps(view, show, SORT_KEYS);
  return (
    <Page fill title="Groups" meta={groups && formatMeta(groups)} actions={<HeaderLinks />}>
      <ListTable
        table="groups"
        tools={<QueryAge query={query} />}
        filters={
          <SearchField
            label="Search groups"
            placeholder={hasMany ? 'Name or description' : 'Name, description or capability'}
            value={view.q}
            onChange={type}
            onBlur={settle}
          />
        }
        onHide={(hidden) => show({ ...view, hidden })}
        label="Groups"
        columns={columns}
        rows={foundGroups}
        rowId={getId}
        rowLabel={getName}
        rowMenu={rowMenu}
        hidden={view.hidden}
        {...sortProps}
        refetching={isFetching && groups !== undefined}
        error={failure}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={UsersRound} title={`${site.name} has no groups`} actions={<NewGroupLink />}>
            Groups grant capabilities to people. Create the first one, then add people to it.
          </EmptyState>
        }
        onClearFilters={view.q === '' ? undefined : () => show({ ...view, q: '' })}
      />
      <Outlet />
    </Page>
  );
}

function formatMeta(groups: readonly GroupInfoResponse[]): string {
  const empty = groups.filter(({ userCount }) => userCount === 0).length;
  return `${pluralize(groups.length, 'group', 'groups')}${empty > 0 ? ` · ${empty} without members` : ''}`;
}

function useGroupsView() {
  const urlView = parseGroupsView(route.useSearch());
  const navigate = route.useNavigate();
  const write = (view: GroupsView, replace: boolean) =>
    navigate({ to: '.', search: serializeGroupsView(view), replace });
  const { q, type, settle } = useDebouncedSearch(urlView.q, (typed) => write({ ...urlView, q: typed }, true));
  const view = { ...urlView, q };
  return { view, show: (next: GroupsView) => void write(next, false), type, settle };
}

/** Links to comparison, matrix and new group. */
function HeaderLinks() {
  return (
    <>
      <Link to="/groups/compare" className={buttonClass()}>
        <Users />
        Compare users
      </Link>
      <Link to="/groups/matrix" className={buttonClass()}>
        <Grid3x3 />
        Matrix
      </Link>
      <NewGroupLink />
    </>
  );
}

type CapabilitiesByGroup = ReadonlyMap<number, readonly Capability[]>;
type Compare = (a: GroupInfoResponse, b: GroupInfoResponse) => number;

/** Groups that match all search words in name, description or capabilities, sorted. */
function findGroups(
  groups: readonly GroupInfoResponse[],
  given: CapabilitiesByGroup,
  { q, sort }: GroupsView,
): readonly GroupInfoResponse[] {
  const words = foldText(q.trim())
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = ({ id, name, description }: GroupInfoResponse) => {
    const text = foldText(`${id} ${name} ${description ?? ''} ${given.get(id)?.join(' ') ?? ''}`);
    return words.every((word) => text.includes(word));
  };
  const direction = sort.descending ? -1 : 1;
  const compare = getComparators(given)[sort.by];
  return groups.filter(matches).toSorted((a, b) => direction * compare(a, b) || compareByName(a, b));
}

const getComparators = (given: CapabilitiesByGroup): Record<GroupsView['sort']['by'], Compare> => ({
  name: compareByName,
  description: (a, b) => (a.description ?? '').localeCompare(b.description ?? ''),
  members: (a, b) => a.userCount - b.userCount,
  capabilities: (a, b) => (given.get(a.id)?.length ?? 0) - (given.get(b.id)?.length ?? 0),
});

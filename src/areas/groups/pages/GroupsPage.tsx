import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, getRouteApi, useRouter } from '@tanstack/react-router';
import { Grid3x3, UsersRound, Users } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { GroupInfoResponse, Capability } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { groupsQuery, byName, capabilitiesOf, groupQuery } from '../../../directory/groups.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../app/shell/nav-counts.ts';
import { useShortcut } from '../../../app/shell/shortcuts.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Sort, Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { useTyping } from '../../../ui/table/use-typing.ts';
import { useGroupCapabilities } from '../model/group-capabilities.ts';
import { NewGroupLink } from './NewGroupLink.tsx';
import { useGroupMenu } from '../model/row-menu.ts';
import { SORT_KEYS, readGroupsView, writeGroupsView } from '../model/view.ts';
import type { GroupsView } from '../model/view.ts';
import { fold } from '../../../lib/fold.ts';
import { capabilities } from '../../../../contract/rules/capabilities.ts';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import './groups.css';

/** What a group gives, in words; read when its row comes into view, once. */
function Gives({ groupId }: { groupId: number }) {
  const { data, isError } = useQuery(groupQuery(groupId));
  if (isError) return <span className="groups-none">Not loaded</span>;
  if (!data) return <Skeleton width="70%" />;
  const given = capabilitiesOf(data.data);
  const all = given.length === capabilities.length;
  const names = given.join(', ') || 'Nothing';
  return (
    <span className="groups-gives" title={names}>
      <small className="num">{given.length}</small>
      <span>{all ? 'Everything' : names}</span>
    </span>
  );
}

/** The columns of the list; ids are the keys of its order. */
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
    header: 'Gives',
    sortable: true,
    minWidth: 240,
    small: 'line',
    cell: ({ id }) => <Gives groupId={id} />,
  },
  {
    id: 'members',
    header: 'Members',
    sortable: true,
    align: 'end',
    width: 110,
    small: 'aside',
    cell: ({ userCount }) => count(userCount),
  },
];

const route = getRouteApi('/_app/groups/_list');
const SHORTCUTS = [{ keys: 'n', label: 'New group', group: 'Groups' }];
// On a site with more, only the groups in view are asked what they give: that neither finds nor sorts any.
const READ_AHEAD = 200;
const COLUMNS_OF_MANY = COLUMNS.map((column) =>
  column.id === 'capabilities' ? { ...column, sortable: false } : column,
);
const NONE: readonly number[] = [];
const idOf = ({ id }: GroupInfoResponse) => id;
const nameOf = ({ name }: GroupInfoResponse) => name;

/** Every group of the site: how many are in it and what it gives them. The address holds what is asked for. */
export function GroupsPage() {
  const { site } = useSession();
  const router = useRouter();
  const { data: groups, error, isFetching, refetch } = useQuery(groupsQuery);
  const { view, show, type, settle } = useGroupsView();
  useShortcut(SHORTCUTS, () => void router.navigate({ to: '/groups/new', search: (now) => now }));
  const many = groups !== undefined && groups.length > READ_AHEAD;
  const columns = many ? COLUMNS_OF_MANY : COLUMNS;
  const ahead = useMemo(() => (groups && !many ? groups.map(({ id }) => id) : NONE), [groups, many]);
  const given = useGroupCapabilities(ahead);
  const rowMenu = useGroupMenu(given);
  const asked = useDeferredValue(view);
  const found = useMemo(() => groups && findGroups(groups, given, asked), [groups, given, asked]);
  const total = groups?.length;
  useEffect(() => {
    if (total !== undefined) setNavCount('/groups', total);
  }, [total]);

  const failure = error === null ? undefined : toServiceError(error);
  // Nothing to try again and nothing to show: the page says what is missing, as every other does.
  if (failure?.status === 403 && groups === undefined) throw failure;
  const sort = toSort(view.sort);
  const onSort = (next: Sort) => show({ ...view, sort: fromSort(next, SORT_KEYS) });
  return (
    <Page fill title="Groups" meta={groups && metaOf(groups)} actions={<Ways />}>
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
        <SearchField
          label="Search groups"
          placeholder={many ? 'Name or description' : 'Name, description or capability'}
          value={view.q}
          onChange={type}
          onLeave={settle}
        />
      </TableBar>
      <DataTable
        label="Groups"
        columns={columns}
        rows={found}
        rowId={idOf}
        rowLabel={nameOf}
        rowMenu={rowMenu}
        hidden={view.hidden}
        sort={sort}
        onSort={onSort}
        refetching={isFetching && groups !== undefined}
        error={failure}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={UsersRound} title={`${site.name} has no groups`} actions={<NewGroupLink />}>
            Groups give people their capabilities: what they may do here is what their groups give together.
            Create the first one, then add people to it.
          </EmptyState>
        }
        onClearFilters={view.q === '' ? undefined : () => show({ ...view, q: '' })}
      />
      <Outlet />
    </Page>
  );
}

function metaOf(groups: readonly GroupInfoResponse[]): string {
  const empty = groups.filter(({ userCount }) => userCount === 0).length;
  return `${counted(groups.length, 'group', 'groups')}${empty > 0 ? ` · ${empty} without members` : ''}`;
}

function useGroupsView() {
  const said = readGroupsView(route.useSearch());
  const navigate = route.useNavigate();
  const write = (view: GroupsView, replace: boolean) =>
    navigate({ to: '.', search: writeGroupsView(view), replace });
  const { q, type, settle } = useTyping(said.q, (typed) => write({ ...said, q: typed }, true));
  const view = { ...said, q };
  return { view, show: (next: GroupsView) => void write(next, false), type, settle };
}

/** The other two views on groups, and a new one. */
function Ways() {
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

type Given = ReadonlyMap<number, readonly Capability[]>;
type Compare = (a: GroupInfoResponse, b: GroupInfoResponse) => number;

/** The groups that a view asks for, in its order; every word must occur in name, description or capabilities. */
function findGroups(
  groups: readonly GroupInfoResponse[],
  given: Given,
  { q, sort }: GroupsView,
): readonly GroupInfoResponse[] {
  const words = fold(q.trim())
    .split(/\s+/)
    .filter((word) => word !== '');
  const matches = ({ id, name, description }: GroupInfoResponse) => {
    const text = fold(`${id} ${name} ${description ?? ''} ${given.get(id)?.join(' ') ?? ''}`);
    return words.every((word) => text.includes(word));
  };
  const turn = sort.descending ? -1 : 1;
  const compare = orders(given)[sort.by];
  return groups.filter(matches).toSorted((a, b) => turn * compare(a, b) || byName(a, b));
}

const orders = (given: Given): Record<GroupsView['sort']['by'], Compare> => ({
  name: byName,
  description: (a, b) => (a.description ?? '').localeCompare(b.description ?? ''),
  members: (a, b) => a.userCount - b.userCount,
  capabilities: (a, b) => (given.get(a.id)?.length ?? 0) - (given.get(b.id)?.length ?? 0),
});

import { useQuery } from '@tanstack/react-query';
import { Link, Outlet, getRouteApi, useRouter } from '@tanstack/react-router';
import { Grid3x3, UsersRound, Users } from 'lucide-react';
import { useDeferredValue, useEffect, useMemo } from 'react';
import { toServiceError } from '../../../api/errors.ts';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import { useSession } from '../../../api/session.ts';
import { groupsQuery } from '../../../directory/groups.ts';
import { counted } from '../../../lib/numbers.ts';
import { setNavCount } from '../../../shell/nav-counts.ts';
import { useShortcut } from '../../../shell/shortcuts.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Sort } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { TableTools } from '../../../ui/table/TableTools.tsx';
import { fromSort, toSort } from '../-sort.ts';
import { useTyping } from '../-typing.ts';
import { useGroupCapabilities } from '../users/-group-capabilities.ts';
import { COLUMNS } from './-columns.tsx';
import { findGroups } from './-find-groups.ts';
import { NewGroupLink } from './-NewGroupLink.tsx';
import { useGroupMenu } from './-row-menu.ts';
import { SORT_KEYS, readGroupsView, writeGroupsView } from './-view.ts';
import type { GroupsView } from './-view.ts';

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

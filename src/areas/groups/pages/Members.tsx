import { getRouteApi, useRouter } from '@tanstack/react-router';
import { UserMinus, UserRound, Users, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Capability, UserGroupEntityVm } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { openBulk } from '../../bulk/index.ts';
import { useDirectory, useFound } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId, Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { TableBar } from '../../../ui/table/TableBar.tsx';
import { fromSort, toSort } from '../../../ui/table/sort.ts';
import { useTyping } from '../../../ui/table/use-typing.ts';
import { useGroupReason } from '../model/group-capabilities.ts';
import { Freshness } from './Freshness.tsx';
import { SORT_KEYS, membersOf, readMembersView, writeMembersView } from '../model/members-view.ts';
import type { MembersView } from '../model/members-view.ts';
import { EMAIL, LICENSE, nameColumn, STATUS } from '../../../directory/person-columns.tsx';

const route = getRouteApi('/_app/groups/$groupId');
const NOBODY: ReadonlySet<RowId> = new Set();
const idOf = ({ id }: DirectoryRow) => id;
const nameOf = ({ name }: DirectoryRow) => name;

interface MembersProps {
  group: UserGroupEntityVm;
  given: readonly Capability[];
}

/** Who is in the group: found, sorted, and taken out of it by ones or by many. */
export function Members({ group, given }: MembersProps) {
  const { view, show, type, settle } = useMembersView();
  const { complete, error, refreshing, refresh } = useDirectory();
  const { q, sort: order } = view;
  const { by, descending } = order;
  const query = useMemo(
    () => membersOf(group.id, { q, sort: { by, descending } }),
    [group.id, q, by, descending],
  );
  const found = useFound(query);
  const [selection, setSelection] = useState(NOBODY);
  const remove = useRemoval(group, given);
  const rowMenu = useMemberMenu(remove);
  const router = useRouter();
  const clear = () => setSelection(NOBODY);
  const chosen = [...selection].map(Number);
  return (
    <section className="group-members" aria-label={`Members of ${group.name}`}>
      <TableBar tools={<Freshness />}>
        <SearchField
          label="Search members"
          placeholder="Name, e-mail, id:"
          value={view.q}
          onChange={type}
          onLeave={settle}
        />
      </TableBar>
      <DataTable
        label="Members"
        columns={MEMBER_COLUMNS}
        rows={found?.rows}
        rowId={idOf}
        rowLabel={nameOf}
        rowMenu={rowMenu}
        sort={toSort(order)}
        onSort={(next) => show({ ...view, sort: fromSort(next, SORT_KEYS) })}
        selection={selection}
        onSelect={setSelection}
        refetching={refreshing && complete}
        error={error}
        onRetry={refresh}
        empty={
          <EmptyState icon={UsersRound} title="Nobody is in this group">
            {given.length === 0
              ? 'Add people to it to find them together.'
              : 'Add people to it, and they have what it gives at once.'}
          </EmptyState>
        }
        onClearFilters={view.q === '' ? undefined : () => show({ ...view, q: '' })}
      />
      <BulkBar
        count={chosen.length}
        total={found?.ids.length ?? 0}
        onSelectAll={() => setSelection(new Set(found?.ids))}
        onClear={clear}
        actions={[
          {
            label: 'Remove from group',
            icon: UserMinus,
            disabledReason: remove.reason,
            onSelect: () => remove.open(chosen, clear),
          },
          compareItem(chosen, router),
        ]}
      />
    </section>
  );
}

function compareItem([a, b, ...more]: readonly number[], router: ReturnType<typeof useRouter>) {
  const two = a !== undefined && b !== undefined && more.length === 0;
  return {
    label: 'Compare',
    icon: Users,
    disabledReason: two ? undefined : 'Select two people to compare them',
    onSelect: () => void router.navigate({ to: '/groups/compare', search: { a, b } }),
  };
}

function useMembersView() {
  const said = readMembersView(route.useSearch());
  const navigate = route.useNavigate();
  const write = (view: MembersView, replace: boolean) =>
    navigate({ to: '.', search: writeMembersView(view), replace });
  const { q, type, settle } = useTyping(said.q, (typed) => write({ ...said, q: typed }, true));
  return { view: { ...said, q }, show: (next: MembersView) => void write(next, false), type, settle };
}

/** Taking people out of the group, by the dry run that every change of many has. */
function useRemoval(group: UserGroupEntityVm, given: readonly Capability[]) {
  const { reason } = useAllowed('unassignGroups');
  const holds = useGroupReason();
  return {
    reason: reason ?? holds(given),
    open: (userIds: readonly number[], onBegin?: () => void) =>
      openBulk({ action: { kind: 'removeGroups', groupIds: [group.id] }, userIds, onBegin }),
  };
}

function useMemberMenu(remove: ReturnType<typeof useRemoval>) {
  const router = useRouter();
  return ({ id }: DirectoryRow): MenuItems => [
    {
      label: 'Open',
      icon: UserRound,
      onSelect: () => void router.navigate({ to: '/users/$userId', params: { userId: id } }),
    },
    {
      label: 'Compare with…',
      icon: Users,
      onSelect: () => void router.navigate({ to: '/groups/compare', search: { a: id } }),
    },
    'line',
    {
      label: 'Remove from group',
      icon: UserMinus,
      danger: true,
      disabledReason: remove.reason,
      onSelect: () => remove.open([id]),
    },
  ];
}

/** The columns of a group's members. */
const MEMBER_COLUMNS: readonly Column<DirectoryRow>[] = [
  nameColumn('/users/$userId/groups'),
  { ...EMAIL, small: 'line' },
  STATUS,
  LICENSE,
];

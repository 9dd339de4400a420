import { getRouteApi, useRouter } from '@tanstack/react-router';
import { UserMinus, UserRound, Users, UsersRound } from 'lucide-react';
import { useMemo, useState } from 'react';
import type { Capability, UserGroupEntityVm } from '../../../../contract/generated/types.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { useDirectory, useDirectorySearch } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import {
  emailColumn,
  licenseColumn,
  createNameColumn,
  statusColumn,
} from '../../../directory/person-columns.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { SearchField } from '../../../ui/form/SearchField.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId, Column } from '../../../ui/table/columns.ts';
import { getSortProps } from '../../../ui/table/columns.ts';
import { useDebouncedSearch } from '../../../ui/table/use-debounced-search.ts';
import { openBulk } from '../../bulk/index.ts';
import { useGrantCheck } from '../model/group-capabilities.ts';
import {
  SORT_KEYS,
  createMembersQuery,
  parseMembersView,
  serializeMembersView,
} from '../model/members-view.ts';
import type { MembersView } from '../model/members-view.ts';
import { DirectoryAsOf } from './page-parts.tsx';

const route = getRouteApi('/_app/groups/$groupId');
const NO_SELECTION: ReadonlySet<RowId> = new Set();
const getId = ({ id }: DirectoryRow) => id;
const getName = ({ name }: DirectoryRow) => name;

interface MembersProps {
  group: UserGroupEntityVm;
  given: readonly Capability[];
}

/** Members of the group with search, sort and removal. */
export function Members({ group, given }: MembersProps) {
  const { view, show, type, settle } = useMembersView();
  const { complete, error, refreshing, refresh } = useDirectory();
  const { q, sort } = view;
  const { by, descending } = sort;
  const query = useMemo(
    () => createMembersQuery(group.id, { q, sort: { by, descending } }),
    [group.id, q, by, descending],
  );
  const result = useDirectorySearch(query);
  const [selection, setSelection] = useState(NO_SELECTION);
  const remove = useRemoval(group, given);
  const rowMenu = useMemberMenu(remove);
  const router = useRouter();
  const clear = () => setSelection(NO_SELECTION);
  const selectedIds = [...selection].map(Number);
  return (
    <section className="group-members" aria-label={`Members of ${group.name}`}>
      <ListTable
        table="members"
        tools={<DirectoryAsOf />}
        filters={
          <SearchField
            label="Search members"
            placeholder="Name, e-mail, id:"
            value={view.q}
            onChange={type}
            onBlur={settle}
          />
        }
        label="Members"
        columns={MEMBER_COLUMNS}
        rows={result?.rows}
        rowId={getId}
        rowLabel={getName}
        rowMenu={rowMenu}
        {...getSortProps(view, show, SORT_KEYS)}
        selection={selection}
        onSelect={setSelection}
        refetching={refreshing && complete}
        error={error}
        onRetry={refresh}
        empty={
          <EmptyState icon={UsersRound} title="Nobody is in this group">
            {given.length === 0
              ? 'Add people to find them together.'
              : 'People you add get its capabilities immediately.'}
          </EmptyState>
        }
        onClearFilters={view.q === '' ? undefined : () => show({ ...view, q: '' })}
      />
      <BulkBar
        count={selectedIds.length}
        total={result?.ids.length ?? 0}
        onSelectAll={() => setSelection(new Set(result?.ids))}
        onClear={clear}
        actions={[
          {
            label: 'Remove from group',
            icon: UserMinus,
            disabledReason: remove.reason,
            onSelect: () => remove.open(selectedIds, clear),
          },
          createCompareItem(selectedIds, router),
        ]}
      />
    </section>
  );
}

function createCompareItem([a, b, ...more]: readonly number[], router: ReturnType<typeof useRouter>) {
  const two = a !== undefined && b !== undefined && more.length === 0;
  return {
    label: 'Compare',
    icon: Users,
    disabledReason: two ? undefined : 'Select two people to compare them',
    onSelect: () => void router.navigate({ to: '/groups/compare', search: { a, b } }),
  };
}

function useMembersView() {
  const urlView = parseMembersView(route.useSearch());
  const navigate = route.useNavigate();
  const write = (view: MembersView, replace: boolean) =>
    navigate({ to: '.', search: serializeMembersView(view), replace });
  const { q, type, settle } = useDebouncedSearch(urlView.q, (typed) => write({ ...urlView, q: typed }, true));
  return { view: { ...urlView, q }, show: (next: MembersView) => void write(next, false), type, settle };
}

/** Removes members through a bulk dry run. */
function useRemoval(group: UserGroupEntityVm, given: readonly Capability[]) {
  const { reason } = usePermission('unassignGroups');
  const holds = useGrantCheck();
  return {
    reason: reason ?? holds(given),
    open: (userIds: readonly number[], onBegin?: () => void) =>
      openBulk({ action: { kind: 'removeGroups', groupIds: [group.id] }, userIds, onStart: onBegin }),
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

/** Columns of the members list. */
const MEMBER_COLUMNS: readonly Column<DirectoryRow>[] = [
  createNameColumn('/users/$userId/groups'),
  { ...emailColumn, minWidth: 150, small: 'line' },
  { ...statusColumn, width: 96 },
  { ...licenseColumn, width: 118 },
];

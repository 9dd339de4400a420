import { useQueryClient } from '@tanstack/react-query';
import {
  AtSign,
  CircleMinus,
  Clock,
  CreditCard,
  Download,
  GlobeLock,
  ShieldCheck,
  UserCheck,
  UserMinus,
  UsersRound,
  UserX,
} from 'lucide-react';
import { useMemo } from 'react';
import { usePermission, useSession } from '../../../api/session.ts';
import { usePeopleById, readDirectoryRows } from '../../../directory/directory.ts';
import type { DirectorySearchResult } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { copyText } from '../../../ui/button/CopyButton.tsx';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { chooseBulk, openBulk } from '../../bulk/index.ts';
import { openExport } from '../../export/index.ts';
import { createUserExportSource } from '../model/export-source.ts';

interface UsersBulkProps {
  result: DirectorySearchResult;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
  showsOnlySelected: boolean;
  onShowOnlySelected: (only: boolean) => void;
}

const NO_IDS: readonly number[] = [];
// For larger selections the rows are not looked up; the dry run checks them.
const MAX_INSPECTED_USERS = 200;

/** Bulk actions on selected users; the selection is cleared when a job starts. */
export function UsersBulk(props: UsersBulkProps) {
  const { result, selection, onSelect, showsOnlySelected, onShowOnlySelected } = props;
  const ids = useMemo(() => [...selection].map(Number), [selection]);
  const clear = () => onSelect(new Set());
  const userById = usePeopleById(ids.length <= MAX_INSPECTED_USERS ? ids : NO_IDS);
  const rows = ids.flatMap((id) => userById.get(id) ?? []);
  const { actions, more } = useBulkItems({
    ids,
    rows: rows.length === ids.length ? rows : undefined,
    onStart: clear,
  });
  return (
    <BulkBar
      count={ids.length}
      total={result.ids.length}
      onSelectAll={() => onSelect(new Set(result.ids))}
      onClear={clear}
      only={{ on: showsOnlySelected, onChange: onShowOnlySelected }}
      actions={actions}
      more={more}
    />
  );
}

interface BulkSelection {
  ids: readonly number[];
  /** Rows of a small selection once loaded; undefined for a large one. */
  rows: readonly DirectoryRow[] | undefined;
  /** Called when a job has started. */
  onStart: () => void;
}

/** Frequent actions for the bar, the others for its menu. */
function useBulkItems({ ids, rows, onStart }: BulkSelection): {
  actions: readonly MenuItemData[];
  more: MenuItems;
} {
  const client = useQueryClient();
  const { user: ownUser } = useSession();
  const users = usePermission('updateUser').reason;
  const licenses = usePermission('updateUserLicense').reason;
  const groups = usePermission('assignGroups').reason;
  const exports = usePermission('startUserExport').reason;
  const removal = usePermission('removeUser').reason;
  const open = (kind: SimpleActionKind) => () => openBulk({ action: { kind }, userIds: ids, onStart });
  const choose = (what: 'license' | 'timeZone' | 'addGroups' | 'removeGroups') => () =>
    chooseBulk({ kind: what, userIds: ids, onStart });
  /** Returns `reason` if all selected rows are known and none passes the test. */
  const requireSome = (some: (row: DirectoryRow) => boolean, reason: string) =>
    !rows || rows.some(some) ? undefined : reason;

  const actions = [
    {
      label: 'Deactivate',
      icon: UserX,
      disabledReason:
        users ??
        requireSome(({ id, isActive }) => isActive && id !== ownUser.id, 'None of the others is active'),
      onSelect: open('deactivate'),
    },
    {
      label: 'Activate',
      icon: UserCheck,
      disabledReason:
        users ?? requireSome(({ isActive }) => !isActive, 'None of the selected people is inactive'),
      onSelect: open('activate'),
    },
    { label: 'Change license', icon: CreditCard, disabledReason: licenses, onSelect: choose('license') },
    { label: 'Add to groups', icon: UsersRound, disabledReason: groups, onSelect: choose('addGroups') },
  ];
  const more: MenuItems = [
    {
      label: 'Remove from groups',
      icon: CircleMinus,
      disabledReason:
        groups ?? requireSome((row) => row.groups.length > 0, 'None of the selected people is in a group'),
      onSelect: choose('removeGroups'),
    },
    { label: 'Set time zone', icon: Clock, disabledReason: users, onSelect: choose('timeZone') },
    {
      label: 'Turn two-factor on',
      icon: ShieldCheck,
      disabledReason:
        users ?? requireSome(({ twoFactor }) => !twoFactor, 'Already on for all selected people'),
      onSelect: open('twoFactorOn'),
    },
    {
      label: 'Turn approved addresses on',
      icon: GlobeLock,
      disabledReason:
        users ??
        requireSome(({ approvedAddresses }) => !approvedAddresses, 'Already on for all selected people'),
      onSelect: open('addressesOn'),
    },
    'line',
    {
      label: 'Export',
      icon: Download,
      disabledReason: exports,
      onSelect: () => openExport(client, () => createUserExportSource({ userIds: ids })),
    },
    { label: 'Copy e-mails', icon: AtSign, onSelect: () => void copyEmails(ids) },
    'line',
    {
      label: 'Remove from site',
      icon: UserMinus,
      danger: true,
      disabledReason: removal ?? requireSome(({ id }) => id !== ownUser.id, 'You cannot remove yourself'),
      onSelect: open('remove'),
    },
  ];
  return { actions, more };
}

type SimpleActionKind = 'activate' | 'deactivate' | 'twoFactorOn' | 'addressesOn' | 'remove';

async function copyEmails(ids: readonly number[]): Promise<void> {
  const rows = await readDirectoryRows(ids);
  const text = `${pluralize(rows.length, 'e-mail address', 'e-mail addresses')} copied`;
  await copyText(rows.map(({ email }) => email).join('\n'), text);
}

import { useMemo } from 'react';
import {
  AtSign,
  CircleMinus,
  CreditCard,
  Download,
  GlobeLock,
  ShieldCheck,
  Undo2,
  UserCheck,
  UserMinus,
  UsersRound,
  UserX,
} from 'lucide-react';
import { usePeople, rowsOf } from '../../../directory/directory.ts';
import type { FoundPeople } from '../../../directory/directory.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { useAllowed, useSession } from '../../../api/session.ts';
import { chooseBulk, openBulk, openUndoFile } from '../../bulk/index.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { openExport } from '../../export/index.ts';
import { counted } from '../../../lib/numbers.ts';
import type { MenuItemData, MenuItems } from '../../../ui/menu/menu-items.ts';
import { copyText } from '../../../ui/button/copy.ts';

interface UsersBulkProps {
  found: FoundPeople;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
}

const NOBODY: readonly number[] = [];
// What is said of a few at once would have to be looked up for many; their dry run tells it.
const FEW = 200;

/** What can be done with all who are selected; they stay selected until it has begun. */
export function UsersBulk({ found, selection, onSelect }: UsersBulkProps) {
  const ids = useMemo(() => [...selection].map(Number), [selection]);
  const clear = () => onSelect(new Set());
  const known = usePeople(ids.length <= FEW ? ids : NOBODY);
  const rows = ids.flatMap((id) => known.get(id) ?? []);
  const { actions, more } = useBulkItems({
    ids,
    rows: rows.length === ids.length ? rows : undefined,
    onBegin: clear,
  });
  return (
    <BulkBar
      count={ids.length}
      total={found.ids.length}
      onSelectAll={() => onSelect(new Set(found.ids))}
      onClear={clear}
      actions={actions}
      more={more}
    />
  );
}

interface Selected {
  ids: readonly number[];
  /** The rows of a small selection, as soon as they are there; never those of a large one. */
  rows: readonly DirectoryRow[] | undefined;
  /** Called when a job has begun. */
  onBegin: () => void;
}

/** What the bulk bar offers: in the bar what is done every day, in its menu the rest. */
function useBulkItems({ ids, rows, onBegin }: Selected): {
  actions: readonly MenuItemData[];
  more: MenuItems;
} {
  const { site, user: me } = useSession();
  const users = useAllowed('updateUser').reason;
  const licenses = useAllowed('updateUserLicense').reason;
  const groups = useAllowed('assignGroups').reason;
  const exports = useAllowed('recordExport').reason;
  const removal = useAllowed('removeUser').reason;
  const open = (kind: Plain) => () => openBulk({ action: { kind }, userIds: ids, onBegin });
  const choose = (what: 'license' | 'addGroups' | 'removeGroups') => () =>
    chooseBulk({ choose: what, userIds: ids, onBegin });
  /** The reason that nobody is left for it, where everybody selected is known. */
  const unless = (some: (row: DirectoryRow) => boolean, reason: string) =>
    !rows || rows.some(some) ? undefined : reason;

  const actions = [
    {
      label: 'Deactivate',
      icon: UserX,
      disabledReason:
        users ?? unless(({ id, isActive }) => isActive && id !== me.id, 'Nobody else selected is active'),
      onSelect: open('deactivate'),
    },
    {
      label: 'Activate',
      icon: UserCheck,
      disabledReason: users ?? unless(({ isActive }) => !isActive, 'Nobody selected is inactive'),
      onSelect: open('activate'),
    },
    { label: 'Change license', icon: CreditCard, disabledReason: licenses, onSelect: choose('license') },
    { label: 'Add to groups', icon: UsersRound, disabledReason: groups, onSelect: choose('addGroups') },
  ];
  const more: MenuItems = [
    {
      label: 'Remove from groups',
      icon: CircleMinus,
      disabledReason: groups ?? unless((row) => row.groups.length > 0, 'Nobody selected is in a group'),
      onSelect: choose('removeGroups'),
    },
    {
      label: 'Turn two-factor on',
      icon: ShieldCheck,
      disabledReason: users ?? unless(({ twoFactor }) => !twoFactor, 'It is on for everybody selected'),
      onSelect: open('twoFactorOn'),
    },
    {
      label: 'Turn approved addresses on',
      icon: GlobeLock,
      disabledReason:
        users ?? unless(({ approvedAddresses }) => !approvedAddresses, 'It is on for everybody selected'),
      onSelect: open('addressesOn'),
    },
    'line',
    {
      label: 'Export',
      icon: Download,
      disabledReason: exports,
      onSelect: () => openExport({ userIds: ids }),
    },
    { label: 'Copy e-mails', icon: AtSign, onSelect: () => void copyEmails(ids) },
    { label: 'Undo from file…', icon: Undo2, onSelect: () => openUndoFile(site.id) },
    'line',
    {
      label: 'Remove from site',
      icon: UserMinus,
      danger: true,
      disabledReason: removal ?? unless(({ id }) => id !== me.id, 'You cannot remove yourself'),
      onSelect: open('remove'),
    },
  ];
  return { actions, more };
}

type Plain = 'activate' | 'deactivate' | 'twoFactorOn' | 'addressesOn' | 'remove';

async function copyEmails(ids: readonly number[]): Promise<void> {
  const rows = await rowsOf(ids);
  const said = `${counted(rows.length, 'e-mail address', 'e-mail addresses')} copied`;
  await copyText(rows.map(({ email }) => email).join('\n'), said);
}

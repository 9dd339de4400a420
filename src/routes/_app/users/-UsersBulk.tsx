import { useQueryClient } from '@tanstack/react-query';
import { AtSign, UserCheck, UserX } from 'lucide-react';
import { useMemo } from 'react';
import { useAllowed, useSession } from '../../../api/session.ts';
import { usePeople } from '../../../directory/directory.ts';
import type { FoundPeople } from '../../../directory/directory.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { counted } from '../../../lib/numbers.ts';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { BulkBar } from '../../../ui/table/BulkBar.tsx';
import type { RowId } from '../../../ui/table/columns.ts';
import { changeStatus } from './-bulk-status.ts';
import { copyText } from './-copy.ts';

interface UsersBulkProps {
  found: FoundPeople;
  selection: ReadonlySet<RowId>;
  onSelect: (next: ReadonlySet<RowId>) => void;
  /** How many there are on the site. */
  size: number;
}

const people = (number: number) => counted(number, 'person', 'people');

/** What can be done with all who are selected. */
export function UsersBulk({ found, selection, onSelect }: UsersBulkProps) {
  const client = useQueryClient();
  const { reason } = useAllowed('updateUser');
  const { user: me } = useSession();
  const ids = useMemo(() => [...selection].map(Number), [selection]);
  const chosen = [...usePeople(ids).values()];
  // Deactivating oneself would end the session that does the rest.
  const active = chosen.filter(({ id, isActive }) => isActive && id !== me.id);
  const inactive = chosen.filter(({ isActive }) => !isActive);
  const clear = () => onSelect(new Set());

  const start = (rows: readonly DirectoryRow[], isActive: boolean) => {
    changeStatus(client, rows, isActive);
    clear();
  };
  const deactivate = async () => {
    const agreed = await confirm({
      title: `Deactivate ${people(active.length)}?`,
      body: `Signs them out everywhere at once, and they cannot sign in again. Data, licenses and groups stay.${skipped(inactive.length, 'inactive')}${chosen.some(({ id }) => id === me.id) ? ' You are among them and will be passed over.' : ''}`,
      action: `Deactivate ${people(active.length)}`,
      danger: true,
    });
    if (agreed) start(active, false);
  };
  const activate = async () => {
    const agreed = await confirm({
      title: `Activate ${people(inactive.length)}?`,
      body: `They can sign in again with the licenses and groups they had.${skipped(active.length, 'active')}`,
      action: `Activate ${people(inactive.length)}`,
    });
    if (agreed) start(inactive, true);
  };

  return (
    <BulkBar
      count={chosen.length}
      total={found.ids.length}
      onSelectAll={() => onSelect(new Set(found.ids))}
      onClear={clear}
      actions={[
        {
          label: 'Deactivate',
          icon: UserX,
          disabledReason: reason ?? (active.length === 0 ? 'Nobody else selected is active' : undefined),
          onSelect: () => void deactivate(),
        },
        {
          label: 'Activate',
          icon: UserCheck,
          disabledReason: reason ?? (inactive.length === 0 ? 'Nobody selected is inactive' : undefined),
          onSelect: () => void activate(),
        },
        {
          label: 'Copy e-mails',
          icon: AtSign,
          onSelect: () =>
            void copyText(
              chosen.map(({ email }) => email).join('\n'),
              `${counted(chosen.length, 'e-mail address', 'e-mail addresses')} copied`,
            ),
        },
      ]}
    />
  );
}

const skipped = (number: number, already: string): string =>
  number === 0
    ? ''
    : ` ${people(number)} selected ${number === 1 ? 'is' : 'are'} ${already} already and will be passed over.`;

import { GlobeLock, ShieldCheck } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { createContext, useContext, useMemo } from 'react';
import type { ReactNode } from 'react';
import type { GroupInfoResponse } from '../../../../contract/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/engine/row.ts';
import {
  emailColumn,
  licenseColumn,
  createNameColumn,
  statusColumn,
} from '../../../directory/person-columns.tsx';
import { formatTimeZoneName } from '../../../lib/dates/time-zones.ts';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import { LastActiveCell } from './LastActiveCell.tsx';
import './users.css';

const GroupNamesContext = createContext<ReadonlyMap<number, string>>(new Map());

/** Provides group names to the cells. */
export function GroupNamesProvider({
  groups,
  children,
}: {
  groups: readonly GroupInfoResponse[];
  children: ReactNode;
}) {
  const names = useMemo(() => new Map(groups.map(({ id, name }) => [id, name])), [groups]);
  return <GroupNamesContext value={names}>{children}</GroupNamesContext>;
}

function GroupsCell({ ids }: { ids: readonly number[] }) {
  const names = useContext(GroupNamesContext);
  const [first, ...others] = ids.map((id) => names.get(id) ?? `Group ${id}`);
  if (first === undefined) return <span className="person-none">—</span>;
  if (others.length === 0) return first;
  return (
    <span className="users-groups" title={[first, ...others].join(', ')}>
      <span>{first}</span> <small>+{others.length}</small>
    </span>
  );
}

function AccessIcon({ label, icon: Icon }: { label: string; icon: LucideIcon }) {
  return (
    <Tooltip text={label}>
      <span className="users-mark">
        <Icon />
        <span className="visually-hidden">{label}</span>
      </span>
    </Tooltip>
  );
}

/** Columns of the list; the ids of sortable ones are the sort keys of the directory. */
export const COLUMNS: readonly Column<DirectoryRow>[] = [
  createNameColumn('/users/$userId'),
  { ...emailColumn, hideable: true, small: 'line' },
  { ...statusColumn, hideable: true },
  { ...licenseColumn, hideable: true },
  {
    id: 'groups',
    header: 'Groups',
    sortable: true,
    hideable: true,
    width: 108,
    cell: ({ groups }) => <GroupsCell ids={groups} />,
  },
  {
    id: 'access',
    header: 'Access',
    sortable: true,
    hideable: true,
    width: 76,
    cell: ({ twoFactor, approvedAddresses }) => (
      <span className="users-access">
        {twoFactor && <AccessIcon label="Two-factor authentication" icon={ShieldCheck} />}
        {approvedAddresses && <AccessIcon label="Only from approved addresses" icon={GlobeLock} />}
      </span>
    ),
  },
  {
    id: 'modified',
    header: 'Changed',
    sortable: true,
    hideable: true,
    align: 'end',
    width: 116,
    cell: ({ modified }, place) => <Timestamp at={modified} tabIndex={place.tabIndex} />,
  },
  {
    id: 'lastActive',
    header: 'Last active',
    hideable: true,
    align: 'end',
    width: 116,
    cell: ({ id }, place) => <LastActiveCell userId={id} tabIndex={place.tabIndex} />,
  },
  {
    id: 'id',
    header: 'Id',
    sortable: true,
    hideable: true,
    align: 'end',
    width: 80,
    cell: ({ id }) => <span className="mono">{id}</span>,
  },
  {
    id: 'timeZone',
    header: 'Time zone',
    hideable: true,
    width: 150,
    cell: ({ timeZone }) =>
      timeZone === null ? <span className="person-none">—</span> : formatTimeZoneName(timeZone),
  },
  {
    id: 'created',
    header: 'Created',
    sortable: true,
    hideable: true,
    align: 'end',
    width: 116,
    cell: ({ created }, place) => <Timestamp at={created} tabIndex={place.tabIndex} />,
  },
];

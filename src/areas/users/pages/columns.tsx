import { GlobeLock, ShieldCheck } from 'lucide-react';
import type { LucideIcon } from 'lucide-react';
import { createContext, useContext, useMemo } from 'react';
import type { ReactNode } from 'react';
import type { GroupInfoResponse } from '../../../api/generated/types.gen.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { Tooltip } from '../../../ui/tooltip/Tooltip.tsx';
import { EMAIL, LICENSE, nameColumn, STATUS } from '../../../directory/person-columns.tsx';
import './users.css';

const Names = createContext<ReadonlyMap<number, string>>(new Map());

/** Tells the cells under it what the groups are called. */
export function GroupNames({
  groups,
  children,
}: {
  groups: readonly GroupInfoResponse[];
  children: ReactNode;
}) {
  const names = useMemo(() => new Map(groups.map(({ id, name }) => [id, name])), [groups]);
  return <Names value={names}>{children}</Names>;
}

function Groups({ ids }: { ids: readonly number[] }) {
  const names = useContext(Names);
  const [first, ...others] = ids.map((id) => names.get(id) ?? `Group ${id}`);
  if (first === undefined) return <span className="person-none">—</span>;
  if (others.length === 0) return first;
  return (
    <span className="users-groups" title={[first, ...others].join(', ')}>
      <span>{first}</span> <small>+{others.length}</small>
    </span>
  );
}

function AccessMark({ label, icon: Icon }: { label: string; icon: LucideIcon }) {
  return (
    <Tooltip text={label}>
      <span className="users-mark">
        <Icon />
        <span className="visually-hidden">{label}</span>
      </span>
    </Tooltip>
  );
}

/** The columns of the list; ids are the keys that the directory sorts by. */
export const COLUMNS: readonly Column<DirectoryRow>[] = [
  nameColumn('/users/$userId'),
  { ...EMAIL, hideable: true, minWidth: 200, small: 'line' },
  { ...STATUS, hideable: true },
  { ...LICENSE, hideable: true },
  {
    id: 'groups',
    header: 'Groups',
    sortable: true,
    hideable: true,
    width: 108,
    cell: ({ groups }) => <Groups ids={groups} />,
  },
  {
    id: 'access',
    header: 'Access',
    sortable: true,
    hideable: true,
    width: 76,
    cell: ({ twoFactor, approvedAddresses }) => (
      <span className="users-access">
        {twoFactor && <AccessMark label="Two-factor authentication" icon={ShieldCheck} />}
        {approvedAddresses && <AccessMark label="Only from approved addresses" icon={GlobeLock} />}
      </span>
    ),
  },
  {
    id: 'modified',
    header: 'Changed',
    sortable: true,
    hideable: true,
    align: 'end',
    width: 112,
    cell: ({ modified }, place) => <Moment at={modified} tabIndex={place.tabIndex} />,
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
    id: 'created',
    header: 'Created',
    sortable: true,
    hideable: true,
    align: 'end',
    width: 112,
    cell: ({ created }, place) => <Moment at={created} tabIndex={place.tabIndex} />,
  },
];

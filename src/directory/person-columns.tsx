import { Link } from '@tanstack/react-router';
import { licenseName } from '../../contract/rules/licenses.ts';
import type { DirectoryRow } from './row.ts';
import { Avatar } from '../ui/layout/Avatar.tsx';
import { Badge } from '../ui/layout/Badge.tsx';
import type { Column } from '../ui/table/columns.ts';
import './person-columns.css';

interface PersonLinkProps {
  id: number;
  name: string;
  /** The page of the person that the list is about. */
  to: '/users/$userId' | '/users/$userId/license' | '/users/$userId/groups';
  tabIndex: 0 | -1;
}

/** A person in the first column of a table. */
export function PersonLink({ id, name, to, tabIndex }: PersonLinkProps) {
  return (
    <span className="person">
      <Avatar name={name} id={id} />
      <Link to={to} params={{ userId: id }} tabIndex={tabIndex}>
        {name}
      </Link>
    </span>
  );
}

/** Whether somebody may sign in, as far as one word says it. */
export function StatusBadge({
  user: { isActive, isLocked },
}: {
  user: { isActive: boolean; isLocked: boolean };
}) {
  if (!isActive) return <Badge>Inactive</Badge>;
  return isLocked ? <Badge tone="warn">Locked</Badge> : <Badge tone="ok">Active</Badge>;
}

type PersonColumn = Column<DirectoryRow>;

/** The columns that every list of people has; ids are the keys that the directory sorts by. */
export const nameColumn = (to: PersonLinkProps['to']): PersonColumn => ({
  id: 'name',
  header: 'Name',
  sortable: true,
  minWidth: 190,
  cell: ({ id, name }, { tabIndex }) => <PersonLink {...{ id, name, to, tabIndex }} />,
});

export const EMAIL: PersonColumn = {
  id: 'email',
  header: 'E-mail',
  sortable: true,
  minWidth: 190,
  cell: ({ email }) => <span className="person-soft">{email}</span>,
};

export const STATUS: PersonColumn = {
  id: 'status',
  header: 'Status',
  sortable: true,
  width: 88,
  small: 'aside',
  cell: (row) => <StatusBadge user={row} />,
};

export const LICENSE: PersonColumn = {
  id: 'license',
  header: 'License',
  sortable: true,
  width: 128,
  small: 'line',
  cell: ({ licenseTypeId }) => (licenseTypeId === undefined ? '…' : licenseName(licenseTypeId)),
};

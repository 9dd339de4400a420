import { Link } from '@tanstack/react-router';
import { getAccountStatuses } from '../../contract/rules/people/account-status.ts';
import type { AccountStatus } from '../../contract/rules/people/account-status.ts';
import { getLicenseName } from '../../contract/rules/people/licenses.ts';
import { Avatar } from '../ui/layout/Avatar.tsx';
import { Badge } from '../ui/layout/Badge.tsx';
import type { Tone } from '../ui/layout/Badge.tsx';
import type { Column } from '../ui/table/columns.ts';
import type { DirectoryRow } from './engine/row.ts';
import './person-columns.css';

interface PersonLinkProps {
  id: number;
  name: string;
  /** The tab of the user page that matches the list. */
  to: '/users/$userId' | '/users/$userId/license' | '/users/$userId/groups';
  tabIndex: 0 | -1;
}

/** Link to a user with their avatar, for the first column of a table. */
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

const STATUS_BADGES: Readonly<Record<AccountStatus, { tone: Tone; label: string }>> = {
  active: { tone: 'ok', label: 'Active' },
  inactive: { tone: 'neutral', label: 'Inactive' },
  locked: { tone: 'warn', label: 'Locked' },
};

/** Badges of the account status, the same that the filter by status finds. */
export function StatusBadge({ user }: { user: { isActive: boolean; isLocked: boolean } }) {
  return (
    <span className="person-status">
      {getAccountStatuses(user).map((status) => (
        <Badge key={status} tone={STATUS_BADGES[status].tone}>
          {STATUS_BADGES[status].label}
        </Badge>
      ))}
    </span>
  );
}

/** Column of the user of a row, in lists that are not of users. */
export const personColumn: Column<{ userId: number; name: string }> = {
  id: 'person',
  header: 'Person',
  minWidth: 170,
  cell: ({ userId, name }, { tabIndex }) => (
    <PersonLink id={userId} name={name} to="/users/$userId" tabIndex={tabIndex} />
  ),
};

type PersonColumn = Column<DirectoryRow>;

/** Creates the name column of user lists. Column ids of this module are sort keys of the directory. */
export const createNameColumn = (to: PersonLinkProps['to']): PersonColumn => ({
  id: 'name',
  header: 'Name',
  sortable: true,
  minWidth: 190,
  cell: ({ id, name }, { tabIndex }) => <PersonLink {...{ id, name, to, tabIndex }} />,
});

export const emailColumn: PersonColumn = {
  id: 'email',
  header: 'E-mail',
  sortable: true,
  minWidth: 190,
  cell: ({ email }) => <span className="person-soft">{email}</span>,
};

export const statusColumn: PersonColumn = {
  id: 'status',
  header: 'Status',
  sortable: true,
  width: 132,
  small: 'aside',
  cell: (row) => <StatusBadge user={row} />,
};

export const licenseColumn: PersonColumn = {
  id: 'license',
  header: 'License',
  sortable: true,
  width: 128,
  small: 'line',
  cell: ({ licenseTypeId }) => (licenseTypeId === undefined ? '…' : getLicenseName(licenseTypeId)),
};

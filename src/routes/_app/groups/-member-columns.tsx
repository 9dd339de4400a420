import { Link } from '@tanstack/react-router';
import { licenseType } from '../../../../contract/rules/licenses.ts';
import type { DirectoryRow } from '../../../directory/row.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { StatusBadge } from '../users/-StatusBadge.tsx';
import '../users/-users.css';

/** The columns of a group's members; ids are the keys that the directory sorts by. */
export const MEMBER_COLUMNS: readonly Column<DirectoryRow>[] = [
  {
    id: 'name',
    header: 'Name',
    sortable: true,
    minWidth: 180,
    cell: ({ id, name }, place) => (
      <span className="users-name">
        <Avatar name={name} id={id} />
        <Link to="/users/$userId/groups" params={{ userId: id }} tabIndex={place.tabIndex}>
          {name}
        </Link>
      </span>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    sortable: true,
    minWidth: 190,
    small: 'line',
    cell: ({ email }) => <span className="users-soft">{email}</span>,
  },
  {
    id: 'status',
    header: 'Status',
    sortable: true,
    width: 90,
    small: 'aside',
    cell: (row) => <StatusBadge user={row} />,
  },
  {
    id: 'license',
    header: 'License',
    sortable: true,
    width: 140,
    small: 'line',
    cell: ({ licenseTypeId }) => licenseType(licenseTypeId ?? 0)?.description ?? '…',
  },
];

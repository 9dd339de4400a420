import { Link } from '@tanstack/react-router';
import type { DirectoryRow } from '../../../directory/row.ts';
import { isBillable } from '../../../directory/row.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { StatusBadge } from '../users/-StatusBadge.tsx';
import { LicenseCell } from './-LicenseCell.tsx';
import './-licenses.css';

/** The columns of the list; ids are the keys that the directory sorts by. */
export const COLUMNS: readonly Column<DirectoryRow>[] = [
  {
    id: 'name',
    header: 'Name',
    sortable: true,
    minWidth: 200,
    cell: ({ id, name }, place) => (
      <span className="lic-person">
        <Avatar name={name} id={id} />
        <Link to="/users/$userId/license" params={{ userId: id }} tabIndex={place.tabIndex}>
          {name}
        </Link>
      </span>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    sortable: true,
    hideable: true,
    minWidth: 180,
    cell: ({ email }) => <span className="lic-soft">{email}</span>,
  },
  {
    id: 'license',
    header: 'License',
    sortable: true,
    width: 290,
    hideable: false,
    small: 'line',
    cell: (row, place) => <LicenseCell row={row} tabIndex={place.tabIndex} />,
  },
  {
    id: 'billable',
    header: 'Billable',
    hideable: true,
    width: 84,
    cell: (row) => (isBillable(row) ? 'Billable' : <span className="lic-none">—</span>),
  },
  {
    id: 'status',
    header: 'Status',
    sortable: true,
    hideable: true,
    width: 90,
    small: 'aside',
    cell: (row) => <StatusBadge user={row} />,
  },
];

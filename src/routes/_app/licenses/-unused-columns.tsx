import { licenseName } from '../../../../contract/rules/licenses.ts';
import { Link } from '@tanstack/react-router';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { Moment } from '../users/-Moment.tsx';
import { StatusBadge } from '../users/-StatusBadge.tsx';
import { unusedName } from './-unused.ts';
import type { UnusedRow } from './-unused.ts';
import './-licenses.css';

/** The columns of the unused licenses. */
export const UNUSED_COLUMNS: readonly Column<UnusedRow>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 200,
    cell: (row, place) => (
      <span className="lic-person">
        <Avatar name={unusedName(row)} id={row.userId} />
        <Link to="/users/$userId/license" params={{ userId: row.userId }} tabIndex={place.tabIndex}>
          {unusedName(row)}
        </Link>
      </span>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 200,
    cell: ({ person }) => <span className="lic-soft">{person?.email ?? '…'}</span>,
  },
  {
    id: 'license',
    header: 'License',
    width: 140,
    small: 'line',
    cell: ({ licenseTypeId }) => licenseName(licenseTypeId),
  },
  {
    id: 'status',
    header: 'Status',
    width: 90,
    cell: ({ person }) => person && <StatusBadge user={person} />,
  },
  {
    id: 'since',
    header: 'On this site since',
    align: 'end',
    width: 150,
    cell: ({ person }, place) => (person ? <Moment at={person.created} tabIndex={place.tabIndex} /> : '…'),
  },
  {
    id: 'last',
    header: 'Last activity',
    align: 'end',
    width: 130,
    small: 'aside',
    cell: ({ lastActivityDate: at }, place) =>
      at === null ? <Badge tone="warn">Never</Badge> : <Moment at={at} tabIndex={place.tabIndex} />,
  },
];

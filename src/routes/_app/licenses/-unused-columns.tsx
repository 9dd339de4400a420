import { licenseName } from '../../../../contract/rules/licenses.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { PersonLink, StatusBadge } from '../-person-columns.tsx';
import { unusedName } from './-unused.ts';
import type { UnusedRow } from './-unused.ts';

/** The columns of the unused licenses. */
export const UNUSED_COLUMNS: readonly Column<UnusedRow>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 200,
    cell: (row, place) => (
      <PersonLink
        id={row.userId}
        name={unusedName(row)}
        to="/users/$userId/license"
        tabIndex={place.tabIndex}
      />
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 200,
    cell: ({ person }) => <span className="person-soft">{person?.email ?? '…'}</span>,
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

import type { DirectoryRow } from '../../../directory/row.ts';
import { isBillable } from '../../../directory/row.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { EMAIL, nameColumn, STATUS } from '../-person-columns.tsx';
import { LicenseCell } from './-LicenseCell.tsx';

/** The columns of the list; ids are the keys that the directory sorts by. */
export const COLUMNS: readonly Column<DirectoryRow>[] = [
  nameColumn('/users/$userId/license'),
  { ...EMAIL, hideable: true },
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
    cell: (row) => (isBillable(row) ? 'Billable' : <span className="person-none">—</span>),
  },
  { ...STATUS, hideable: true },
];

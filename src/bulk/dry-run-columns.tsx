import type { Column } from '../ui/table/columns.ts';
import { changeColumns } from './change-columns.tsx';

/** A person in the table of a dry run. */
export interface Line {
  id: number;
  name: string;
  email: string;
  before?: string;
  after?: string;
  note?: string | undefined;
}

const WHO: readonly Column<Line>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 150,
    cell: ({ name }) => <span className="bulk-name">{name}</span>,
  },
  {
    id: 'email',
    header: 'E-mail',
    minWidth: 170,
    cell: ({ email }) => (
      <span className="bulk-soft" title={email}>
        {email}
      </span>
    ),
  },
];

const CHANGE: readonly Column<Line>[] = [...WHO, ...changeColumns<Line>(120)];

/** Who changes, from what to what, also by others meanwhile; who does not, and why. */
export const COLUMNS: Record<'change' | 'meanwhile' | 'left', readonly Column<Line>[]> = {
  change: CHANGE,
  meanwhile: [
    ...CHANGE,
    {
      id: 'note',
      header: 'Changed meanwhile',
      minWidth: 150,
      small: 'line',
      cell: ({ note }) =>
        note && (
          <span className="bulk-note" title={note}>
            {note}
          </span>
        ),
    },
  ],
  left: [
    ...WHO,
    {
      id: 'note',
      header: 'Why',
      minWidth: 320,
      small: 'line',
      cell: ({ note }) => <span title={note}>{note}</span>,
    },
  ],
};

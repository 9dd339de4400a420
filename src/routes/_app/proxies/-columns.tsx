import { Link } from '@tanstack/react-router';
import { count } from '../../../lib/numbers.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import type { Direction } from './-delegations.ts';
import { Marks } from './-Marks.tsx';
import type { DelegationRow } from './-rows.ts';
import { namesOf } from './-words.ts';

const HEADERS = {
  proxy: { name: 'Proxy', others: 'May act for', count: 'Users' },
  user: { name: 'User', others: 'May be acted for by', count: 'Proxies' },
};
const NAMED = 12;

const columnsFrom = (direction: Direction): readonly Column<DelegationRow>[] => [
  {
    id: 'name',
    header: HEADERS[direction].name,
    sortable: true,
    minWidth: 190,
    cell: ({ id, person: { fullName } }, { tabIndex }) => (
      <span className="person">
        <Avatar name={fullName} id={id} />
        <Link
          to="/proxies/$userId"
          params={{ userId: id }}
          search={(now) => now}
          tabIndex={tabIndex}
          title={fullName}
        >
          {fullName}
        </Link>
      </span>
    ),
  },
  {
    id: 'email',
    header: 'E-mail',
    sortable: true,
    minWidth: 160,
    cell: ({ person: { email } }) => <span className="person-soft">{email}</span>,
  },
  {
    id: 'others',
    header: HEADERS[direction].others,
    minWidth: 200,
    small: 'line',
    cell: ({ others }) => <span title={namesOf(others, NAMED)}>{namesOf(others, NAMED)}</span>,
  },
  {
    id: 'count',
    header: HEADERS[direction].count,
    sortable: true,
    align: 'end',
    width: 90,
    cell: ({ others }) => count(others.length),
  },
  {
    id: 'marks',
    header: 'Look twice',
    sortable: true,
    width: 300,
    small: 'line',
    cell: (row) => <Marks {...row} />,
  },
];

/** The columns of the list from either end; ids are the keys of its order. */
export const COLUMNS: Record<Direction, readonly Column<DelegationRow>[]> = {
  proxy: columnsFrom('proxy'),
  user: columnsFrom('user'),
};

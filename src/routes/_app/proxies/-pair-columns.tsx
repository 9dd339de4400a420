import { Link } from '@tanstack/react-router';
import type { ProxyPerson } from '../../../api/generated/types.gen.ts';
import type { Column } from '../../../ui/table/columns.ts';
import type { Mark } from './-marks.ts';
import { shortMarks } from './-words.ts';

/** One assignment as the table beside the graph tells it. */
export interface PairRow {
  id: string;
  proxy: ProxyPerson;
  user: ProxyPerson;
  marks: readonly Mark[];
}

const name = ({ id, fullName }: ProxyPerson, tabIndex: 0 | -1) => (
  <Link
    to="/proxies/graph/$userId"
    params={{ userId: id }}
    search={(now) => now}
    tabIndex={tabIndex}
    title={fullName}
  >
    {fullName}
  </Link>
);

/** The columns of that table. */
export const PAIR_COLUMNS: readonly Column<PairRow>[] = [
  { id: 'proxy', header: 'Proxy', minWidth: 105, cell: ({ proxy }, { tabIndex }) => name(proxy, tabIndex) },
  {
    id: 'user',
    header: 'May act for',
    minWidth: 105,
    small: 'line',
    cell: ({ user }, { tabIndex }) => name(user, tabIndex),
  },
  {
    id: 'marks',
    header: 'Look twice',
    width: 180,
    small: 'line',
    cell: ({ marks }) => shortMarks(marks),
  },
];

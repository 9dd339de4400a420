import { Link } from '@tanstack/react-router';
import type { PlatformSite } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Column } from '../../../ui/table/columns.ts';

/** The columns of the list of sites. */
export const COLUMNS: readonly Column<PlatformSite>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 200,
    cell: ({ id, name }, { tabIndex }) => (
      <Link to="/sites/$siteId" params={{ siteId: id }} tabIndex={tabIndex} title={name}>
        {name}
      </Link>
    ),
  },
  { id: 'slug', header: 'Short name', width: 150, small: 'line', cell: ({ slug }) => slug },
  {
    id: 'identity',
    header: 'Sign-in by',
    width: 160,
    cell: ({ identityMode }) =>
      identityMode === 'password' ? 'Password' : <Badge tone="accent">Identity manager</Badge>,
  },
  {
    id: 'domain',
    header: 'Dedicated domain',
    minWidth: 170,
    cell: ({ dedicatedDomain }) => dedicatedDomain,
  },
  {
    id: 'administrators',
    header: 'Administrators',
    align: 'end',
    width: 130,
    cell: ({ administrators }) =>
      administrators === 0 ? <Badge tone="warn">None</Badge> : count(administrators),
  },
  {
    id: 'members',
    header: 'Active users',
    align: 'end',
    width: 110,
    small: 'aside',
    cell: ({ members }) => count(members),
  },
  {
    id: 'created',
    header: 'Created',
    width: 120,
    cell: ({ createdDate }, { tabIndex }) => <Moment at={createdDate} tabIndex={tabIndex} />,
  },
];

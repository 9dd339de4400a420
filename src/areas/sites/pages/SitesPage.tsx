import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { listPlatformSitesOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { PlatformSite } from '../../../api/generated/types.gen.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Column } from '../../../ui/table/columns.ts';

const idOf = ({ id }: PlatformSite) => id;
const nameOf = ({ name }: PlatformSite) => name;

/** Every site of the platform, for those who run it. */
export function SitesPage() {
  const { data, error, refetch, isRefetching } = useQuery(listPlatformSitesOptions());
  const failure = error === null ? undefined : toServiceError(error);
  if (failure?.status === 403 && !data) throw failure;
  return (
    <Page
      fill
      title="Sites"
      meta={data && counted(data.length, 'site', 'sites')}
      actions={
        <Link to="/sites/new" className={buttonClass({ variant: 'primary' })}>
          <Plus />
          New site
        </Link>
      }
    >
      <DataTable
        label="Sites"
        columns={COLUMNS}
        rows={data}
        rowId={idOf}
        rowLabel={nameOf}
        error={failure}
        onRetry={() => void refetch()}
        refetching={isRefetching && error !== null}
        empty={
          <EmptyState icon={Building2} title="No site">
            The first start of the service makes one.
          </EmptyState>
        }
      />
      <Outlet />
    </Page>
  );
}

/** The columns of the list of sites. */
const COLUMNS: readonly Column<PlatformSite>[] = [
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

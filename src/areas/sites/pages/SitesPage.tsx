import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import type { PlatformSite } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listPlatformSitesOptions } from '../../../api/generated/queries/platform.gen.ts';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { formatStorage } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';

const getSiteId = ({ id }: PlatformSite) => id;
const getSiteName = ({ name }: PlatformSite) => name;

/** List of the sites of the platform. */
export function SitesPage() {
  const { data, error, refetch, isRefetching } = useQuery(listPlatformSitesOptions());
  const failure = error === null ? undefined : toServiceError(error);
  if (failure?.status === 403 && !data) throw failure;
  return (
    <Page
      fill
      title="Sites"
      meta={data && pluralize(data.length, 'site', 'sites')}
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
        rowId={getSiteId}
        rowLabel={getSiteName}
        error={failure}
        onRetry={() => void refetch()}
        refetching={isRefetching && error !== null}
        empty={
          <EmptyState icon={Building2} title="No sites">
            The first start of the service creates one.
          </EmptyState>
        }
      />
      <Outlet />
    </Page>
  );
}

/** Share of the limit from which the storage of a site is marked. */
const NEARLY_FULL = 0.9;

/** Columns of the list of sites. */
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
    header: 'Sign-in method',
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
      administrators === 0 ? <Badge tone="warn">None</Badge> : formatNumber(administrators),
  },
  {
    id: 'members',
    header: 'Active users',
    align: 'end',
    width: 110,
    small: 'aside',
    cell: ({ members }) => formatNumber(members),
  },
  {
    id: 'storage',
    header: 'Files',
    align: 'end',
    width: 150,
    cell: (site) =>
      site.storageLimitBytes !== null && site.storageUsedBytes >= site.storageLimitBytes * NEARLY_FULL ? (
        <Badge tone="warn">{formatStorage(site)}</Badge>
      ) : (
        formatStorage(site)
      ),
  },
  {
    id: 'created',
    header: 'Created',
    width: 120,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
];

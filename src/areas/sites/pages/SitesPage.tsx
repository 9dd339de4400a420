import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import type { PlatformSite } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listPlatformSitesOptions } from '../../../api/generated/queries/platform.gen.ts';
import { useSession } from '../../../api/session.ts';
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
      title="Sites"
      meta={
        data &&
        `${pluralize(data.length, 'site', 'sites')} · ${pluralize(
          data.reduce((sum, { members }) => sum + members, 0),
          'active user',
          'active users',
        )}`
      }
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

/** Number of active users; of the viewer's own site it leads to them. */
function Members({ siteId, members, tabIndex }: { siteId: number; members: number; tabIndex: 0 | -1 }) {
  const { site } = useSession();
  if (site.id !== siteId) return formatNumber(members);
  return (
    <Link to="/users" search={{ status: 'active' }} tabIndex={tabIndex}>
      {formatNumber(members)}
      <span className="visually-hidden"> active users</span>
    </Link>
  );
}

/** Share of the limit from which the storage of a site is marked. */
const NEARLY_FULL = 0.9;

/** Columns of the list of sites. */
const COLUMNS: readonly Column<PlatformSite>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 150,
    cell: ({ id, name }, { tabIndex }) => (
      <Link to="/sites/$siteId" params={{ siteId: id }} tabIndex={tabIndex} title={name}>
        {name}
      </Link>
    ),
  },
  { id: 'slug', header: 'Short name', width: 96, small: 'line', cell: ({ slug }) => slug },
  {
    id: 'identity',
    header: 'Sign-in method',
    width: 132,
    cell: ({ identityMode }) =>
      identityMode === 'password' ? 'Password' : <Badge tone="accent">Identity manager</Badge>,
  },
  {
    id: 'domain',
    header: 'Dedicated domain',
    minWidth: 140,
    cell: ({ dedicatedDomain }) => dedicatedDomain,
  },
  {
    id: 'administrators',
    header: 'Administrators',
    align: 'end',
    width: 122,
    cell: ({ administrators }) =>
      administrators === 0 ? <Badge tone="warn">None</Badge> : formatNumber(administrators),
  },
  {
    id: 'members',
    header: 'Active users',
    align: 'end',
    width: 110,
    small: 'aside',
    cell: ({ id, members }, { tabIndex }) => <Members {...{ siteId: id, members, tabIndex }} />,
  },
  {
    id: 'storage',
    header: 'Files',
    align: 'end',
    width: 144,
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
    width: 110,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
];

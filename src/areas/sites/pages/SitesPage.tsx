import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import type { PlatformSite } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { listPlatformSitesOptions } from '../../../api/generated/queries/platform.gen.ts';
import { useSession } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { pluralize, formatNumber } from '../../../lib/numbers.ts';
import { formatStorage } from '../../../lib/sizes.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Tile } from '../../../ui/layout/Tile.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import './sites.css';

const getSiteId = ({ id }: PlatformSite) => id;
const getSiteName = ({ name }: PlatformSite) => name;

/** List of the sites of the platform. */
export function SitesPage() {
  const query = useQuery(listPlatformSitesOptions());
  const { data, error, refetch, isRefetching } = query;
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
      <ListTable
        table="sites"
        label="Sites"
        columns={COLUMNS}
        rows={data}
        twoLines
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
        footer={<QueryAge query={query} />}
      />
      <Outlet />
    </Page>
  );
}

/** Number of active users; it leads to them on the viewer's own site, otherwise to the site. */
function Members({ siteId, members, tabIndex }: { siteId: number; members: number; tabIndex: 0 | -1 }) {
  const { site } = useSession();
  if (site.id !== siteId)
    return (
      <Link to="/sites/$siteId" params={{ siteId }} tabIndex={tabIndex}>
        {formatNumber(members)}
        <span className="visually-hidden"> active users</span>
      </Link>
    );
  return (
    <Link to="/users" search={{ status: 'active' }} tabIndex={tabIndex}>
      {formatNumber(members)}
      <span className="visually-hidden"> active users</span>
    </Link>
  );
}

/** Number of those who manage users and groups; on the viewer's own site it leads to the groups that make users administrators. */
export function Administrators({
  siteId,
  count,
  tabIndex = 0,
}: {
  siteId: number;
  count: number;
  tabIndex?: 0 | -1;
}) {
  const { site } = useSession();
  const text = `${pluralize(count, 'manages', 'manage')} users and groups`;
  if (site.id !== siteId) return text;
  return (
    <Link to="/groups" search={{ q: 'Manage Groups' }} tabIndex={tabIndex}>
      {text}
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
    minWidth: 190,
    cell: ({ id, name, slug }, { tabIndex }) => (
      <span className="sites-name">
        <Tile icon={Building2} tone="accent" />
        <span className="tbl-lines">
          <Link to="/sites/$siteId" params={{ siteId: id }} tabIndex={tabIndex} title={name}>
            {name}
          </Link>
          <small className="mono">{slug}</small>
        </span>
      </span>
    ),
  },
  {
    id: 'identity',
    header: 'Sign-in',
    minWidth: 160,
    small: 'line',
    cell: ({ identityMode, dedicatedDomain }) => (
      <span className="tbl-lines">
        <span>{identityMode === 'password' ? 'Password' : 'Identity manager'}</span>
        {dedicatedDomain !== null && <small title={dedicatedDomain}>{dedicatedDomain}</small>}
      </span>
    ),
  },
  {
    id: 'members',
    header: 'Active users',
    align: 'end',
    width: 210,
    small: 'aside',
    cell: ({ id, members, administrators }, { tabIndex }) => (
      <span className="tbl-lines">
        <strong>
          <Members {...{ siteId: id, members, tabIndex }} />
        </strong>
        {administrators === 0 ? (
          <Badge tone="warn">No administrator</Badge>
        ) : (
          <small className="sites-administrators">
            <Administrators siteId={id} count={administrators} tabIndex={tabIndex} />
          </small>
        )}
      </span>
    ),
  },
  {
    id: 'storage',
    header: 'Files',
    width: 176,
    cell: (site) => {
      const { storageUsedBytes: used, storageLimitBytes: limit } = site;
      const share = limit === null || limit === 0 ? undefined : Math.min(1, used / limit);
      return (
        <span className="tbl-lines sites-storage">
          {share !== undefined && share >= NEARLY_FULL ? (
            <Badge tone="warn">{formatStorage(site)}</Badge>
          ) : (
            <span className="num">{formatStorage(site)}</span>
          )}
          {share !== undefined && (
            <span className="sites-meter" aria-hidden>
              <span style={{ width: `${100 * share}%` }} />
            </span>
          )}
        </span>
      );
    },
  },
  {
    id: 'created',
    header: 'Created',
    width: 116,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
];

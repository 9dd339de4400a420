import { useQuery } from '@tanstack/react-query';
import { Link, Outlet } from '@tanstack/react-router';
import { Building2, Plus } from 'lucide-react';
import { toServiceError } from '../../../api/errors.ts';
import { listPlatformSitesOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { PlatformSite } from '../../../api/generated/types.gen.ts';
import { counted } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { COLUMNS } from './-columns.tsx';

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

import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { FolderSearch, Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { useMemo } from 'react';
import type { InvestigationInfo } from '../../../../contract/generated/types.gen.ts';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { listInvestigationsInfiniteOptions } from '../../../api/generated/queries/activity.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { toView } from '../model/report-query.ts';
import { serializeActivityView } from '../model/view.ts';
import { useDeleteInvestigation } from './use-delete-investigation.ts';
import './investigations.css';

const PAGE_SIZE = 100;

const COLUMNS: readonly Column<InvestigationInfo>[] = [
  {
    id: 'name',
    header: 'Name',
    minWidth: 260,
    cell: ({ id, name }, { tabIndex }) => (
      <Link
        to="/activity/investigations/$investigationId"
        params={{ investigationId: id }}
        tabIndex={tabIndex}
        title={name}
      >
        {name}
      </Link>
    ),
  },
  {
    id: 'notes',
    header: 'Notes',
    minWidth: 200,
    cell: ({ notes }) => <span className="inv-soft">{notes}</span>,
  },
  {
    id: 'rows',
    header: 'Saved rows',
    align: 'end',
    width: 110,
    small: 'line',
    cell: ({ frozenRows }) => formatNumber(frozenRows),
  },
  {
    id: 'by',
    header: 'Saved by',
    width: 170,
    small: 'line',
    cell: ({ createdBy, createdByName }) => createdByName ?? `User ${createdBy}`,
  },
  {
    id: 'date',
    header: 'Saved',
    align: 'end',
    width: 120,
    small: 'aside',
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
];
const getInvestigationId = ({ id }: InvestigationInfo) => id;
const getInvestigationName = ({ name }: InvestigationInfo) => name;

/** List of the investigations of the site. */
export function InvestigationsPage() {
  const { allowed, reason } = usePermission('listInvestigations');
  if (!allowed) throw new ServiceError(403, reason);
  return <Investigations />;
}

function Investigations() {
  const query = useInfiniteQuery({
    ...listInvestigationsInfiniteOptions({ query: { pageSize: PAGE_SIZE } }),
    initialPageParam: 1,
    // A page with fewer rows than requested is the last one (shapes 1).
    getNextPageParam: (page, pages) => (page.length < PAGE_SIZE ? undefined : pages.length + 1),
  });
  const { data, error, isRefetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } = query;
  const rowMenu = useRowMenu();
  // An investigation that was saved between two requests shifts another one into both pages.
  const rows = useMemo(
    () => data && [...new Map(data.pages.flat().map((info) => [info.id, info])).values()],
    [data],
  );
  return (
    <Page
      fill
      breadcrumbs={<Breadcrumbs />}
      title="Investigations"
      meta={
        rows && (
          <>
            {hasNextPage
              ? `Newest ${formatNumber(rows.length)} saved investigations`
              : pluralize(rows.length, 'saved investigation', 'saved investigations')}{' '}
            · <QueryAge query={query} />
          </>
        )
      }
      actions={
        <Link to="/activity" className={buttonClass()}>
          Open report
        </Link>
      }
    >
      <ListTable
        table="investigations"
        label="Investigations"
        columns={COLUMNS}
        rows={rows}
        rowId={getInvestigationId}
        rowLabel={getInvestigationName}
        rowMenu={rowMenu}
        error={error === null ? undefined : toServiceError(error)}
        refetching={isRefetching && error !== null}
        onRetry={() => void refetch()}
        empty={
          <EmptyState
            icon={FolderSearch}
            title="No investigations yet"
            actions={
              <Link to="/activity" className={buttonClass({ variant: 'primary' })}>
                Open report
              </Link>
            }
          >
            An investigation saves the filters of the report with a name, notes and the matching rows.
          </EmptyState>
        }
        footer={
          hasNextPage ? (
            <ShowMoreButton pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older
            </ShowMoreButton>
          ) : undefined
        }
      />
      <Outlet />
    </Page>
  );
}

function useRowMenu(): (row: InvestigationInfo) => MenuItems {
  const router = useRouter();
  const remove = useDeleteInvestigation();
  return (info) => {
    const params = { investigationId: info.id };
    return [
      {
        label: 'Open in report',
        hint: 'Shows the rows that match now',
        icon: SquareArrowOutUpRight,
        onSelect: () =>
          void router.navigate({ to: '/activity', search: serializeActivityView(toView(info.query)) }),
      },
      {
        label: 'Edit name and notes',
        icon: Pencil,
        onSelect: () =>
          void router.navigate({ to: '/activity/investigations/$investigationId/edit', params }),
      },
      'line',
      { label: 'Delete', icon: Trash2, danger: true, onSelect: () => void remove(info) },
    ];
  };
}

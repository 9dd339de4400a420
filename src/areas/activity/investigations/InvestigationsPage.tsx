import { useInfiniteQuery } from '@tanstack/react-query';
import { Link, Outlet, useRouter } from '@tanstack/react-router';
import { FolderSearch, Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { ServiceError, toServiceError } from '../../../api/errors.ts';
import { listInvestigationsInfiniteOptions } from '../../../api/generated/@tanstack/react-query.gen.ts';
import type { InvestigationInfo } from '../../../api/generated/types.gen.ts';
import { useAllowed } from '../../../api/session.ts';
import { count, counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { Button } from '../../../ui/button/Button.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { toView } from '../model/question.ts';
import { useDeleteInvestigation } from './use-delete-investigation.ts';
import { writeView } from '../model/view.ts';
import './investigations.css';

const PAGE = 100;

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
    header: 'Rows kept',
    align: 'end',
    width: 110,
    small: 'line',
    cell: ({ frozenRows }) => count(frozenRows),
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
    cell: ({ createdDate }, { tabIndex }) => <Moment at={createdDate} tabIndex={tabIndex} />,
  },
];
const idOf = ({ id }: InvestigationInfo) => id;
const nameOf = ({ name }: InvestigationInfo) => name;

/** Every investigation that was saved on this site. */
export function InvestigationsPage() {
  const { allowed, reason } = useAllowed('listInvestigations');
  if (!allowed) throw new ServiceError(403, reason);
  return <Investigations />;
}

function Investigations() {
  const { data, error, isRefetching, isFetchingNextPage, hasNextPage, fetchNextPage, refetch } =
    useInfiniteQuery({
      ...listInvestigationsInfiniteOptions({ query: { pageSize: PAGE } }),
      initialPageParam: 1,
      // A page that is not full is the last one (shapes 1).
      getNextPageParam: (page, pages) => (page.length < PAGE ? undefined : pages.length + 1),
    });
  const rowMenu = useRowMenu();
  const rows = data?.pages.flat();
  return (
    <Page
      fill
      breadcrumbs={<Trail />}
      title="Investigations"
      meta={rows && counted(rows.length, 'saved investigation', 'saved investigations')}
      actions={
        <Link to="/activity" className={buttonClass()}>
          Open the report
        </Link>
      }
    >
      <DataTable
        label="Investigations"
        columns={COLUMNS}
        rows={rows}
        rowId={idOf}
        rowLabel={nameOf}
        rowMenu={rowMenu}
        error={error === null ? undefined : toServiceError(error)}
        refetching={isRefetching && error !== null}
        onRetry={() => void refetch()}
        empty={
          <EmptyState
            icon={FolderSearch}
            title="No investigation is saved yet"
            actions={
              <Link to="/activity" className={buttonClass({ variant: 'primary' })}>
                Open the report
              </Link>
            }
          >
            An investigation keeps the filters of the report under a name, with notes and the rows that
            matched.
          </EmptyState>
        }
        footer={
          hasNextPage ? (
            <Button size="small" pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
              Show older
            </Button>
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
        label: 'Open in the report',
        hint: 'With its filters, as it is now',
        icon: SquareArrowOutUpRight,
        onSelect: () => void router.navigate({ to: '/activity', search: writeView(toView(info.query)) }),
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

import { useSuspenseQuery } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useRouter } from '@tanstack/react-router';
import { Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { exactDate } from '../../../lib/dates.ts';
import { counted } from '../../../lib/numbers.ts';
import { Trail } from '../../../shell/Trail.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { AddedSince } from './-AddedSince.tsx';
import { COLUMNS } from './-columns.tsx';
import { InvestigationFacts } from './-InvestigationFacts.tsx';
import { investigationQuery } from './-investigations.ts';
import { toView } from './-question.ts';
import { activityId, rowLabel } from './-row.ts';
import { useDeleteInvestigation } from './-use-delete-investigation.ts';
import { writeView } from './-view.ts';
import './-investigations.css';

const route = getRouteApi('/_app/activity/investigations/$investigationId');

const ROWS = [
  { value: 'frozen', label: 'Rows as they were' },
  { value: 'added', label: 'Added since' },
] as const;

/** A saved investigation: what was asked, the rows as they were then, and what came since. */
export function InvestigationPage() {
  const router = useRouter();
  const { investigationId } = route.useParams();
  const { rows: which = 'frozen' } = route.useSearch();
  const {
    data: { info, rows },
  } = useSuspenseQuery(investigationQuery(investigationId));
  const remove = useDeleteInvestigation(() =>
    router.navigate({ to: '/activity/investigations', ignoreBlocker: true }),
  );
  const to = '/activity/investigations/$investigationId';
  return (
    <Page
      breadcrumbs={<Trail />}
      title={info.name}
      meta={`As of ${exactDate(info.createdDate)} · ${counted(info.frozenRows, 'row', 'rows')} kept`}
      actions={
        <>
          <Link to="/activity" search={writeView(toView(info.query))} className={buttonClass()}>
            <SquareArrowOutUpRight />
            Open in the report
          </Link>
          <MenuButton
            label={`Actions for ${info.name}`}
            variant="default"
            items={[
              {
                label: 'Edit name and notes',
                icon: Pencil,
                onSelect: () => void router.navigate({ to: `${to}/edit`, params: { investigationId } }),
              },
              'line',
              { label: 'Delete', icon: Trash2, danger: true, onSelect: () => void remove(info) },
            ]}
          />
        </>
      }
    >
      <InvestigationFacts info={info} />
      <div className="inv-choice">
        <Choice
          label="Rows"
          options={ROWS}
          value={which}
          onChange={(next) =>
            void router.navigate({
              to,
              params: { investigationId },
              search: next === 'added' ? { rows: next } : {},
              resetScroll: false,
            })
          }
        />
      </div>
      {which === 'added' ? (
        <AddedSince {...{ info, rows }} />
      ) : (
        <DataTable
          label="Rows as they were"
          columns={COLUMNS}
          rows={rows}
          rowId={activityId}
          rowLabel={rowLabel}
          empty={
            <EmptyState title="No row matched">
              Nothing was kept when this investigation was saved.
            </EmptyState>
          }
        />
      )}
      <Outlet />
    </Page>
  );
}

import { useSuspenseQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi, Link, Outlet, useRouter } from '@tanstack/react-router';
import { Pencil, SquareArrowOutUpRight, Trash2 } from 'lucide-react';
import { useState, useMemo } from 'react';
import { exactDate, clockTime } from '../../../lib/dates.ts';
import { counted, count } from '../../../lib/numbers.ts';
import { Trail } from '../../../ui/layout/Trail.tsx';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { Choice } from '../../../ui/chart/Choice.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { COLUMNS } from '../pages/columns.tsx';
import { investigationQuery, comparisonQuery } from './investigations.ts';
import { toView } from '../model/question.ts';
import { activityId, rowLabel } from '../model/row.ts';
import { useDeleteInvestigation } from './use-delete-investigation.ts';
import { writeView } from '../model/view.ts';
import { toServiceError } from '../../../api/errors.ts';
import type { InvestigationVm, InvestigationInfo } from '../../../api/generated/types.gen.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { serverNow } from '../model/clock.ts';
import type { Comparison } from './investigations.ts';
import { CopyButton } from '../../../ui/button/CopyButton.tsx';
import { Card } from '../../../ui/layout/Card.tsx';
import { Fact, Facts } from '../../../ui/layout/Facts.tsx';
import { periodWords } from '../model/moments.ts';
import { useNames } from '../pages/use-names.ts';
import { filterWords } from '../model/words.ts';
import './investigations.css';

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

function wordsFor({ added, ofNewest, beyond }: Comparison): string {
  return [
    `${counted(added.length, 'row matches', 'rows match')} now and did not then`,
    ...(ofNewest === undefined ? [] : [`the newest ${count(ofNewest)} were compared`]),
    ...(beyond === 0 ? [] : [`${counted(beyond, 'row', 'rows')} of then the report no longer reaches`]),
  ].join(' · ');
}

/** What matches an investigation now and did not when its rows were kept. */
function AddedSince({ info, rows }: InvestigationVm) {
  const client = useQueryClient();
  const [now, setNow] = useState(() => serverNow(client));
  const { data, error, isFetching, refetch } = useQuery(comparisonQuery(info, rows, now));
  return (
    <DataTable
      label="Added since"
      columns={COLUMNS}
      rows={data?.added}
      rowId={activityId}
      rowLabel={rowLabel}
      error={error === null ? undefined : toServiceError(error)}
      refetching={isFetching}
      onRetry={() => void refetch()}
      empty={
        <EmptyState title="Nothing was added">
          What matches now is what matched when the rows were kept
          {info.query.dateTo === undefined ? '.' : ': its period was over by then.'}
        </EmptyState>
      }
      footer={
        data && (
          <>
            <span>
              {wordsFor(data)} · as of {clockTime(now)}
            </span>
            <Button size="small" pending={isFetching} onClick={() => setNow(serverNow(client))}>
              Compare again
            </Button>
          </>
        )
      }
    />
  );
}

const SHORT_HASH = 16;

/** The period of an investigation, which ended when its rows were kept at the latest. */
function periodOf({ query: { dateFrom, dateTo }, createdDate }: InvestigationInfo): string {
  const end = Date.parse(dateTo ?? createdDate);
  return dateFrom === undefined
    ? `90 days until ${periodWords(end, end)}`
    : periodWords(Date.parse(dateFrom), end);
}

/** What was asked, by whom, and what shows that the rows are still those of then. */
function InvestigationFacts({ info }: { info: InvestigationInfo }) {
  const { createdBy, createdByName, totalRecords, frozenRows, notes, sha256 } = info;
  const view = useMemo(() => toView(info.query), [info.query]);
  const nameOf = useNames([...view.people, ...view.principals]);
  const words = filterWords(view, nameOf);
  return (
    <Card title="What was looked into">
      <Facts>
        <Fact label="Notes">
          {notes === '' ? <span className="inv-soft">None</span> : <p className="inv-notes">{notes}</p>}
        </Fact>
        <Fact label="Asked for">{words.length === 0 ? 'Everything' : words.join(' · ')}</Fact>
        <Fact label="Period">{periodOf(info)}</Fact>
        <Fact label="Saved">
          <span className="inv-by">
            {exactDate(info.createdDate)} by{' '}
            {createdByName === null ? (
              `user ${createdBy}, who has left`
            ) : (
              <Link to="/users/$userId" params={{ userId: createdBy }}>
                {createdByName}
              </Link>
            )}
          </span>
        </Fact>
        <Fact label="Rows">
          {frozenRows === totalRecords
            ? `All ${count(totalRecords)} that matched`
            : `The newest ${count(frozenRows)} of ${count(totalRecords)} that matched`}
        </Fact>
        <Fact label="Hash of the rows">
          <span className="mono" title={sha256}>
            SHA-256 {sha256.slice(0, SHORT_HASH)}…
          </span>{' '}
          <CopyButton value={sha256} label="Copy hash" />
        </Fact>
      </Facts>
    </Card>
  );
}

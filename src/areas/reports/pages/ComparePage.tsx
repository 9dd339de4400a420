import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { GitCompareArrows } from 'lucide-react';
import { useMemo } from 'react';
import type { ReportRun } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  compareReportRunsOptions,
  getReportRunOptions,
  listReportRunsOptions,
} from '../../../api/generated/queries/reports.gen.ts';
import { useSession } from '../../../api/session.ts';
import { formatMoment } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx';
import { SkeletonRows } from '../../../ui/feedback/Skeleton.tsx';
import { LabelledSelect } from '../../../ui/form/select/Select.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import type { Tone } from '../../../ui/layout/Badge.tsx';
import { Breadcrumbs } from '../../../ui/layout/Breadcrumbs.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { DataTable } from '../../../ui/table/DataTable.tsx';
import { findComparable, toDifferenceRows } from '../model/comparison.ts';
import type { DifferenceRow } from '../model/comparison.ts';
import '../reports.css';

const route = getRouteApi('/_app/reports/compare');

/** The moment that tells reports of a template apart. */
const formatRun = ({ dataDate, createdDate, filterText }: ReportRun): string =>
  `${formatMoment(dataDate ?? createdDate)}${typeof filterText === 'string' ? `, ${filterText}` : ''}`;

/** The difference between the values of two reports of a template. */
export function ComparePage() {
  const { run: runId, with: otherId } = route.useSearch();
  const navigate = route.useNavigate();
  const { user } = useSession();
  const chosen = useQuery({
    ...getReportRunOptions({ path: { runId } }),
    enabled: runId > 0,
  });
  const run = chosen.data;
  const comparable = useQuery(
    listReportRunsOptions({
      query: { owner: 'own', status: 'Ready', pageSize: 1000, ...(run && { templateId: run.templateId }) },
    }),
  );
  const others = run && comparable.data && findComparable(comparable.data, run, user.id);
  const failed = [chosen, comparable].find(({ data, error }) => data === undefined && error !== null);
  const isDeleted = chosen.error !== null && toServiceError(chosen.error).status === 404;
  const other = others?.find(({ runId: id }) => id === otherId) ?? others?.[0];
  return (
    <Page fill title="Compare reports" breadcrumbs={<Breadcrumbs />}>
      {failed && !isDeleted ? (
        <ErrorState title="The reports could not be loaded" onRetry={() => void failed.refetch()}>
          {toServiceError(failed.error).message}
        </ErrorState>
      ) : runId <= 0 || isDeleted || others?.length === 0 ? (
        <EmptyState
          icon={GitCompareArrows}
          title="Nothing to compare"
          actions={<Link to="/reports/runs">Show the reports</Link>}
        >
          {isDeleted
            ? 'This report was deleted.'
            : runId > 0
              ? 'There is no other report of this template whose file is kept.'
              : 'Choose Compare at one of the reports.'}
        </EmptyState>
      ) : run && others && other ? (
        <>
          <div className="rep-bar">
            <span>
              {run.templateName}, data of {formatRun(run)}
            </span>
            <LabelledSelect
              label="Compare with"
              className="rep-compared"
              value={other.runId}
              options={others.map((one) => ({ value: one.runId, label: formatRun(one) }))}
              onChange={(id) => void navigate({ search: { run: runId, with: id }, replace: true })}
            />
          </div>
          <Difference runs={[run, other]} />
        </>
      ) : (
        <SkeletonRows rows={5} />
      )}
    </Page>
  );
}

/** What changed from the earlier to the later of two reports. */
function Difference({ runs }: { runs: readonly [ReportRun, ReportRun] }) {
  const [before, after] = runs[0].runId < runs[1].runId ? runs : [runs[1], runs[0]];
  const { data, error, refetch } = useQuery(
    compareReportRunsOptions({ path: { runId: before.runId }, query: { with: after.runId } }),
  );
  const rows = useMemo(() => data && toDifferenceRows(data), [data]);
  const counts = data?.counts;
  return (
    <>
      {counts && (
        <output className="rep-counts">
          {pluralize(counts.changed, 'entry', 'entries')} changed, {formatNumber(counts.added)} added,{' '}
          {formatNumber(counts.removed)} removed, {formatNumber(counts.unchanged)} unchanged.
          {data.isTruncated && ' The first 1,000 of each are listed.'}
        </output>
      )}
      <DataTable
        label="Differences"
        columns={COLUMNS}
        rows={rows}
        rowId={getId}
        rowLabel={getName}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        empty={
          <EmptyState icon={GitCompareArrows} title="No differences">
            Both reports have the same entries with the same values.
          </EmptyState>
        }
      />
    </>
  );
}

const getId = ({ id }: DifferenceRow) => id;
const getName = ({ name, path }: DifferenceRow) => `${name} ${path}`.trim();
const KINDS: Record<DifferenceRow['kind'], { label: string; tone: Tone }> = {
  changed: { label: 'Changed', tone: 'info' },
  added: { label: 'Added', tone: 'ok' },
  removed: { label: 'Removed', tone: 'warn' },
};

const COLUMNS: readonly Column<DifferenceRow>[] = [
  {
    id: 'entry',
    header: 'Entry',
    minWidth: 160,
    cell: ({ name, entryId }) => <bdi>{name === '' ? `Entry ${entryId}` : name}</bdi>,
  },
  {
    id: 'kind',
    header: 'Difference',
    width: 112,
    small: 'aside',
    cell: ({ kind }) => <Badge tone={KINDS[kind].tone}>{KINDS[kind].label}</Badge>,
  },
  { id: 'path', header: 'Field', minWidth: 130, cell: ({ path }) => path },
  {
    id: 'before',
    header: 'Earlier',
    minWidth: 160,
    cell: ({ before }) => <bdi title={before}>{before}</bdi>,
  },
  {
    id: 'after',
    header: 'Later',
    minWidth: 160,
    small: 'line',
    cell: ({ after }) => <bdi title={after}>{after}</bdi>,
  },
];

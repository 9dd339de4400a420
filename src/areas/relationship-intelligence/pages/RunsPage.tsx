import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { Inbox } from 'lucide-react';
import type { ImportRun, ImportRunResults } from '../../../../contract/generated/types.gen.ts';
import { formatCsv } from '../../../../contract/rules/tables/csv.ts';
import { toServiceError } from '../../../api/errors.ts';
import {
  getImportRunOptions,
  listImportRunsOptions,
} from '../../../api/generated/queries/relationship-intelligence.gen.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { usePeopleById } from '../../../directory/directory.ts';
import { saveFile } from '../../../files/download.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Panel } from '../../../ui/dialog/Panel.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { FailureBanner } from '../../../ui/feedback/FailureBanner.tsx';
import { Skeleton } from '../../../ui/feedback/Skeleton.tsx';
import { SegmentedControl } from '../../../ui/form/SegmentedControl.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { CountsBar } from './CountsBar.tsx';
import { WARNING_TEXTS } from './warnings.ts';
import './imports.css';

const route = getRouteApi('/_app/imports/runs');

const KINDS = [
  { value: 'all', label: 'All' },
  { value: 'emails', label: 'E-mails' },
  { value: 'meetings', label: 'Meetings' },
] as const;

const PAGE_SIZE = 50;
const REFRESH_MS = 10_000;

const getKindName = ({ kind }: Pick<ImportRun, 'kind'>): string =>
  kind === 'emails' ? 'E-mails' : 'Meetings';

interface RunRow extends ImportRun {
  onOpen: (runId: number) => void;
}

const COLUMNS: readonly Column<RunRow>[] = [
  {
    id: 'run',
    header: 'Run',
    width: 150,
    cell: (run, { tabIndex }) => (
      <Button size="small" variant="quiet" tabIndex={tabIndex} onClick={() => run.onOpen(run.id)}>
        {getKindName(run)} {run.id}
      </Button>
    ),
  },
  {
    id: 'when',
    header: 'When',
    width: 116,
    small: 'aside',
    cell: ({ startedDate }, { tabIndex }) => <Timestamp at={startedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'outcome',
    header: 'Outcome',
    minWidth: 430,
    small: 'line',
    cell: ({ refusal, counts }) =>
      refusal === null ? <CountsBar counts={counts} /> : <span className="ri-bad">{refusal}</span>,
  },
  {
    id: 'users',
    header: 'People',
    width: 76,
    align: 'end',
    cell: ({ userCount }) => formatNumber(userCount),
  },
  {
    id: 'by',
    header: 'By',
    width: 170,
    cell: ({ callerName, callerId }) => callerName ?? `User ${callerId}`,
  },
  {
    id: 'note',
    header: 'Note',
    width: 130,
    cell: ({ isDryRun, jobId, refusal }, { tabIndex }) => {
      if (isDryRun) return <Badge tone="info">Dry run</Badge>;
      if (refusal !== null) return <Badge tone="bad">Refused</Badge>;
      return jobId === null ? null : (
        <Link to="/jobs/$jobId" params={{ jobId }} tabIndex={tabIndex}>
          Job {jobId}
        </Link>
      );
    },
  },
];

/** Imports of the last 90 days with their counts. */
export function RunsPage() {
  const { kind = 'all', page = 1, run: opened } = route.useSearch();
  const navigate = route.useNavigate();
  const setKind = (next: typeof kind) => void navigate({ search: next === 'all' ? {} : { kind: next } });
  const setPage = (next: number) =>
    void navigate({ search: ({ page: _page, ...list }) => (next === 1 ? list : { ...list, page: next }) });
  const setOpened = (run: number | undefined) =>
    void navigate({ search: ({ run: _closed, ...list }) => (run === undefined ? list : { ...list, run }) });
  const query = useQuery({
    ...listImportRunsOptions({
      query: { pageNumber: page, pageSize: PAGE_SIZE, ...(kind !== 'all' && { kind }) },
    }),
    staleTime: 0,
    refetchInterval: REFRESH_MS,
    placeholderData: keepPreviousData,
  });
  const { data, error, isFetching, refetch } = query;
  return (
    <>
      <ListTable
        table="importRuns"
        tools={<QueryAge query={query} />}
        filters={<SegmentedControl label="Kind" options={KINDS} value={kind} onChange={setKind} />}
        label="Runs"
        columns={COLUMNS}
        rows={data?.map((run) => ({ ...run, onOpen: setOpened }))}
        rowId={({ id }) => id}
        rowLabel={(run) => `${getKindName(run)} ${run.id}`}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        refetching={isFetching && data === undefined}
        empty={
          <EmptyState icon={Inbox} title="No imports yet">
            Each request that programs or people send in the last 90 days is shown here with its counts.
          </EmptyState>
        }
        onClearFilters={kind === 'all' ? undefined : () => setKind('all')}
        footer={
          data && (page > 1 || data.length === PAGE_SIZE) ? (
            <Pages page={page} isLast={data.length < PAGE_SIZE} onPage={setPage} />
          ) : undefined
        }
      />
      {opened !== undefined && <RunPanel runId={opened} onClose={() => setOpened(undefined)} />}
    </>
  );
}

/** Footer of a list whose total is known; undefined on the only page. */
export const renderPages = (
  page: number,
  pageSize: number,
  totalCount: number | undefined,
  onPage: (page: number) => void,
) =>
  totalCount !== undefined && (page > 1 || totalCount > pageSize) ? (
    <Pages page={page} isLast={page * pageSize >= totalCount} onPage={onPage} />
  ) : undefined;

/** Buttons between pages. */
function Pages({ page, isLast, onPage }: { page: number; isLast: boolean; onPage: (page: number) => void }) {
  return (
    <span className="ri-pages">
      <Button
        size="small"
        disabledReason={page === 1 ? 'This is the first page' : undefined}
        onClick={() => onPage(page - 1)}
      >
        Previous
      </Button>
      <span className="num">Page {formatNumber(page)}</span>
      <Button
        size="small"
        disabledReason={isLast ? 'This is the last page' : undefined}
        onClick={() => onPage(page + 1)}
      >
        Next
      </Button>
    </span>
  );
}

/** Rows of users that a run without problems does not need to show one by one. */
const MAX_USERS = 200;

function RunPanel({ runId, onClose }: { runId: number; onClose: () => void }) {
  const { data, error } = useQuery(getImportRunOptions({ path: { runId } }));
  return (
    <Panel title={data ? `${getKindName(data.run)} ${runId}` : `Run ${runId}`} onClose={onClose}>
      <div className="ri-panel">
        {error && <FailureBanner failure={toServiceError(error)} />}
        {!data && !error && <Skeleton width="60%" />}
        {data && <RunDetails data={data} />}
      </div>
    </Panel>
  );
}

function RunDetails({ data: { run, results } }: { data: ImportRunResults }) {
  const people = usePeopleById(results.map(({ userId }) => userId));
  const failed = results.filter(({ warnings }) => warnings.length > 0);
  return (
    <>
      {run.refusal === null ? <CountsBar counts={run.counts} /> : <p className="ri-bad">{run.refusal}</p>}
      {run.warnings.length > 0 && (
        <ul className="ri-warnings">
          {run.warnings.map(({ code, count }) => (
            <li key={code}>
              <b className="num">{formatNumber(count)}</b> {WARNING_TEXTS[code]}
            </li>
          ))}
        </ul>
      )}
      {failed.length > 0 && (
        <Button onClick={() => saveWarnings(run.id, results)}>
          Warnings of {pluralize(failed.length, 'person', 'people')} as a file
        </Button>
      )}
      <ul className="ri-results">
        {results.slice(0, MAX_USERS).map(({ userId, statusText, status, operationStats }) => (
          <li key={userId}>
            <span>
              <b>{people.get(userId)?.name ?? `User ${userId}`}</b>
              {status !== 1 && <Badge tone={status === 2 ? 'bad' : 'warn'}>{statusText}</Badge>}
            </span>
            <CountsBar counts={operationStats} />
          </li>
        ))}
      </ul>
      {results.length > MAX_USERS && <p className="ri-note">And {results.length - MAX_USERS} more people.</p>}
    </>
  );
}

function saveWarnings(runId: number, results: ImportRunResults['results']): void {
  const rows = results.flatMap(({ userId, warnings }) =>
    warnings.map(({ code, message, uniqueId = '', count = 1 }) => [userId, code, uniqueId, count, message]),
  );
  saveFile(
    `import-${runId}-warnings.csv`,
    formatCsv([['User id', 'Code', 'Item', 'Count', 'Message'], ...rows]),
  );
}

import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useRouter } from '@tanstack/react-router';
import { Eye, FileText, GitCompareArrows, RefreshCw, X } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import type { ReportRun, Session } from '../../../../contract/generated/types.gen.ts';
import { toServiceError } from '../../../api/errors.ts';
import { getReportRunOptions, listReportRunsQueryKey } from '../../../api/generated/queries/reports.gen.ts';
import { cancelReportRun, getReportRun, listReportRuns } from '../../../api/generated/sdk/reports.gen.ts';
import { formatMissingCapabilities, useSession } from '../../../api/session.ts';
import { useWrite } from '../../../api/write.ts';
import { QueryAge } from '../../../app/freshness/DataAge.tsx';
import { ListTable } from '../../../app/views/ListTable.tsx';
import { saveFile } from '../../../files/download.ts';
import { formatExactDate } from '../../../lib/dates/dates.ts';
import { formatNumber, pluralize } from '../../../lib/numbers.ts';
import { formatPercent } from '../../../lib/percentages.ts';
import { formatSize } from '../../../lib/sizes.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { ShowMoreButton } from '../../../ui/button/ShowMoreButton.tsx';
import { confirm } from '../../../ui/dialog/confirm.ts';
import { Banner } from '../../../ui/feedback/Banner.tsx';
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Card, CardBody } from '../../../ui/layout/Card.tsx';
import { Page } from '../../../ui/layout/Page.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import { lazyWithPreload } from '../../../ui/lazy.tsx';
import type { MenuItems } from '../../../ui/menu/menu-items.ts';
import { createBlobSource } from '../../../ui/pdf/blob-source.ts';
import type { PdfSource } from '../../../ui/pdf/pdf-document.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { isRunning, loadReport, RUN_LABELS, saveReport, showFailure } from '../model/reports.ts';
import { formatSelection } from '../model/selection.ts';
import type { ReportSelection } from '../model/selection.ts';
import { OwnerToggle, useOwnerFilter } from './OwnerFilter.tsx';
import { ReportTabs } from './ReportTabs.tsx';
import '../reports.css';

const route = getRouteApi('/_app/reports/runs');
const PdfDialog = lazyWithPreload(() => import('../../../ui/pdf/PdfDialog.tsx'));

const getId = ({ runId }: ReportRun) => String(runId);
const getTitle = ({ templateName }: ReportRun) => templateName;
/** Running reports change without a message from the service. */
const REFRESH_INTERVAL_MS = 2000;
const PAGE_SIZE = 100;

/** Generated reports, newest first: the pages read so far. */
function useRunPages(owner: 'all' | 'own') {
  const query = useInfiniteQuery({
    queryKey: [{ ...listReportRunsQueryKey({ query: { owner } })[0], pages: true }],
    queryFn: async ({ pageParam, signal }) =>
      (await listReportRuns({ signal, query: { owner, pageNumber: pageParam, pageSize: PAGE_SIZE } })).data,
    initialPageParam: 1,
    getNextPageParam: (last, pages) => (last.length < PAGE_SIZE ? undefined : pages.length + 1),
    refetchInterval: ({ state }) =>
      state.data?.pages.some((runs) => runs.some(isRunning)) === true ? REFRESH_INTERVAL_MS : false,
  });
  const { data } = query;
  // A report that was started between two requests shifts another one into both pages.
  const rows = useMemo(
    () => data && [...new Map(data.pages.flat().map((run) => [run.runId, run])).values()],
    [data],
  );
  return { ...query, rows };
}

/** Generated reports, newest first: the user's own, or those of everyone for those who may see them. */
export function RunsPage() {
  const session = useSession();
  const { everyone, run: linkedId } = route.useSearch();
  const navigate = route.useNavigate();
  const { owner, mayListAll } = useOwnerFilter(everyone);
  const query = useRunPages(owner);
  const { rows, error, refetch, isRefetching, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const { menu, shown, close, show } = useRunMenu();
  const isShared = rows?.some(({ requestedBy }) => requestedBy !== session.user.id) === true;
  return (
    <Page
      fill
      title="Reports"
      meta={
        rows &&
        rows.length > 0 &&
        (hasNextPage
          ? `Newest ${formatNumber(rows.length)} generated reports`
          : pluralize(rows.length, 'generated report', 'generated reports'))
      }
    >
      <ReportTabs />
      {linkedId !== undefined && <LinkedRun runId={linkedId} onShow={(run) => void show(run)} />}
      <ListTable
        table="reportRuns"
        filters={mayListAll && <OwnerToggle owner={owner} onChange={(search) => void navigate({ search })} />}
        label="Generated reports"
        columns={COLUMNS}
        hidden={owner === 'all' || isShared ? NO_COLUMNS : OWN_HIDDEN}
        rows={rows}
        rowId={getId}
        rowLabel={getTitle}
        rowMenu={menu}
        error={error === null ? undefined : toServiceError(error)}
        onRetry={() => void refetch()}
        tools={<QueryAge query={query} />}
        footer={
          <>
            <span>
              Files are kept for 30 days, and those of the last 100 reports of the site. Each download is
              recorded.
            </span>
            {hasNextPage && (
              <ShowMoreButton pending={isFetchingNextPage} onClick={() => void fetchNextPage()}>
                Show older reports
              </ShowMoreButton>
            )}
          </>
        }
        refetching={isRefetching && error !== null}
        empty={
          <EmptyState
            icon={FileText}
            title="No reports yet"
            actions={<Link to="/reports">Show the templates</Link>}
          >
            Reports are generated from a template, or from the list of entries.
          </EmptyState>
        }
      />
      {shown && (
        <Suspense>
          <PdfDialog
            source={shown.pdf}
            onDownload={() => saveFile(shown.pdf.name, shown.blob)}
            onClose={close}
          />
        </Suspense>
      )}
    </Page>
  );
}

const NO_COLUMNS: readonly string[] = [];
const OWN_HIDDEN = ['person'];

/** Actions of a report, and the PDF file that is shown. */
function useRunMenu() {
  const router = useRouter();
  const session = useSession();
  const { user } = session;
  const [shown, setShown] = useState<{ pdf: PdfSource; blob: Blob }>();
  const cancel = useWrite('cancelReportRun', {
    mutationFn: (runId: number) => cancelReportRun({ path: { runId } }),
  });
  const show = async (run: ReportRun) => {
    try {
      const blob = await loadReport(run.runId);
      setShown({ pdf: createBlobSource(run.fileName ?? `${run.templateName}.pdf`, blob), blob });
    } catch (thrown) {
      showFailure('The report could not be opened', thrown);
    }
  };
  const repeat = async (run: ReportRun) => {
    try {
      const { data } = await getReportRun({ path: { runId: run.runId } });
      await router.navigate({ to: '/reports/generate', search: formatSelection(toSelection(data)) });
    } catch (thrown) {
      showFailure('The report could not be read', thrown);
    }
  };
  const askCancel = (run: ReportRun) =>
    confirm({
      title: `Cancel ${run.templateName}?`,
      body: 'Nothing of the report is kept.',
      action: 'Cancel report',
      cancel: 'Keep generating',
      danger: true,
      run: () => cancel.mutateAsync(run.runId),
    });
  const menu = (run: ReportRun): MenuItems => [
    {
      label: 'Show',
      icon: Eye,
      disabledReason: getShowRefusal(run, user.id),
      onSelect: () => void show(run),
    },
    {
      label: 'Compare',
      hint: 'With another report of this template',
      icon: GitCompareArrows,
      disabledReason:
        run.requestedBy === user.id
          ? getFileRefusal(run, user.id)
          : 'Only the user who generated a report can compare it',
      onSelect: () => void router.navigate({ to: '/reports/compare', search: { run: run.runId } }),
    },
    {
      label: 'Generate again',
      hint: 'With other entries or another moment',
      icon: RefreshCw,
      onSelect: () => void repeat(run),
    },
    {
      label: 'Cancel',
      icon: X,
      disabledReason: getCancelRefusal(run, session),
      onSelect: () => void askCancel(run),
    },
  ];
  return { menu, shown, show, close: () => setShown(undefined) };
}

/** The report of a link in a mail. */
function LinkedRun({ runId, onShow }: { runId: number; onShow: (run: ReportRun) => void }) {
  const { user } = useSession();
  const { data: run, error } = useQuery(getReportRunOptions({ path: { runId } }));
  if (error !== null)
    return (
      <Banner tone="warn" title="This report cannot be shown">
        {toServiceError(error).message}
      </Banner>
    );
  if (!run) return null;
  const { templateName, entryCount, dataDate, requestedByName } = run;
  return (
    <Card title={templateName}>
      <CardBody>
        <div className="rep-bar">
          <span>
            {typeof entryCount === 'number' && `${pluralize(entryCount, 'entry', 'entries')}, `}
            {typeof dataDate === 'string' && `data of ${formatExactDate(dataDate)}, `}
            generated by {requestedByName ?? 'a former user'}
          </span>
          <span className="rep-actions">
            {run.format === 'pdf' && run.document !== 'zip' && (
              <Button size="small" disabledReason={getFileRefusal(run, user.id)} onClick={() => onShow(run)}>
                Show
              </Button>
            )}
            <DownloadButton run={run} />
          </span>
        </div>
      </CardBody>
    </Card>
  );
}

/** The selection of a report, to start with; only the template and its type for reports of others. */
function toSelection(run: ReportRun): Partial<ReportSelection> {
  const { templateId, filterText, request = {} } = run;
  // The template may be deleted, or be for another type since.
  const type = String(run.entryTypeId);
  const { entryIds = [], query, orderBy = '', asOf = '' } = request;
  // The text begins with the name of the type (GeneratePage).
  const [, filter = ''] = /^[^:]*: (.*)$/s.exec(filterText ?? '') ?? [];
  return typeof query === 'object' && entryIds.length === 0
    ? { type, templateId, query, orderBy, asOf, filter }
    : { type, templateId, ids: entryIds, asOf };
}

/** Why a report cannot be cancelled; undefined if it can. Its job is one of the jobs of others, which View Activity shows. */
function getCancelRefusal(run: ReportRun, { user, capabilities }: Session): string | undefined {
  if (!isRunning(run)) return 'The report has ended';
  if (run.requestedBy === user.id) return undefined;
  const missing = (['Manage Settings', 'View Activity'] as const).find((one) => !capabilities.includes(one));
  return missing && formatMissingCapabilities([missing]);
}

/** Why the file of a report cannot be read; undefined if it can. */
function getFileRefusal(run: ReportRun, userId: number): string | undefined {
  if (run.requestedBy !== userId && run.recipients?.some(({ id }) => id === userId) !== true)
    return 'Only the user who generated a report and its recipients can download it';
  if (run.isRemoved) return 'The file is no longer kept';
  return run.status === 'Ready' ? undefined : (describeState(run) ?? 'The report is not ready');
}

/** Why a report failed, or when it starts; undefined for others. */
function describeState({ status, message, notBefore }: ReportRun): string | undefined {
  if (typeof message === 'string') return message;
  return status === 'Queued' && typeof notBefore === 'string'
    ? `Starts ${formatExactDate(notBefore)}`
    : undefined;
}

/** Why a report cannot be shown in the viewer; undefined if it can. */
const getShowRefusal = (run: ReportRun, userId: number): string | undefined =>
  run.format !== 'pdf' || run.document === 'zip'
    ? 'Only PDF documents can be shown'
    : getFileRefusal(run, userId);

function DownloadButton({ run, tabIndex = 0 }: { run: ReportRun; tabIndex?: number }) {
  const { user } = useSession();
  const [pending, setPending] = useState(false);
  if (run.isRemoved) return <Badge>Removed</Badge>;
  if (run.status !== 'Ready') return null;
  const save = async () => {
    setPending(true);
    await saveReport(run);
    setPending(false);
  };
  return (
    <Button
      size="small"
      tabIndex={tabIndex}
      pending={pending}
      aria-label={`Download ${run.fileName ?? run.templateName}`}
      disabledReason={getFileRefusal(run, user.id)}
      onClick={() => void save()}
    >
      Download
    </Button>
  );
}

const COLUMNS: readonly Column<ReportRun>[] = [
  {
    id: 'report',
    header: 'Report',
    minWidth: 170,
    cell: ({ templateId, templateName }, { tabIndex }) => (
      <Link to="/reports/$templateId" params={{ templateId }} tabIndex={tabIndex} title={templateName}>
        {templateName}
      </Link>
    ),
  },
  {
    id: 'entries',
    header: 'Entries',
    minWidth: 150,
    cell: ({ filterText, entryCount }) => {
      const count = entryCount === null || entryCount === undefined ? '' : formatNumber(entryCount);
      return <span title={filterText ?? undefined}>{filterText ?? count}</span>;
    },
  },
  {
    id: 'person',
    header: 'Generated by',
    minWidth: 130,
    cell: ({ requestedByName }) => requestedByName ?? 'A former user',
  },
  {
    id: 'at',
    header: 'Generated',
    width: 116,
    cell: ({ createdDate }, { tabIndex }) => <Timestamp at={createdDate} tabIndex={tabIndex} />,
  },
  {
    id: 'data',
    header: 'Data of',
    width: 116,
    cell: ({ dataDate }, { tabIndex }) =>
      dataDate === null || dataDate === undefined ? '' : <Timestamp at={dataDate} tabIndex={tabIndex} />,
  },
  {
    id: 'readers',
    header: 'Readers',
    width: 90,
    align: 'end',
    cell: ({ readerCount }) =>
      typeof readerCount === 'number' ? (
        <span title="Users who could read these entries when the report was generated">
          {formatNumber(readerCount)}
        </span>
      ) : (
        ''
      ),
  },
  {
    id: 'size',
    header: 'Size',
    width: 84,
    align: 'end',
    cell: ({ size }) => (size === null || size === undefined ? '' : formatSize(size)),
  },
  {
    id: 'state',
    header: 'State',
    width: 120,
    small: 'aside',
    cell: (run) => (
      <span title={describeState(run)}>
        <Badge tone={RUN_LABELS[run.status].tone}>
          {RUN_LABELS[run.status].label}
          {run.status === 'Running' && ` ${formatPercent(run.progress / 100)}`}
        </Badge>
      </span>
    ),
  },
  {
    id: 'file',
    header: 'File',
    width: 120,
    small: 'line',
    cell: (run, { tabIndex }) => <DownloadButton run={run} tabIndex={tabIndex} />,
  },
];

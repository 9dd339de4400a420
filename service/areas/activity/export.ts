import type { ActivityExport, UserActivityEntry } from '../../../contract/generated/types.gen.ts';
import { exportTypeNames } from '../../../contract/rules/activity.ts';
import type { ExportCell } from '../../../contract/rules/tables/cells.ts';
import { type Db, isEmbedded, readInSnapshot, type Tx } from '../../kernel/db/database.ts';
import type { Handlers } from '../../kernel/http/handler.ts';
import { defineFileJobKind, type FileBatch, type ProducedFile } from '../../kernel/jobs/job-kind.ts';
import { formatQueryDetail } from '../../kernel/jobs/job-texts.ts';
import { describeExport, writeTable } from '../../kernel/jobs/table-export.ts';
import { startJob } from '../jobs/index.ts';
import { readIds, streamIds } from './export.store.ts';
import { type ActivityFilter, parseFilter } from './filter.ts';
import { readReport, readRows, toActivityEntry } from './report.store.ts';

/** Request of an export; `requestedAt` is the moment from which the 90 days of the report are counted. */
type ExportParameters = Pick<ActivityExport, 'format' | 'filterText' | 'query'> & { requestedAt: string };

/** Any period may be exported, as in the summary of the report. */
const parseQuery = (query: ActivityExport['query'], requestedAt: string): ActivityFilter =>
  parseFilter(query, { now: Date.parse(requestedAt), minPeriodMs: 1, pathPrefix: 'query.' });

export const activityExportHandlers: Handlers<'startActivityExport'> = {
  startActivityExport(call) {
    const { format, filterText, query } = call.body;
    const requestedAt = new Date().toISOString();
    parseQuery(query, requestedAt);
    const parameters: ExportParameters = { format, filterText, query, requestedAt };
    return startJob(call, { kind: 'activity.export', parameters, items: [] });
  },
};

/** Job that exports rows of the activity report to a file. */
export const activityExportJob = defineFileJobKind<ExportParameters>({
  kind: 'activity.export',
  operation: 'startActivityExport',
  describe: (_context, parameters) => describeExport('activity', parameters),
  async produce(batch) {
    const { db, caller, parameters } = batch;
    const filter = parseQuery(parameters.query, parameters.requestedAt);
    // On the embedded database a transaction that stays open would make every request wait; rows are only ever added.
    if (!isEmbedded(db))
      return readInSnapshot(db, async (tx) =>
        writeRows(batch, {
          total: (await readReport(tx, caller.siteId, filter, { offset: 0, limit: 1 })).total,
          pages: readPages(tx, streamIds(tx, caller.siteId, filter)),
        }),
      );
    const ids = await readInSnapshot(db, (tx) => readIds(tx, caller.siteId, filter));
    return writeRows(batch, { total: ids.length, pages: readPages(db, [ids]) });
  },
});

interface RowPages {
  total: number;
  pages: AsyncIterable<{ rows: readonly UserActivityEntry[] }>;
}

function writeRows(batch: FileBatch<ExportParameters>, { total, pages }: RowPages): Promise<ProducedFile> {
  const { format, filterText, query } = batch.parameters;
  const at = new Date();
  return writeTable(batch, {
    format,
    columns: COLUMNS,
    subject: 'activity',
    type: 'Activity',
    filterText,
    unfilteredText: 'All activity of 90 days',
    note: `The file contains the activity up to ${at.toISOString()}, newest first.`,
    at,
    total,
    pages,
    detail: { query: formatQueryDetail(query) },
  });
}

const PAGE_SIZE = 1_000;

/** Rows of lists of ids, in their order. */
async function* readPages(
  db: Db | Tx,
  lists: AsyncIterable<readonly number[]> | Iterable<readonly number[]>,
): RowPages['pages'] & AsyncGenerator {
  for await (const list of lists)
    for (let offset = 0; offset < list.length; offset += PAGE_SIZE) {
      const rows = await readRows(db, list.slice(offset, offset + PAGE_SIZE));
      yield { rows: rows.map(toActivityEntry) };
    }
}

interface ActivityColumn {
  heading: string;
  width: number;
  cell: (row: UserActivityEntry) => ExportCell;
}

const formatExportType = ({ exportDataType: type }: UserActivityEntry): string =>
  type === null || type === undefined ? '' : (exportTypeNames[type] ?? `Kind ${type}`);

const COLUMNS: readonly ActivityColumn[] = [
  { heading: 'Time (UTC)', width: 20, cell: ({ eventDate }) => new Date(eventDate) },
  { heading: 'User id', width: 10, cell: ({ userId }) => userId },
  { heading: 'Name', width: 26, cell: ({ fullName }) => fullName },
  { heading: 'E-mail', width: 34, cell: ({ userName }) => userName },
  { heading: 'Acted for', width: 26, cell: ({ principalFullName }) => principalFullName ?? '' },
  { heading: 'Acted for, e-mail', width: 34, cell: ({ principalUserName }) => principalUserName ?? '' },
  { heading: 'Type', width: 32, cell: ({ activityType }) => activityType },
  { heading: 'Export type', width: 20, cell: formatExportType },
  { heading: 'Source', width: 10, cell: ({ sourceType }) => sourceType },
  { heading: 'IP address', width: 24, cell: ({ ipAddress }) => ipAddress ?? '' },
  { heading: 'Session', width: 38, cell: ({ sessionId }) => sessionId ?? '' },
  { heading: 'Number', width: 12, cell: ({ activityId }) => activityId ?? '' },
];

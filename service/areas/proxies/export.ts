import type { ActingReportExport } from '../../../contract/generated/types.gen.ts';
import { formatOutcome } from '../../../contract/rules/people/acting-steps.ts';
import type { ExportCell } from '../../../contract/rules/tables/cells.ts';
import { notFound } from '../../kernel/api-error.ts';
import { type Db, readExportSnapshot } from '../../kernel/db/database.ts';
import type { Handlers } from '../../kernel/http/handler.ts';
import { defineFileJobKind } from '../../kernel/jobs/job-kind.ts';
import { describeExport, writeTable } from '../../kernel/jobs/table-export.ts';
import { startJob } from '../jobs/index.ts';
import { getReport, listNextEntries, type StoredEntry } from './reports.store.ts';

/** Request of an export; `filterText` names the proxy, the principal and the start of the report. */
type ExportParameters = Pick<ActingReportExport, 'format' | 'reportId'> & { filterText: string };

export const reportExportHandlers: Handlers<'startActingReportExport'> = {
  async startActingReportExport(call) {
    const { format, reportId } = call.body;
    const report = await getReport(call.db, call.caller.siteId, reportId);
    if (!report) throw notFound(`Report ${reportId}`);
    const { proxyUser, principal, startedDate } = report;
    const filterText = `${proxyUser.fullName} for ${principal.fullName}, ${startedDate.slice(0, 16).replace('T', ' ')} UTC`;
    const parameters: ExportParameters = { format, reportId, filterText };
    return startJob(call, { kind: 'proxies.export', parameters, items: [] });
  },
};

/** Job that exports the steps of an acting report to a file. */
export const reportExportJob = defineFileJobKind<ExportParameters>({
  kind: 'proxies.export',
  operation: 'startActingReportExport',
  describe: (_context, parameters) => describeExport('an acting report', parameters),
  produce(batch) {
    const { siteId } = batch.caller;
    const { format, filterText, reportId } = batch.parameters;
    return readExportSnapshot(batch.db, async (db) => {
      const report = await getReport(db, siteId, reportId);
      if (!report) throw notFound(`Report ${reportId}`);
      const at = new Date();
      return writeTable(batch, {
        format,
        columns: COLUMNS,
        subject: 'acting-report',
        type: 'Steps',
        filterText,
        unfilteredText: '',
        note: `The file contains the steps up to ${at.toISOString()}, in order.`,
        at,
        total: report.steps,
        pages: readPages(db, siteId, reportId),
      });
    });
  },
});

const PAGE_SIZE = 1_000;

async function* readPages(
  db: Db,
  siteId: number,
  reportId: number,
): AsyncGenerator<{ rows: readonly StoredEntry[] }> {
  let last: StoredEntry | undefined;
  do {
    const rows = await listNextEntries(db, { siteId, reportId }, last, PAGE_SIZE);
    yield { rows };
    last = rows.length === PAGE_SIZE ? rows.at(-1) : undefined;
  } while (last);
}

interface StepColumn {
  heading: string;
  width: number;
  cell: (step: StoredEntry) => ExportCell;
}

const COLUMNS: readonly StepColumn[] = [
  { heading: 'Time (UTC)', width: 20, cell: ({ at }) => at },
  { heading: 'Kind', width: 10, cell: ({ isWrite }) => (isWrite ? 'Change' : 'Read') },
  { heading: 'What', width: 40, cell: ({ summary }) => summary },
  { heading: 'Operation', width: 26, cell: ({ operationId }) => operationId },
  { heading: 'About', width: 40, cell: ({ subject }) => subject },
  { heading: 'Outcome', width: 24, cell: (step) => formatOutcome(step).text },
];

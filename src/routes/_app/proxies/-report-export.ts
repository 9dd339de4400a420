import { readActingReport } from '../../../api/generated/sdk.gen.ts';
import type { ActingReport, ActingStep } from '../../../api/generated/types.gen.ts';
import type { ExportSource } from '../../../export/source.ts';
import { exactDate } from '../../../lib/dates.ts';
import { counted } from '../../../lib/numbers.ts';
import { reportName } from './-report-columns.tsx';
import { outcomeOf } from './-steps.ts';

const PAGE = 1000;

interface Column {
  heading: string;
  width: number;
  cell: (step: ActingStep) => string | number | Date;
}

const COLUMNS: readonly Column[] = [
  { heading: 'Time (UTC)', width: 20, cell: ({ date }) => new Date(date) },
  { heading: 'Kind', width: 10, cell: ({ isWrite }) => (isWrite ? 'Change' : 'Read') },
  { heading: 'What', width: 40, cell: ({ summary }) => summary },
  { heading: 'Operation', width: 26, cell: ({ operationId }) => operationId },
  { heading: 'About', width: 40, cell: ({ subject }) => subject },
  { heading: 'Outcome', width: 24, cell: (step) => outcomeOf(step).words },
];

/** Every step of a report as a table, each for itself. */
export function stepsSource(report: ActingReport): ExportSource {
  return {
    subject: 'acting-report',
    sheet: 'Steps',
    words: (rows) => counted(rows, 'step', 'steps'),
    columns: COLUMNS.map(({ heading, width }) => ({ heading, width })),
    total: report.steps,
    filter: `${reportName(report)} · ${exactDate(report.startedDate)}`,
    search: undefined,
    async *portions(signal) {
      for (let pageNumber = 1; ; pageNumber += 1) {
        const query = { pageNumber, pageSize: PAGE };
        // oxlint-disable-next-line no-await-in-loop -- a page that is not full is the last one (shapes 1)
        const { data } = await readActingReport({ path: { id: report.id }, query, signal });
        yield data.steps.map((step) => COLUMNS.map(({ cell }) => cell(step)));
        if (data.steps.length < PAGE) return;
      }
    },
  };
}

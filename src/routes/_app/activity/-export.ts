import { counted } from '../../../lib/numbers.ts';
import type { ExportSource } from '../../../export/source.ts';
import { LARGEST_PAGE, readActivity } from './-data.ts';
import type { Question } from './-question.ts';
import { addressOf, kindOf } from './-row.ts';
import type { ActivityRow } from './-row.ts';
import { writeView } from './-view.ts';
import type { ActivityView } from './-view.ts';

interface Column {
  heading: string;
  width: number;
  cell: (row: ActivityRow) => string | number | Date;
}

const COLUMNS: readonly Column[] = [
  { heading: 'Time (UTC)', width: 20, cell: ({ eventDate }) => new Date(eventDate) },
  { heading: 'User id', width: 10, cell: ({ userId }) => userId },
  { heading: 'Name', width: 26, cell: ({ fullName }) => fullName },
  { heading: 'E-mail', width: 34, cell: ({ userName }) => userName },
  { heading: 'Acted for', width: 26, cell: ({ principalFullName }) => principalFullName ?? '' },
  { heading: 'Acted for, e-mail', width: 34, cell: ({ principalUserName }) => principalUserName ?? '' },
  { heading: 'Type', width: 32, cell: ({ activityType }) => activityType },
  { heading: 'Export kind', width: 20, cell: (row) => kindOf(row) ?? '' },
  { heading: 'Source', width: 10, cell: ({ sourceType }) => sourceType },
  { heading: 'IP address', width: 24, cell: (row) => addressOf(row) ?? '' },
  { heading: 'Session', width: 38, cell: ({ sessionId }) => sessionId ?? '' },
  { heading: 'Number', width: 12, cell: ({ activityId }) => activityId ?? '' },
];

interface ToExport {
  view: ActivityView;
  question: Question;
  total: number;
  /** What is asked for, in words. */
  filter: string;
}

/** The rows of the report as a table: page by page, as the service gives them. */
export function activitySource({ view, question, total, filter }: ToExport): ExportSource {
  const { from, to } = question;
  return {
    subject: 'activity',
    sheet: 'Activity',
    words: (rows) => counted(rows, 'row', 'rows'),
    columns: COLUMNS.map(({ heading, width }) => ({ heading, width })),
    total,
    filter,
    search: writeView({ ...view, range: { from, to } }),
    async *portions(signal) {
      for (let pageNumber = 1; (pageNumber - 1) * LARGEST_PAGE < total; pageNumber += 1) {
        // The pages come one after another: an export is in no hurry, and others use the service too.
        // oxlint-disable-next-line no-await-in-loop
        const { rows } = await readActivity(question.query, { pageNumber, pageSize: LARGEST_PAGE }, signal);
        const left = total - (pageNumber - 1) * LARGEST_PAGE;
        yield rows.slice(0, left).map((row) => COLUMNS.map(({ cell }) => cell(row)));
      }
    },
  };
}

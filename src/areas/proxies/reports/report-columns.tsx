import { Link } from '@tanstack/react-router';
import type { ActingReport } from '../../../../contract/generated/types.gen.ts';
import { formatNumber } from '../../../lib/numbers.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Timestamp } from '../../../ui/layout/Timestamp.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { formatDuration } from './report-steps.ts';

/** Name of a report: "Ada Okafor for Grace Lund". */
export const formatReportName = ({
  proxyUser,
  principal,
}: Pick<ActingReport, 'proxyUser' | 'principal'>): string =>
  `${proxyUser.fullName} for ${principal.fullName}`;

const SOURCES: Record<ActingReport['source'], string> = { console: 'Console', api: 'Program' };

/** Columns of the list of reports. */
export const REPORT_COLUMNS: readonly Column<ActingReport>[] = [
  {
    id: 'who',
    header: 'Proxy and user',
    minWidth: 300,
    cell: (report, { tabIndex }) => (
      <span className="person">
        <Avatar name={report.proxyUser.fullName} id={report.proxyUser.id} />
        <Link
          to="/proxies/reports/$reportId"
          params={{ reportId: report.id }}
          tabIndex={tabIndex}
          title={formatReportName(report)}
        >
          {formatReportName(report)}
        </Link>
      </span>
    ),
  },
  {
    id: 'reason',
    header: 'Reason',
    minWidth: 160,
    small: 'line',
    cell: ({ reason, source }) => (
      <span className="person-soft" title={reason ?? undefined}>
        {reason ?? (source === 'api' ? 'None (program)' : 'None')}
      </span>
    ),
  },
  {
    id: 'source',
    header: 'Source',
    width: 100,
    cell: ({ source }) => <Badge>{SOURCES[source]}</Badge>,
  },
  {
    id: 'started',
    header: 'Started',
    width: 130,
    small: 'aside',
    cell: ({ startedDate }, { tabIndex }) => <Timestamp at={startedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'lasted',
    header: 'Duration',
    width: 130,
    cell: ({ startedDate, endedDate }) =>
      endedDate === null ? <Badge tone="accent">In progress</Badge> : formatDuration(startedDate, endedDate),
  },
  {
    id: 'steps',
    header: 'Steps',
    align: 'end',
    width: 90,
    cell: ({ steps }) => formatNumber(steps),
  },
];

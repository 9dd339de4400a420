import { Link } from '@tanstack/react-router';
import type { ActingReport } from '../../../api/generated/types.gen.ts';
import { count } from '../../../lib/numbers.ts';
import { Avatar } from '../../../ui/layout/Avatar.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Column } from '../../../ui/table/columns.ts';
import { lasted } from './steps.ts';

/** Who acted for whom, in the one form it has everywhere. */
export const reportName = ({ proxyUser, principal }: Pick<ActingReport, 'proxyUser' | 'principal'>): string =>
  `${proxyUser.fullName} for ${principal.fullName}`;

const SOURCES: Record<ActingReport['source'], string> = { console: 'Console', api: 'Program' };

/** The columns of the list of reports. */
export const REPORT_COLUMNS: readonly Column<ActingReport>[] = [
  {
    id: 'who',
    header: 'Who for whom',
    minWidth: 260,
    cell: (report, { tabIndex }) => (
      <span className="person">
        <Avatar name={report.proxyUser.fullName} id={report.proxyUser.id} />
        <Link
          to="/proxies/reports/$reportId"
          params={{ reportId: report.id }}
          tabIndex={tabIndex}
          title={reportName(report)}
        >
          {reportName(report)}
        </Link>
      </span>
    ),
  },
  {
    id: 'reason',
    header: 'Reason',
    minWidth: 200,
    small: 'line',
    cell: ({ reason }) => (
      <span className="person-soft" title={reason ?? undefined}>
        {reason ?? 'A program gives none'}
      </span>
    ),
  },
  {
    id: 'source',
    header: 'Through',
    width: 100,
    cell: ({ source }) => <Badge>{SOURCES[source]}</Badge>,
  },
  {
    id: 'started',
    header: 'Began',
    width: 130,
    small: 'aside',
    cell: ({ startedDate }, { tabIndex }) => <Moment at={startedDate} tabIndex={tabIndex} />,
  },
  {
    id: 'lasted',
    header: 'Lasted',
    width: 130,
    cell: ({ startedDate, endedDate }) =>
      endedDate === null ? <Badge tone="accent">Going on</Badge> : lasted(startedDate, endedDate),
  },
  {
    id: 'steps',
    header: 'Steps',
    align: 'end',
    width: 90,
    cell: ({ steps }) => count(steps),
  },
];

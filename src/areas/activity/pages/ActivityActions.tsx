import { Link, useRouter } from '@tanstack/react-router';
import { Bookmark, Download, FolderSearch, Link2 } from 'lucide-react';
import { useMemo } from 'react';
import { usePermission } from '../../../api/session.ts';
import { usePaletteActionsOfPage } from '../../../app/state/palette.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { getBrowserTimeZone } from '../../../lib/time-zones.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { toast } from '../../../ui/toast.ts';
import { openExport } from '../../export/index.ts';
import type { ExportSource } from '../../export/index.ts';
import { MAX_PAGE_SIZE, loadActivityPage } from '../model/activity-data.ts';
import { formatFilters, formatPeriod } from '../model/format.ts';
import type { PeriodBounds } from '../model/period.ts';
import type { ReportQuery } from '../model/report-query.ts';
import { formatAddress, formatExportType } from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';
import { useUserNames } from '../model/use-names.ts';
import { serializeActivityView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';

interface ActivityActionsProps {
  view: ActivityView;
  bounds: PeriodBounds;
  reportQuery: ReportQuery;
  openedAt: number;
  /** Number of matching rows; undefined while loading. */
  total: number | undefined;
}

/** Actions of the report: export, link, investigations. */
export function ActivityActions({ view, bounds, reportQuery, openedAt, total }: ActivityActionsProps) {
  const router = useRouter();
  const { reason: exportDisabledReason } = usePermission('recordExport');
  const getName = useUserNames([...view.people, ...view.principals]);
  const filter = [
    ...formatFilters(view, getName),
    formatPeriod(view.period, openedAt, getBrowserTimeZone()),
  ].join(' · ');
  usePaletteActionsOfPage(
    useMemo(
      () => [
        {
          label: 'Save investigation',
          icon: Bookmark,
          run: () => void router.navigate({ to: '/activity/save', search: serializeActivityView(view) }),
        },
        {
          label: 'Investigations',
          icon: FolderSearch,
          run: () => void router.navigate({ to: '/activity/investigations' }),
        },
      ],
      [router, view],
    ),
  );
  const copyLink = () => {
    const search = serializeActivityView({ ...view, period: { from: bounds.from, to: bounds.to } });
    const { href } = router.buildLocation({ to: '/activity', search });
    navigator.clipboard.writeText(new URL(href, location.origin).href).then(
      () => toast({ title: 'Link copied', description: 'It always shows the same period' }),
      () => toast({ title: 'The browser does not allow copying here', tone: 'bad' }),
    );
  };
  const noRowsReason = total === undefined ? 'The rows are still loading' : 'No rows match';
  return (
    <>
      <MenuButton
        label="Share and export"
        items={[
          {
            label: 'Export',
            hint: total === undefined ? undefined : `${pluralize(total, 'row', 'rows')} as CSV or XLSX`,
            icon: Download,
            disabledReason: exportDisabledReason ?? (total ? undefined : noRowsReason),
            onSelect: () =>
              openExport(() => createActivitySource({ view, reportQuery, total: total ?? 0, filter })),
          },
          { label: 'Copy link', hint: 'With a fixed period', icon: Link2, onSelect: copyLink },
        ]}
      />
      <Link to="/activity/investigations" className={buttonClass()}>
        <FolderSearch />
        Investigations
      </Link>
      <Link
        to="/activity/save"
        search={serializeActivityView(view)}
        className={buttonClass({ variant: 'primary' })}
      >
        <Bookmark />
        Save investigation
      </Link>
    </>
  );
}

interface ExportColumn {
  heading: string;
  width: number;
  cell: (row: ActivityRow) => string | number | Date;
}

const EXPORT_COLUMNS: readonly ExportColumn[] = [
  { heading: 'Time (UTC)', width: 20, cell: ({ eventDate }) => new Date(eventDate) },
  { heading: 'User id', width: 10, cell: ({ userId }) => userId },
  { heading: 'Name', width: 26, cell: ({ fullName }) => fullName },
  { heading: 'E-mail', width: 34, cell: ({ userName }) => userName },
  { heading: 'Acted for', width: 26, cell: ({ principalFullName }) => principalFullName ?? '' },
  { heading: 'Acted for, e-mail', width: 34, cell: ({ principalUserName }) => principalUserName ?? '' },
  { heading: 'Type', width: 32, cell: ({ activityType }) => activityType },
  { heading: 'Export type', width: 20, cell: (row) => formatExportType(row) ?? '' },
  { heading: 'Source', width: 10, cell: ({ sourceType }) => sourceType },
  { heading: 'IP address', width: 24, cell: (row) => formatAddress(row) ?? '' },
  { heading: 'Session', width: 38, cell: ({ sessionId }) => sessionId ?? '' },
  { heading: 'Number', width: 12, cell: ({ activityId }) => activityId ?? '' },
];

interface ExportInput {
  view: ActivityView;
  reportQuery: ReportQuery;
  total: number;
  /** Filters as text. */
  filter: string;
}

/** Export of the rows of the report, loaded page by page. */
function createActivitySource({ view, reportQuery, total, filter }: ExportInput): ExportSource {
  const { from, to } = reportQuery;
  return {
    subject: 'activity',
    sheet: 'Activity',
    formatCount: (rows) => pluralize(rows, 'row', 'rows'),
    columns: EXPORT_COLUMNS.map(({ heading, width }) => ({ heading, width })),
    total,
    filter,
    search: serializeActivityView({ ...view, period: { from, to } }),
    async *portions(signal) {
      for (let pageNumber = 1; (pageNumber - 1) * MAX_PAGE_SIZE < total; pageNumber += 1) {
        // Pages are loaded one after another to limit the load on the service.
        const { rows } = await loadActivityPage(
          reportQuery.query,
          { pageNumber, pageSize: MAX_PAGE_SIZE },
          signal,
        );
        const remaining = total - (pageNumber - 1) * MAX_PAGE_SIZE;
        yield rows.slice(0, remaining).map((row) => EXPORT_COLUMNS.map(({ cell }) => cell(row)));
      }
    },
  };
}

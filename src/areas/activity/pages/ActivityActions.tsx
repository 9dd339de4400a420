import { useQueryClient } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import { Bookmark, Download, FolderSearch, Link2, Settings2 } from 'lucide-react';
import { useMemo } from 'react';
import { startActivityExport } from '../../../api/generated/sdk/jobs.gen.ts';
import { usePermission } from '../../../api/session.ts';
import { usePaletteActionsOfPage } from '../../../app/state/palette.ts';
import { getBrowserTimeZone } from '../../../lib/dates/time-zones.ts';
import { pluralize } from '../../../lib/numbers.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { toast } from '../../../ui/toast.ts';
import { openExport } from '../../export/index.ts';
import type { ExportSource } from '../../export/index.ts';
import { getPeriodQuery } from '../model/activity-data.ts';
import { formatFilters, formatPeriod } from '../model/format.ts';
import type { PeriodBounds } from '../model/period.ts';
import type { ReportQuery } from '../model/report-query.ts';
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
  const client = useQueryClient();
  const { reason: exportDisabledReason } = usePermission('startActivityExport');
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
              openExport(client, () => createActivitySource({ reportQuery, total: total ?? 0, filter })),
          },
          { label: 'Copy link', hint: 'With a fixed period', icon: Link2, onSelect: copyLink },
        ]}
      />
      <Link to="/activity/configuration" className={buttonClass()}>
        <Settings2 />
        Configuration log
      </Link>
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

interface ExportInput {
  reportQuery: ReportQuery;
  total: number;
  /** Filters as text. */
  filter: string;
}

/** Export of the rows of the report by the service. Unlike a page of rows, the period may be shorter than a day. */
const createActivitySource = ({ reportQuery, total, filter }: ExportInput): ExportSource => ({
  formatCount: (rows) => pluralize(rows, 'row', 'rows'),
  total,
  filter,
  async start(format) {
    const { data: job } = await startActivityExport({
      body: { format, query: getPeriodQuery(reportQuery), filterText: filter },
    });
    return job;
  },
});

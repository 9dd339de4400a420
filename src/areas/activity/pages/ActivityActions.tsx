import { Link, useRouter } from '@tanstack/react-router';
import { Bookmark, Download, FolderSearch, Link2 } from 'lucide-react';
import { useMemo } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { openExport } from '../../export/index.ts';
import { counted } from '../../../lib/numbers.ts';
import { useOfferActions } from '../../../app/palette/registry.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import type { Question } from '../model/question.ts';
import type { Bounds } from '../model/range.ts';
import { useNames } from './use-names.ts';
import { writeView } from '../model/view.ts';
import type { ActivityView } from '../model/view.ts';
import { filterWords, rangeWords } from '../model/words.ts';
import { readerZone } from '../../../lib/site-zone.ts';
import type { ExportSource } from '../../export/source.ts';
import { LARGEST_PAGE, readActivity } from '../model/data.ts';
import { addressOf, kindOf } from '../model/row.ts';
import type { ActivityRow } from '../model/row.ts';

interface ActivityActionsProps {
  view: ActivityView;
  bounds: Bounds;
  question: Question;
  pinned: number;
  /** How many rows match; undefined until that is known. */
  total: number | undefined;
}

/** What can be done with the report as a whole. */
export function ActivityActions({ view, bounds, question, pinned, total }: ActivityActionsProps) {
  const router = useRouter();
  const { reason: notNow } = useAllowed('recordExport');
  const nameOf = useNames([...view.people, ...view.principals]);
  const filter = [...filterWords(view, nameOf), rangeWords(view.range, pinned, readerZone())].join(' · ');
  useOfferActions(
    useMemo(
      () => [
        {
          label: 'Save investigation',
          icon: Bookmark,
          run: () => void router.navigate({ to: '/activity/save', search: writeView(view) }),
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
    const search = writeView({ ...view, range: { from: bounds.from, to: bounds.to } });
    const { href } = router.buildLocation({ to: '/activity', search });
    navigator.clipboard.writeText(new URL(href, location.origin).href).then(
      () => toast({ title: 'Link copied', description: 'It shows the same period whenever it is opened' }),
      () => toast({ title: 'The browser does not allow copying here', tone: 'bad' }),
    );
  };
  const nothing = total === undefined ? 'The rows are still being read' : 'No row matches';
  return (
    <>
      <MenuButton
        label="Share and export"
        items={[
          {
            label: 'Export',
            hint: total === undefined ? undefined : `${counted(total, 'row', 'rows')} as CSV or XLSX`,
            icon: Download,
            disabledReason: notNow ?? (total ? undefined : nothing),
            onSelect: () => openExport(activitySource({ view, question, total: total ?? 0, filter })),
          },
          { label: 'Copy link', hint: 'To exactly this period', icon: Link2, onSelect: copyLink },
        ]}
      />
      <Link to="/activity/investigations" className={buttonClass()}>
        <FolderSearch />
        Investigations
      </Link>
      <Link to="/activity/save" search={writeView(view)} className={buttonClass({ variant: 'primary' })}>
        <Bookmark />
        Save investigation
      </Link>
    </>
  );
}

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
function activitySource({ view, question, total, filter }: ToExport): ExportSource {
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

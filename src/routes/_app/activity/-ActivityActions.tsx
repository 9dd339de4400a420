import { Link, useRouter } from '@tanstack/react-router';
import { Bookmark, Download, FolderSearch, Link2 } from 'lucide-react';
import { useMemo } from 'react';
import { useAllowed } from '../../../api/session.ts';
import { openExport } from '../../../export/index.ts';
import { counted } from '../../../lib/numbers.ts';
import { useOfferActions } from '../../../shell/palette/registry.ts';
import { buttonClass } from '../../../ui/button/button-class.ts';
import { toast } from '../../../ui/feedback/toast.ts';
import { MenuButton } from '../../../ui/menu/MenuButton.tsx';
import { activitySource } from './-export.ts';
import type { Question } from './-question.ts';
import type { Bounds } from './-range.ts';
import { useNames } from './-use-names.ts';
import { writeView } from './-view.ts';
import type { ActivityView } from './-view.ts';
import { filterWords, rangeWords } from './-words.ts';
import { readerZone } from './-zone.ts';

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

import { Link } from '@tanstack/react-router';
import { Download } from 'lucide-react';
import { useAllowed } from '../../../api/session.ts';
import { fetchAgain } from '../../../export/fetch-again.ts';
import { fileOf } from '../../../export/keep.ts';
import type { KeptExport } from '../../../export/keep.ts';
import { count } from '../../../lib/numbers.ts';
import { Button } from '../../../ui/button/Button.tsx';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { readView as readActivity, writeView as writeActivity } from '../activity/-view.ts';
import { readView, writeView } from '../users/-view.ts';
import { sizeWord, stateOf, tookWord, unfetchable } from './-words.ts';

const TONES: Record<ReturnType<typeof stateOf>, Tone> = {
  Kept: 'ok',
  'No longer kept': 'neutral',
  Failed: 'bad',
  Stopped: 'warn',
};

/** The list that was exported, where there was one to come back to. */
function ListLink({ one: { query, search, subject }, tabIndex }: { one: KeptExport; tabIndex: 0 | -1 }) {
  if (!search) return query;
  if (subject === 'activity') {
    return (
      <Link to="/activity" search={writeActivity(readActivity(search))} tabIndex={tabIndex} title={query}>
        {query}
      </Link>
    );
  }
  return (
    <Link to="/users" search={writeView(readView(search))} tabIndex={tabIndex} title={query}>
      {query}
    </Link>
  );
}

/** What somebody comes to this page for stands in the row. */
function Again({ one, tabIndex }: { one: KeptExport; tabIndex: 0 | -1 }) {
  const { reason: notNow } = useAllowed('recordExport');
  return (
    <Button
      size="small"
      icon={Download}
      tabIndex={tabIndex}
      aria-label={`Download ${one.name} again`}
      disabledReason={notNow ?? unfetchable(one)}
      onClick={() => void fetchAgain(one, () => fileOf(one.id))}
    >
      Download
    </Button>
  );
}

/** The columns of the exports of this browser. */
export const COLUMNS: readonly Column<KeptExport>[] = [
  { id: 'name', header: 'File', minWidth: 190, cell: ({ name }) => <span title={name}>{name}</span> },
  {
    id: 'query',
    header: 'Asked for',
    minWidth: 150,
    small: 'line',
    cell: (one, { tabIndex }) => (
      <>
        <ListLink one={one} tabIndex={tabIndex} />
        {one.why !== undefined && (
          <span className="exports-why" title={one.why}>
            {` · ${one.why}`}
          </span>
        )}
      </>
    ),
  },
  { id: 'rows', header: 'Rows', width: 70, align: 'end', cell: ({ rows }) => count(rows) },
  { id: 'size', header: 'Size', width: 80, align: 'end', cell: sizeWord },
  { id: 'took', header: 'Took', width: 84, align: 'end', cell: tookWord },
  {
    id: 'at',
    header: 'Exported',
    width: 96,
    cell: ({ at }, { tabIndex }) => <Moment at={at} tabIndex={tabIndex} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 124,
    small: 'aside',
    cell: (one) => <Badge tone={TONES[stateOf(one)]}>{stateOf(one)}</Badge>,
  },
  {
    id: 'again',
    header: 'Again',
    width: 124,
    small: 'line',
    cell: (one, { tabIndex }) => <Again one={one} tabIndex={tabIndex} />,
  },
];

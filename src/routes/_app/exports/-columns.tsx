import { Link } from '@tanstack/react-router';
import type { KeptExport } from '../../../export/keep.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { readView as readActivity, writeView as writeActivity } from '../activity/-view.ts';
import { readView, writeView } from '../users/-view.ts';
import { sizeWord, stateOf, tookWord } from './-words.ts';

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

/** The columns of the exports of this browser. */
export const COLUMNS: readonly Column<KeptExport>[] = [
  { id: 'name', header: 'File', minWidth: 240, cell: ({ name }) => <span title={name}>{name}</span> },
  {
    id: 'query',
    header: 'Asked for',
    minWidth: 220,
    small: 'line',
    cell: (one, { tabIndex }) => one.why ?? <ListLink one={one} tabIndex={tabIndex} />,
  },
  { id: 'rows', header: 'Rows', width: 90, align: 'end', cell: ({ rows }) => count(rows) },
  { id: 'size', header: 'Size', width: 100, align: 'end', cell: sizeWord },
  { id: 'took', header: 'Took', width: 90, align: 'end', cell: tookWord },
  {
    id: 'at',
    header: 'Exported',
    width: 130,
    cell: ({ at }, { tabIndex }) => <Moment at={at} tabIndex={tabIndex} />,
  },
  {
    id: 'state',
    header: 'State',
    width: 130,
    small: 'aside',
    cell: (one) => <Badge tone={TONES[stateOf(one)]}>{stateOf(one)}</Badge>,
  },
];

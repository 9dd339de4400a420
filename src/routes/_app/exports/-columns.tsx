import { Link } from '@tanstack/react-router';
import type { KeptExport } from '../../../export/keep.ts';
import { count } from '../../../lib/numbers.ts';
import { Badge } from '../../../ui/layout/Badge.tsx';
import { Moment } from '../../../ui/layout/Moment.tsx';
import type { Tone } from '../../../ui/layout/tone.ts';
import type { Column } from '../../../ui/table/columns.ts';
import { readView, writeView } from '../users/-view.ts';
import { sizeWord, stateOf, tookWord } from './-words.ts';

const TONES: Record<ReturnType<typeof stateOf>, Tone> = {
  Kept: 'ok',
  'No longer kept': 'neutral',
  Failed: 'bad',
  Stopped: 'warn',
};

/** The columns of the exports of this browser. */
export const COLUMNS: readonly Column<KeptExport>[] = [
  { id: 'name', header: 'File', minWidth: 240, cell: ({ name }) => <span title={name}>{name}</span> },
  {
    id: 'query',
    header: 'Asked for',
    minWidth: 220,
    small: 'line',
    cell: ({ query, search, why }, { tabIndex }) =>
      why ??
      (search ? (
        <Link to="/users" search={writeView(readView(search))} tabIndex={tabIndex} title={query}>
          {query}
        </Link>
      ) : (
        query
      )),
  },
  { id: 'rows', header: 'People', width: 90, align: 'end', cell: ({ rows }) => count(rows) },
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

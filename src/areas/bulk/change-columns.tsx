import type { Column } from '../../ui/table/columns.ts';

interface Changed {
  before?: string;
  after?: string;
}

/** What a dry run shows of each: what it holds now, and then. */
export const changeColumns = <Line extends Changed>(minWidth: number): readonly Column<Line>[] => [
  {
    id: 'before',
    header: 'Now',
    minWidth,
    small: 'line',
    cell: ({ before }) => <bdi title={before}>{before}</bdi>,
  },
  {
    id: 'after',
    header: 'Then',
    minWidth,
    small: 'line',
    cell: ({ after }) => (
      <strong className="bulk-after" title={after}>
        <bdi>{after}</bdi>
      </strong>
    ),
  },
];

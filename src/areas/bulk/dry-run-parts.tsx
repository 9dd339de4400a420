import { formatNumber } from '../../lib/numbers.ts';
import type { Column } from '../../ui/table/columns.ts';
import './bulk-dialog.css';

interface ReadingProgressProps {
  readCount: number;
  total: number;
  /** The items with their number: "3 people". */
  items: string;
  label: string;
}

/** Progress of reading the items of a dry run. */
export function ReadingProgress({ readCount, total, items, label }: ReadingProgressProps) {
  return (
    <div className="bulk-reading">
      <p className="num">{`${formatNumber(readCount)} of ${items} read`}</p>
      <progress value={readCount} max={total} aria-label={label} />
    </div>
  );
}

interface BeforeAfter {
  before?: string;
  after?: string;
}

/** Columns with the values before and after a change. */
export const changeColumns = <Line extends BeforeAfter>(minWidth: number): readonly Column<Line>[] => [
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

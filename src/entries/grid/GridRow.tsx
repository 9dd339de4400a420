import { Link } from '@tanstack/react-router';
import { memo } from 'react';
import type { RowVm } from '../../api/generated/types.gen.ts';
import { count } from '../../lib/numbers.ts';
import { cx } from '../../ui/cx.ts';
import { Skeleton } from '../../ui/feedback/Skeleton.tsx';
import type { EntryColumn } from '../columns.ts';
import { ValueView } from '../ValueView.tsx';
import { itemText, itemsOf, standsAtEnd, valueIn } from '../values.ts';
import { placesOf } from './spans.ts';
import type { Span } from './spans.ts';

interface GridRowProps {
  /** Undefined while it is being fetched. */
  row: RowVm | undefined;
  index: number;
  y: number;
  /** Name of the entry type in addresses. */
  type: string;
  columns: readonly EntryColumn[];
  span: Span;
  /** So many columns stay at the side. */
  frozen: number;
  numberWidth: number;
  /** The column that Tab reaches in this row. */
  stop: number | undefined;
}

const SKELETONS = ['72%', '54%', '84%', '62%', '46%'];

function Row({ row, index, y, type, columns, span, frozen, numberWidth, stop }: GridRowProps) {
  const [key, ...others] = columns.slice(0, frozen);
  const places = placesOf(columns.slice(0, frozen), numberWidth);
  return (
    <tr
      className="eg-row"
      style={{ transform: `translateY(${y}px)` }}
      aria-rowindex={index + 2}
      aria-busy={row === undefined ? true : undefined}
    >
      <td className="eg-cell eg-number num" style={{ width: numberWidth }} aria-colindex={1}>
        {count(index + 1)}
      </td>
      {key && (
        <th
          scope="row"
          className={cx('eg-cell eg-stays eg-key', frozen === 1 && 'eg-stays-last')}
          style={{ width: key.width, left: numberWidth }}
          aria-colindex={2}
          data-row={index}
          data-column={0}
          tabIndex={stop === 0 ? 0 : -1}
        >
          {row === undefined ? (
            <Skeleton width={SKELETONS[index % SKELETONS.length] ?? '60%'} />
          ) : (
            <EntryLink {...{ row, type, column: key }} />
          )}
        </th>
      )}
      {others.map((column, offset) => (
        <Cell
          key={column.field.id}
          row={row}
          column={column}
          at={offset + 1}
          index={index}
          isStop={stop === offset + 1}
          left={places[offset + 1]}
          isLast={offset + 2 === frozen}
        />
      ))}
      <td aria-hidden className="eg-gap" style={{ width: span.before }} />
      {columns.slice(span.first, span.end).map((column, offset) => (
        <Cell
          key={column.field.id}
          row={row}
          column={column}
          at={span.first + offset}
          index={index}
          isStop={stop === span.first + offset}
        />
      ))}
    </tr>
  );
}

/** The name of an entry, which leads to it; an entry without one is called by its id. */
export function EntryLink({ row, type, column }: { row: RowVm; type: string; column: EntryColumn }) {
  const [name] = itemsOf(valueIn(row, column.field));
  const text = name === undefined ? '' : itemText(name, column.field).trim();
  return (
    <Link
      to="/entries/$type/$entryId"
      params={{ type, entryId: row.EntryId }}
      tabIndex={-1}
      title={text.length > 30 ? text.slice(0, 300) : undefined}
    >
      <bdi>{text === '' ? `Entry ${row.EntryId}` : text.slice(0, 300)}</bdi>
    </Link>
  );
}

interface CellProps {
  row: RowVm | undefined;
  column: EntryColumn;
  at: number;
  index: number;
  isStop: boolean;
  /** Where it stays, at the side. */
  left?: number | undefined;
  /** The last of those that stay. */
  isLast?: boolean;
}

function Cell({ row, column: { field, width }, at, index, isStop, left, isLast = false }: CellProps) {
  return (
    <td
      className={cx(
        'eg-cell',
        standsAtEnd(field) && 'eg-end',
        left !== undefined && 'eg-stays',
        isLast && 'eg-stays-last',
      )}
      style={{ width, left }}
      aria-colindex={at + 2}
      data-row={index}
      data-column={at}
      tabIndex={isStop ? 0 : -1}
    >
      {row === undefined ? (
        <Skeleton width={SKELETONS[(index * 2 + at) % SKELETONS.length] ?? '60%'} />
      ) : (
        <ValueView value={valueIn(row, field)} field={field} brief />
      )}
    </td>
  );
}

/** Drawn again only when what it shows changes, however fast the grid scrolls. */
export const GridRow = memo(Row);

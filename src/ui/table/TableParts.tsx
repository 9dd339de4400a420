import { ArrowDown, ArrowUp } from 'lucide-react';
import { cx } from '../cx.ts';
import { Skeleton } from '../feedback/Skeleton.tsx';
import type { Column, Sort } from './columns.ts';
import { getTableLayout } from './columns.ts';
import type { HeaderState } from './selection.ts';

interface TableHeadProps<Row> {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
  selecting: { state: HeaderState; toggleAll: () => void } | undefined;
  menu: boolean;
}

/** Sticky table header: select all, and a sort button in each sortable column. */
export function TableHead<Row>({ columns, sort, onSort, selecting, menu }: TableHeadProps<Row>) {
  return (
    <thead>
      <tr aria-rowindex={1}>
        {selecting && (
          <th scope="col" className="tbl-select">
            <input
              type="checkbox"
              className="checkbox"
              aria-label="Select all"
              ref={(box) => {
                if (box) box.indeterminate = selecting.state === 'some';
              }}
              checked={selecting.state === 'all'}
              onChange={selecting.toggleAll}
            />
          </th>
        )}
        {columns.map((column, at) => {
          const sorted = sort?.column === column.id ? sort.direction : undefined;
          return (
            <th
              scope="col"
              key={column.id}

              aria-sort={sorted}
              className={cx(at === 0 && 'tbl-first', column.align === 'end' && 'tbl-end')}
            >
              {column.sortable && onSort ? (
                <SortButton
                  header={column.header}
                  sorted={sorted}
                  onSort={(direction) => onSort({ column: column.id, direction })}
                />
              ) : (
                column.header
              )}
            </th>
          );
        })}
        {menu && (
          <th scope="col" className="tbl-menu">
            <span className="visually-hidden">Actions</span>
          </th>
        )}
      </tr>
    </thead>
  );
}

interface SortButtonProps {
  header: string;
  sorted: Sort['direction'] | undefined;
  onSort: (direction: Sort['direction']) => void;
}

function SortButton({ header, sorted, onSort }: SortButtonProps) {
  const Arrow = sorted === 'descending' ? ArrowDown : ArrowUp;
  return (
    <button
      type="button"
      className={cx('tbl-sort', sorted && 'tbl-sorted')}
      onClick={() => onSort(sorted === 'ascending' ? 'descending' : 'ascending')}
    >
      {header}
      <Arrow />
    </button>
  );
}

interface ColGroupProps<Row> {
  columns: readonly Column<Row>[];
  small: boolean;
  select: boolean;
  menu: boolean;
}

/** Column widths of a table. */
export function ColumnWidths<Row>({ columns, small, select, menu }: ColGroupProps<Row>) {
  const layout = getTableLayout(columns, small, { select, menu });
  return (
    <colgroup>
      {select && <col style={{ width: layout.select }} />}
      {columns.map((column) => (
        <col key={column.id} style={{ width: small ? undefined : column.width }} />
      ))}
      {menu && <col style={{ width: layout.menu }} />}
    </colgroup>
  );
}

const WIDTHS = ['72%', '54%', '84%', '62%', '46%'];

interface SkeletonCellsProps<Row> {
  columns: readonly Column<Row>[];
  index: number;
  select: boolean;
  menu: boolean;
}

/** Skeleton cells of a row that is not loaded yet. */
export function SkeletonCells<Row>({ columns, index, select, menu }: SkeletonCellsProps<Row>) {
  return (
    <>
      {select && (
        <td className="tbl-select">
          <Skeleton width="15px" />
        </td>
      )}
      {columns.map((column, at) => (
        <td key={column.id} className={column.align === 'end' ? 'tbl-end' : undefined}>
          <Skeleton width={WIDTHS[(index * 2 + at) % WIDTHS.length] ?? '60%'} />
        </td>
      ))}
      {menu && (
        <td className="tbl-menu">
          <Skeleton width="16px" />
        </td>
      )}
    </>
  );
}

import { ArrowDown, ArrowUp } from 'lucide-react';
import { cx } from '../cx.ts';
import type { Column, Sort } from './columns.ts';
import type { HeaderState } from './selection.ts';

interface TableHeadProps<Row> {
  columns: readonly Column<Row>[];
  sort: Sort | undefined;
  onSort: ((sort: Sort) => void) | undefined;
  selecting: { state: HeaderState; toggleAll: () => void } | undefined;
  menu: boolean;
}

/** The sticky header: select all, and a button in each column that sorts. */
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

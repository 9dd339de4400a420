import { memo } from 'react';
import type { ReactNode } from 'react';
import { cx } from '../cx.ts';
import type { MenuItems } from '../menu/menu-items.ts';
import { MenuButton } from '../menu/MenuButton.tsx';
import type { Column } from './columns.ts';
import { SkeletonCells } from './SkeletonCells.tsx';

interface TableRowProps<Row> {
  /** Undefined while it is being fetched. */
  row: Row | undefined;
  index: number;
  label: string;
  columns: readonly Column<Row>[];
  small: boolean;
  /** The row that the keyboard is on. */
  current: boolean;
  selected: boolean | undefined;
  menu: ((row: Row) => MenuItems) | undefined;
}

function Row<Row>({ row, index, label, columns, small, current, selected, menu }: TableRowProps<Row>) {
  const tabIndex = current ? 0 : -1;
  return (
    <tr
      className={cx('tbl-row', small && 'tbl-row-small')}
      data-index={index}
      tabIndex={tabIndex}
      aria-rowindex={index + 2}
      aria-selected={selected}
      aria-busy={row === undefined ? true : undefined}
    >
      {row === undefined ? (
        <SkeletonCells
          columns={small ? columns.slice(0, 1) : columns}
          index={index}
          select={selected !== undefined}
          menu={menu !== undefined}
        />
      ) : (
        <Cells {...{ row, label, columns, small, tabIndex, selected, menu }} />
      )}
    </tr>
  );
}

type CellsProps<Row> = Omit<TableRowProps<Row>, 'row' | 'index' | 'current'> & { row: Row; tabIndex: 0 | -1 };

function Cells<Row>({ row, label, columns, small, tabIndex, selected, menu }: CellsProps<Row>) {
  return (
    <>
      {selected !== undefined && (
        <td className="tbl-select">
          <input
            type="checkbox"
            className="checkbox"
            aria-label={`Select ${label}`}
            tabIndex={tabIndex}
            checked={selected}
            readOnly
          />
        </td>
      )}
      {small ? <SmallCell {...{ row, columns, tabIndex }} /> : wideCells(row, columns, tabIndex)}
      {menu && (
        <td className="tbl-menu">
          <MenuButton
            label={`Actions for ${label}`}
            size="small"
            tabIndex={tabIndex}
            items={() => menu(row)}
          />
        </td>
      )}
    </>
  );
}

/** Drawn again only when its own row, place or state changes, however fast the table scrolls. */
// `memo` forgets that the component is generic.
// oxlint-disable-next-line typescript/no-unsafe-type-assertion
export const TableRow = memo(Row) as typeof Row;

function wideCells<Row>(row: Row, columns: readonly Column<Row>[], tabIndex: 0 | -1): ReactNode {
  return columns.map((column, at) =>
    at === 0 ? (
      <th key={column.id} scope="row" className="tbl-first">
        {column.cell(row, { tabIndex })}
      </th>
    ) : (
      <td key={column.id} className={cx(column.align === 'end' && 'tbl-end')}>
        {column.cell(row, { tabIndex })}
      </td>
    ),
  );
}

interface SmallCellProps<Row> {
  row: Row;
  columns: readonly Column<Row>[];
  tabIndex: 0 | -1;
}

/** On a phone: the name and what stands beside it, then one line of facts. */
function SmallCell<Row>({ row, columns, tabIndex }: SmallCellProps<Row>) {
  const place = { tabIndex };
  return (
    <th scope="row" className="tbl-small">
      <div className="tbl-small-top">
        <div className="tbl-small-name">{columns[0]?.cell(row, place)}</div>
        {columns.map(
          (column) => column.small === 'aside' && <div key={column.id}>{column.cell(row, place)}</div>,
        )}
      </div>
      <div className="tbl-small-line">
        {columns.map(
          (column) => column.small === 'line' && <span key={column.id}>{column.cell(row, place)}</span>,
        )}
      </div>
    </th>
  );
}
